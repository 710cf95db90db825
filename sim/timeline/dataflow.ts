// SPDX-License-Identifier: Apache-2.0
import type { ArgumentType, GraphFunction } from "../../lib/graph/graph.ts";
import { type RepeatedRun, repeatedRuns } from "../../lib/graph/repeated_runs.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import { type InstanceId, instanceOf } from "../../lib/plan/steps.ts";
import type { FunctionTimeline, StepTimeline } from "./timeline.ts";

/** Origin of a tensor. */
export type TensorSource =
  | { readonly kind: "step"; readonly step: number; readonly output: number }
  | { readonly kind: "argument"; readonly argumentType: ArgumentType };

/** A tensor that exists while a function runs. */
export interface FlowTensor {
  /** As in {@linkcode StepTimeline.reads} and `makes`. */
  readonly id: InstanceId;
  /** The value that it is or copies, by its name in the input. */
  readonly name: string;
  /** Logical shape and element format. */
  readonly tensor: TensorShape;
  /** `undefined` if unknown. */
  readonly layout: TtnnLayout | undefined;
  /** Origin of the tensor. */
  readonly source: TensorSource;
}

/** Data flow of a simulated function. */
export interface Dataflow {
  /** Every argument and every result of a step, without device handles and other non-tensors. */
  readonly tensors: ReadonlyMap<InstanceId, FlowTensor>;
  /** Tensors that the function returns. */
  readonly results: readonly InstanceId[];
}

/**
 * The tensors of a simulated function.
 *
 * @param plan plan of the timeline; `undefined` for the layouts as written
 * @throws {RangeError} if plan or timeline belong to another function
 */
export function dataflowOf(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  timeline: FunctionTimeline,
): Dataflow {
  const tensors = new Map<InstanceId, FlowTensor>();
  for (const id of fn.arguments) {
    const { name, tensor, layout, definition } = valueOf(fn, plan, id);
    if (tensor === undefined || definition.kind !== "argument") continue;
    const { argumentType } = definition;
    tensors.set(id, { id, name, tensor, layout, source: { kind: "argument", argumentType } });
  }
  for (const step of timeline.steps) {
    step.makes.forEach((id, output) => {
      const { name, tensor } = valueOf(fn, plan, id);
      if (tensor === undefined) return;
      const source = { kind: "step", step: step.index, output } as const;
      tensors.set(id, { id, name, tensor, layout: step.outputLayouts[output], source });
    });
  }
  const results = fn.results.map((value, index) =>
    instanceOf(fn, value, plan?.results[index] ?? { kind: "value" })
  );
  return { tensors, results };
}

/** The value that an instance holds. */
function valueOf(fn: GraphFunction, plan: FunctionPlan | undefined, id: InstanceId) {
  const copied = plan?.conversions[id - fn.values.length]?.value;
  const value = fn.values[copied ?? id];
  if (value === undefined) throw new RangeError(`Cannot find tensor ${id} of ${fn.name}`);
  return value;
}

/** An op with the memory ops and inserted copies since the previous op. */
export interface OpWithMoves {
  /** Indices of the steps that move tensors, in execution order. */
  readonly moves: readonly number[];
  /** Index of the op's step; `undefined` for the moves after the last op. */
  readonly op: number | undefined;
}

/** A step by its index. @throws {RangeError} if there is none */
export function stepAt(steps: readonly StepTimeline[], index: number): StepTimeline {
  const step = steps[index];
  if (step === undefined) throw new RangeError(`Cannot find step ${index} of ${steps.length}`);
  return step;
}

/** Whether a step only moves a tensor: an inserted copy, or a memory op of the input. */
export function isMove({ kind, name }: Pick<StepTimeline, "kind" | "name">): boolean {
  return kind === "conversion" || definitionOf(name).memoryOp;
}

/** Whether a step is an op of TTNN, or of TTIR without a lowering, in contrast to compiler bookkeeping. */
export function isTensorOp({ kind, name }: Pick<StepTimeline, "kind" | "name">): boolean {
  return kind === "conversion" || /^tt(?:nn|ir)\./.test(name);
}

/** Ops of a function in execution order, each with the moves before it; without bookkeeping. */
export function opGroups(steps: readonly StepTimeline[]): readonly OpWithMoves[] {
  const groups: OpWithMoves[] = [];
  let moves: number[] = [];
  for (const step of steps) {
    if (!isTensorOp(step)) continue;
    if (isMove(step)) {
      moves.push(step.index);
      continue;
    }
    groups.push({ moves, op: step.index });
    moves = [];
  }
  return moves.length === 0 ? groups : [...groups, { moves, op: undefined }];
}

/** Consecutive layers with the same ops on tensors of the same shapes, by their groups; layouts may differ. */
export function layerRuns(
  groups: readonly OpWithMoves[],
  steps: readonly StepTimeline[],
): readonly RepeatedRun[] {
  return repeatedRuns(groups.map(({ op }) => op === undefined ? "" : work(steps, op)));
}

/** The computation of an op, ignoring layouts. */
function work(steps: readonly StepTimeline[], index: number): string {
  const { name, inputShapes, outputShapes, inputTypes, outputTypes } = stepAt(steps, index);
  const spell = (shapes: StepTimeline["inputShapes"]) =>
    shapes.map((shape) => shape?.join("x") ?? "").join(",");
  return [name, spell(inputShapes), spell(outputShapes), inputTypes.join(), outputTypes.join()].join("|");
}
