// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import { type Assignment, bornLayout, keepAsInput, type OpAssignment } from "./assignment.ts";
import type { LayoutIds, OpEvaluator, Outcome } from "./op_evaluator.ts";
import { type OpRoles, requiredLayouts } from "./op_roles.ts";

/**
 * The two baselines that need no search. `dram`: every op that may be moved reads and makes DRAM interleaved tensors.
 * `l1`: every op makes L1 interleaved where that is legal and fits next to its operands, else DRAM interleaved.
 *
 * @param l1Budget bytes per core that an op may fill with operands, results and circular buffers
 */
export function interleavedAssignment(
  evaluator: OpEvaluator,
  roles: OpRoles,
  buffer: "dram" | "l1",
  l1Budget: number,
): Assignment {
  const assignment: OpAssignment[] = [];
  const required = requiredLayouts(evaluator, roles);
  for (const op of evaluator.fn.ops) {
    const chosen = roles.decided[op.id] === true
      ? decide(evaluator, roles, required, assignment, op.id, buffer, l1Budget)
      : undefined;
    assignment.push(chosen ?? keepAsInput(evaluator, op.id, "kept as the input has it"));
  }
  return assignment;
}

function decide(
  evaluator: OpEvaluator,
  roles: OpRoles,
  required: LayoutIds,
  assignment: Assignment,
  id: OpId,
  buffer: "dram" | "l1",
  l1Budget: number,
): OpAssignment | undefined {
  const { fn, layouts } = evaluator;
  const op = fn.ops[id];
  const result = op?.results[0];
  const tensor = result === undefined ? undefined : fn.values[result]?.tensor;
  const like = evaluator.inputLayout(id);
  if (op === undefined) return undefined;
  const present = op.operands.map((value) => bornLayout(evaluator, assignment, value));
  const dram = present.map((layout, operand) => {
    const value = op.operands[operand];
    const shape = value === undefined ? undefined : fn.values[value]?.tensor;
    if (layout === undefined || shape === undefined || value === undefined || roles.pinned[value] === true) {
      return layout;
    }
    return layouts.get(layout).bufferType === "l1" ? evaluator.interleaved(shape, layout, "dram") : layout;
  });
  if (tensor === undefined || like === undefined) return fromOutcome(evaluator, id, dram, undefined);
  const wanted = evaluator.interleaved(tensor, like, buffer);
  const fallback = evaluator.interleaved(tensor, like, "dram");
  const attempts: readonly (readonly [LayoutIds, number])[] = buffer === "l1"
    ? [[present, wanted], [dram, wanted], [present, fallback], [dram, fallback]]
    : [[dram, fallback]];
  for (const [inputs, output] of attempts) {
    if (!reachable(evaluator, op.operands, present, inputs)) continue;
    const outcome = evaluator.isOverridden(id)
      ? evaluator.outcomes(id, inputs)[0]
      : evaluator.query(id, inputs, output, undefined) ??
        evaluator.outcomes(id, inputs).find((candidate) => candidate.outputs[0] === output);
    if (outcome === undefined || outcome.outputs[0] !== output && !evaluator.isOverridden(id)) continue;
    if (!fits(evaluator, inputs, outcome, l1Budget)) continue;
    if (!reachable(evaluator, op.results, outcome.outputs, op.results.map((value) => required[value]))) {
      continue;
    }
    return fromOutcome(evaluator, id, inputs, outcome);
  }
  return undefined;
}

function fromOutcome(
  evaluator: OpEvaluator,
  id: OpId,
  inputs: LayoutIds,
  outcome: Outcome | undefined,
): OpAssignment | undefined {
  const chosen = outcome ?? evaluator.outcomes(id, inputs)[0];
  if (chosen === undefined) return undefined;
  return { inputs, outputs: chosen.outputs, config: chosen.config, reasons: ["interleaved baseline"] };
}

function reachable(
  evaluator: OpEvaluator,
  values: readonly number[],
  present: LayoutIds,
  wanted: LayoutIds,
): boolean {
  return values.every((value, index) => {
    const tensor = evaluator.fn.values[value]?.tensor;
    const from = present[index];
    const to = wanted[index];
    return tensor === undefined || from === undefined || to === undefined ||
      evaluator.reshard(tensor, from, to) !== undefined;
  });
}

function fits(evaluator: OpEvaluator, inputs: LayoutIds, outcome: Outcome, l1Budget: number): boolean {
  const operands = inputs.reduce<number>(
    (sum, layout) => sum + (layout === undefined ? 0 : evaluator.facts(layout).l1Bytes),
    0,
  );
  if (operands + outcome.outputL1Bytes === 0) return true;
  return operands + outcome.l1PeakBytes <= l1Budget;
}
