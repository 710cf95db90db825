// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import { producedLayout } from "./assignment.ts";
import type { OpEvaluator } from "./op_evaluator.ts";
import { type OpRoles, requiredLayouts } from "./op_roles.ts";
import { type Assignment, type Choice, l1Need, type OpImpl } from "./impls.ts";
import { sameItems } from "../layout/extents.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";

/**
 * The two baselines that need no search. `dram`: every movable op reads and produces DRAM interleaved tensors.
 * `l1`: every op produces L1 interleaved where that is legal and fits next to its operands, otherwise DRAM
 * interleaved. Ops that can do neither are kept as in the input.
 *
 * @param l1Budget bytes per core that an op may fill with operands, results and circular buffers
 */
export function interleavedAssignment(
  evaluator: OpEvaluator,
  roles: OpRoles,
  buffer: "dram" | "l1",
  l1Budget: number,
): Assignment {
  const assignment: Choice[] = [];
  const baseline = { evaluator, roles, required: requiredLayouts(evaluator, roles), buffer, l1Budget };
  for (const { id } of evaluator.fn.ops) {
    const choice = roles.decided[id] === true ? choose(baseline, assignment, id) : undefined;
    const otherwise = choice === undefined && !runsAsWritten(evaluator, id)
      ? asItRuns(baseline, assignment, id)
      : undefined;
    assignment.push(choice ?? otherwise ?? evaluator.kept(id, "kept as in the input"));
  }
  return assignment;
}

function runsAsWritten(evaluator: OpEvaluator, id: OpId): boolean {
  const { inputs, outputs, config } = evaluator.asInput(id);
  const impl = evaluator.query(id, inputs, outputs[0], config);
  return impl !== undefined && sameItems(impl.outputs, outputs);
}

/**
 * A choice for an op that the op model refuses both interleaved and as written. Its results are those that the backend
 * chooses; its operands are as written, one of them in DRAM, all in DRAM, as produced, or one of them in shards, the
 * first that is legal: cache updates want their input in shards and positions in DRAM, and a convolution of many
 * channels may fit into L1 as a whole where no number of slices does.
 */
function asItRuns(
  { evaluator, roles, required, l1Budget }: InterleavedBaseline,
  assignment: Assignment,
  id: OpId,
): Choice | undefined {
  const { operands, results } = evaluator.op(id);
  const { inputs: written } = evaluator.asInput(id);
  const producedIn = operands.map((value) => producedLayout(evaluator, assignment, value));
  const dram = inDram(evaluator, roles, id, written);
  const oneInDram = written.flatMap((layout, operand) =>
    layout === dram[operand] ? [] : [written.with(operand, dram[operand])]
  );
  const oneInShards = written.flatMap((layout, operand) => {
    const tensor = evaluator.signature(id).operands[operand];
    const shards = layout === undefined || tensor === undefined
      ? []
      : evaluator.catalog.mostShards(tensor, layout);
    return shards.map((sharded) => written.with(operand, sharded));
  });
  for (const inputs of [written, ...oneInDram, dram, producedIn, ...oneInShards]) {
    if (!reachable(evaluator, operands, producedIn, inputs)) continue;
    const impl = evaluator.query(id, inputs, undefined, undefined);
    if (impl === undefined || l1Need(evaluator.operandL1Bytes(id, inputs), impl) > l1Budget) continue;
    if (reachable(evaluator, results, impl.outputs, results.map((value) => required[value]))) {
      return choiceOf(inputs, impl);
    }
  }
  return undefined;
}

/** Layouts of an op's operands, those in L1 in DRAM instead unless they are pinned. */
function inDram(evaluator: OpEvaluator, roles: OpRoles, id: OpId, layouts: LayoutIds): LayoutIds {
  const { operands } = evaluator.op(id);
  return layouts.map((layout, operand) => {
    const shape = evaluator.signature(id).operands[operand];
    const value = operands[operand];
    if (layout === undefined || shape === undefined || value === undefined || roles.pinned[value] === true) {
      return layout;
    }
    return evaluator.facts(layout).isL1 ? evaluator.interleaved(shape, layout, "dram") : layout;
  });
}

