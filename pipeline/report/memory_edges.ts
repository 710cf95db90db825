// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../lib/ops/op_book.ts";
import {
  firstResult,
  type GraphFunction,
  type GraphValue,
  opAt,
  opId,
  valueAt,
} from "../../lib/graph/graph.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import type { FunctionTimeline, StepTimeline } from "../../sim/timeline/timeline.ts";

/** A tensor that changes its layout on the way from the op that makes it to an op that reads it. */
export interface MemoryEdge {
  /** Step that makes the tensor; `undefined` for arguments. */
  readonly producer: number | undefined;
  /** Step that changes the layout. */
  readonly step: number;
  /** First step that reads the result; `undefined` for `return`. */
  readonly consumer: number | undefined;
  readonly reason: string;
  readonly value: string;
  readonly from: string;
  readonly to: string;
  readonly us: number;
}

/** Edges of inserted conversions and of the memory ops that the input itself has, in execution order. */
export function memoryEdges(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  timeline: FunctionTimeline,
): readonly MemoryEdge[] {
  const stepOfOp = new Map(
    timeline.steps.filter((step) => step.kind === "op").map((step) => [step.id, step.index]),
  );
  const producerOf = ({ definition }: GraphValue): number | undefined =>
    definition.kind === "result" ? stepOfOp.get(definition.op) : undefined;
  return timeline.steps.flatMap((step): MemoryEdge[] => {
    if (step.kind === "conversion") {
      const conversion = plan?.conversions[step.id];
      if (conversion === undefined) {
        throw new RangeError(`Cannot look up conversion ${step.id} of @${fn.name}`);
      }
      const reader = fn.ops.find((op) =>
        op.id >= conversion.beforeOp &&
        plan?.decisions[op.id]?.operands.some((source) =>
            source.kind === "conversion" && source.conversion === conversion.id
          ) === true
      );
      const value = valueAt(fn, conversion.value);
      return [{
        ...moved(step),
        producer: producerOf(value),
        consumer: reader === undefined ? undefined : stepOfOp.get(reader.id),
        reason: conversion.reason,
        value: value.name,
      }];
    }
    if (!definitionOf(step.name).memoryOp || step.deviceUs + step.gapUs === 0) return [];
    const edge = moved(step);
    if (edge.from === edge.to) return [];
    const op = opAt(fn, opId(fn, step.id));
    const [source] = op.operands.map((value) => valueAt(fn, value));
    if (source === undefined) throw new RangeError(`Cannot tell what ${op.name} moves: it reads nothing`);
    const use = firstResult(fn, op)?.uses[0];
    return [{
      ...edge,
      producer: producerOf(source),
      consumer: use === undefined ? undefined : stepOfOp.get(use.op),
      reason: edge.from.startsWith("l1") && edge.to.startsWith("dram") ? "to dram" : step.name.slice(5),
      value: source.name,
    }];
  });
}

function moved(step: StepTimeline): Pick<MemoryEdge, "step" | "from" | "to" | "us"> {
  const spell = (layout: StepTimeline["inputLayouts"][number]): string =>
    layout === undefined ? "" : describeLayout(layout);
  return {
    step: step.index,
    from: spell(step.inputLayouts[0]),
    to: spell(step.outputLayouts[0]),
    us: step.deviceUs + step.gapUs,
  };
}
