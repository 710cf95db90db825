// SPDX-License-Identifier: Apache-2.0
import type { ArgumentType, GraphFunction } from "../../lib/graph/graph.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import { type InstanceId, instanceOf } from "../../lib/plan/steps.ts";
import type { FunctionTimeline } from "./timeline.ts";

/** Where a tensor comes from. */
export type TensorSource =
  | { readonly kind: "step"; readonly step: number; readonly output: number }
  | { readonly kind: "argument"; readonly argumentType: ArgumentType };

/** A tensor that exists while a function runs. */
export interface FlowTensor {
  /** As in {@linkcode StepTimeline.reads} and `makes`. */
  readonly id: InstanceId;
  /** The value that it is or copies, as the input names it. */
  readonly name: string;
  /** Logical shape and element format. */
  readonly tensor: TensorShape;
  /** `undefined` if unknown. */
  readonly layout: TtnnLayout | undefined;
  /** Where it comes from. */
  readonly source: TensorSource;
}

/** Data flow of a simulated function. */
export interface Dataflow {
  /** Every tensor that a step makes or reads, without device handles and the like. */
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

/** The value whose contents an instance holds. */
function valueOf(fn: GraphFunction, plan: FunctionPlan | undefined, id: InstanceId) {
  const copied = plan?.conversions[id - fn.values.length]?.value;
  const value = fn.values[copied ?? id];
  if (value === undefined) throw new RangeError(`Cannot find tensor ${id} of ${fn.name}`);
  return value;
}