/** The inputs of all choices of a baseline. */
interface InterleavedBaseline {
  readonly evaluator: OpEvaluator;
  readonly roles: OpRoles;
  /** By value id. */
  readonly required: LayoutIds;
  readonly buffer: "dram" | "l1";
  /** Bytes per core. */
  readonly l1Budget: number;
}

/** @param assignment choices for the earlier ops */
function choose(baseline: InterleavedBaseline, assignment: Assignment, id: OpId): Choice | undefined {
  const { evaluator, roles, required, buffer, l1Budget } = baseline;
  const { operands, results } = evaluator.op(id);
  const [tensor] = evaluator.signature(id).results;
  const like = evaluator.declaredOutput(id);
  const producedIn = operands.map((value) => producedLayout(evaluator, assignment, value));
  const dram = inDram(evaluator, roles, id, producedIn);
  // Layouts that the backend accepts but the device computes incorrectly are not used.
  const written = evaluator.asInput(id).inputs;
  const offered = producedIn.map((layout, operand) =>
    layout === undefined || layout === written[operand] ||
      evaluator.opModel.acceptsInput(evaluator.signature(id), operand, layout)
      ? layout
      : dram[operand]
  );
  if (tensor === undefined || like === undefined) return choiceOf(dram, evaluator.impls(id, dram)[0]);
  const wanted = evaluator.interleaved(tensor, like, buffer);
  const fallback = evaluator.interleaved(tensor, like, "dram");
  const attempts: readonly (readonly [LayoutIds, LayoutId])[] = [
    ...(buffer === "l1" ? [[offered, wanted], [dram, wanted], [offered, fallback]] as const : []),
    [dram, fallback],
    ...reconfigured(evaluator, id, dram).map((inputs) => [inputs, fallback] as const),
  ];
  for (const [inputs, output] of attempts) {
    if (!reachable(evaluator, operands, producedIn, inputs)) continue;
    const isOverridden = evaluator.overrides.isOverridden(id);
    const asAsked = isOverridden ? undefined : evaluator.query(id, inputs, output, undefined);
    const impls = asAsked === undefined ? evaluator.impls(id, inputs) : [];
    const impl = asAsked ?? impls.find(({ outputs }) => outputs[0] === output) ??
      (isOverridden ? impls[0] : undefined);
    if (impl === undefined || impl.outputs[0] !== output && !isOverridden) continue;
    if (l1Need(evaluator.operandL1Bytes(id, inputs), impl) > l1Budget) continue;
    if (reachable(evaluator, results, impl.outputs, results.map((value) => required[value]))) {
      return choiceOf(inputs, impl);
    }
  }
  return undefined;
}

/** Operand layouts that follow `--insert-memreconfig`: one set for each memory that the result may get. */
function reconfigured(evaluator: OpEvaluator, id: OpId, inputs: LayoutIds): readonly LayoutIds[] {
  const wanted = inputs.map((_, operand) => evaluator.overrides.memReconfigLayouts(id, operand));
  const most = Math.max(0, ...wanted.map((layouts) => layouts.length));
  return Array.from(
    { length: most },
    (_, index) => inputs.map((layout, operand) => wanted[operand]?.[index] ?? layout),
  );
}

function choiceOf(inputs: LayoutIds, impl: OpImpl | undefined): Choice | undefined {
  if (impl === undefined) return undefined;
  return { inputs, outputs: impl.outputs, config: impl.config, reasons: ["interleaved baseline"] };
}

function reachable(
  evaluator: OpEvaluator,
  values: readonly ValueId[],
  present: LayoutIds,
  wanted: LayoutIds,
): boolean {
  return values.every((value, index) => {
    const { tensor } = evaluator.value(value);
    const from = present[index];
    const to = wanted[index];
    return tensor === undefined || from === undefined || to === undefined ||
      evaluator.reshard(tensor, from, to) !== undefined;
  });
}
