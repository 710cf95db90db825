// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction, GraphOp, ValueId } from "../../lib/graph/graph.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import type { OperandRole } from "../../lib/ops/definition.ts";
import { isDeterministicOp } from "../../lib/ops/effects.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import { entryForOperand } from "../../lib/ops/operand_groups.ts";
import { type FunctionTimeline, type StepTimeline, stepUs } from "./timeline.ts";
import { workerCores } from "../../lib/device/chip_description.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { LayoutId } from "../../lib/layout/layout_table.ts";
import { type LayoutRequest, makeLayout, physicalUnits } from "../../lib/layout/make_layout.ts";
import { DEFAULT_TILE } from "../../lib/layout/ttnn_layout.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import type { SimulationContext } from "./simulate.ts";

/** Roles of operands that are parameters in models. */
const PARAMETER_ROLES: ReadonlySet<OperandRole | undefined> = new Set(["weight", "bias"]);

/** The dependence of a value: on one argument, on nothing that changes, or on more. */
type Dependence = ValueId | "nothing" | "more";

/** Work of every inference that would be done once, at load, if an argument were a parameter. */
interface LoadWork {
  /** Index of the argument in the signature. */
  readonly argument: number;
  /** Its name, `%arg3`. */
  readonly name: string;
  /** Steps that depend on it alone. */
  readonly steps: readonly number[];
  /** Their total time including gaps, in µs. */
  readonly microseconds: number;
}

/**
 * Work that depends on exactly one argument without a type and only produces weights or biases: if that
 * argument were marked as a parameter, const-eval would do the work once. In the order of the signature.
 */
export function loadWork(fn: FunctionTimeline, source: GraphFunction): readonly LoadWork[] {
  const { made, elsewhere } = originsOf(source);
  return source.arguments.flatMap((argument, index) => {
    const value = source.values[argument];
    const isUnsaid = value?.definition.kind === "argument" && value.definition.argumentType === "default";
    if (value === undefined || !isUnsaid || elsewhere.has(argument)) return [];
    const steps = fn.steps.filter(({ op }) => made[op] === argument);
    if (steps.length === 0) return [];
    const microseconds = steps.reduce((sum, step) => sum + stepUs(step), 0);
    return [{ argument: index, name: value.name, steps: steps.map((step) => step.index), microseconds }];
  });
}

/** The dependence of every op, and the arguments that are used other than for weights and biases. */
function originsOf(source: GraphFunction): {
  readonly made: readonly Dependence[];
  readonly elsewhere: ReadonlySet<Dependence>;
} {
  const made: Dependence[] = [];
  const elsewhere = new Set<Dependence>();
  const originOf = (value: ValueId): Dependence => {
    const definition = source.values[value]?.definition;
    if (definition?.kind === "result") return made[definition.op] ?? "more";
    return definition?.argumentType === "parameter" || definition?.argumentType === "constant"
      ? "nothing"
      : value;
  };
  const signatures = opSignatures(source);
  for (const op of source.ops) {
    const origin = originOfOp(op, op.operands.map(originOf));
    made.push(origin);
    if (origin !== "more") continue;
    const signature = signatures[op.id];
    op.operands.forEach((value, operand) => {
      const role = signature === undefined
        ? undefined
        : entryForOperand(definitionOf(op.name).roles, signature, operand);
      if (!PARAMETER_ROLES.has(role)) elsewhere.add(originOf(value));
    });
  }
  for (const value of source.results) elsewhere.add(originOf(value));
  return { made, elsewhere };
}

/** The dependence of an op, from its operands. */
function originOfOp({ name }: GraphOp, operands: readonly Dependence[]): Dependence {
  const origins = new Set(operands.filter((origin) => origin !== "nothing"));
  const [only = "nothing"] = origins;
  return isDeterministicOp(name) && origins.size <= 1 ? only : "more";
}

/** Other layouts for first operand and result of a step on few cores. */
interface CoreSpread {
  /** Layout of the first operand, as `describeLayout` spells it. */
  readonly input: string;
  /** Cores that the op then runs on. */
  readonly cores: number;
  /** Predicted saving in µs. */
  readonly savedUs: number;
}

/**
 * The cheapest config of an op whose first operand is interleaved, or sharded over as many cores as it has
 * tile rows or tile columns, instead of its current layout; `undefined` if none is legal and cheaper. The
 * price excludes moving the operand, because its producer may produce that layout.
 */
export function cheapestSpread(
  step: StepTimeline,
  signature: OpSignature,
  { opModel, cost }: SimulationContext,
): CoreSpread | undefined {
  const [tensor] = signature.operands;
  if (tensor === undefined || !opModel.traits(signature).movable) return undefined;
  const inputs = opModel.layouts.internAll(step.inputLayouts);
  let best: CoreSpread | undefined;
  for (const request of layoutsOf(tensor, workerCores(opModel.chip))) {
    const input = internOrNone(request, opModel);
    if (input === undefined) continue;
    const changed = inputs.with(0, input);
    const answer = opModel.queryOpConstraints(signature, changed, undefined, undefined);
    if (answer.status !== "valid") continue;
    const estimate = cost.getOpRuntime(signature, changed, answer.outputLayouts, answer.config);
    const savedUs = step.estimate.microseconds - estimate.microseconds;
    if (savedUs <= (best?.savedUs ?? 0)) continue;
    best = {
      input: describeLayout(opModel.layouts.get(input)),
      cores: estimate.cores,
      savedUs,
    };
  }
  return best;
}

function layoutsOf({ shape, dataType }: TensorShape, cores: number): readonly LayoutRequest[] {
  const [rows, columns] = physicalUnits(shape, DEFAULT_TILE);
  const common = { shape, dataType } as const;
  return [
    { ...common, bufferType: "dram", memoryLayout: "interleaved" },
    { ...common, bufferType: "l1", memoryLayout: "interleaved" },
    { ...common, bufferType: "l1", memoryLayout: "height_sharded", grid: [Math.min(rows, cores), 1] },
    { ...common, bufferType: "l1", memoryLayout: "width_sharded", grid: [1, Math.min(columns, cores)] },
  ];
}

/** The layout's id; `undefined` if the shards cannot be placed. */
function internOrNone(request: LayoutRequest, opModel: SimulationContext["opModel"]): LayoutId | undefined {
  try {
    return opModel.layouts.intern(makeLayout(request, opModel.chip.workerGrid));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
