// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../lib/ops/op_book.ts";
import { type GraphFunction, opAt, opId, valueAt } from "../../lib/graph/graph.ts";
import { describeLayoutOr } from "../../lib/layout/describe.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import type { PlanQuestions } from "../explain/alternatives.ts";
import type { InstanceId } from "../../lib/plan/steps.ts";
import { type FunctionTimeline, type StepTimeline, stepUs } from "../../sim/timeline/timeline.ts";

/** A tensor that changes its layout between its producer and a reader. */
export interface MemoryEdge {
  /** Step that produces the changed tensor, possibly a copy itself; `undefined` for arguments. */
  readonly producer: number | undefined;
  /** Step that changes the layout. */
  readonly step: number;
  /** First step that reads the result, possibly another copy; `undefined` for `return`. */
  readonly consumer: number | undefined;
  /** Reason of the conversion; for a memory op of the input `to dram` or the op's name without its dialect. */
  readonly reason: string;
  /** Its cause in words; `""` if unknown. */
  readonly why: string;
  /** Name of the value, by the input. */
  readonly value: string;
  readonly from: string;
  readonly to: string;
  readonly us: number;
}

/** Number of slowest copies whose readers are queried about the uncopied tensor. */
const ASKED_COPIES = 40;

/**
 * Edges of inserted conversions, and of the input's own memory ops that take time and change the layout, in execution
 * order.
 *
 * @param plan the plan that the timeline runs; needed if it has conversions
 * @throws {RangeError} if a conversion of the timeline is not in the plan
 */
export function memoryEdges(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  timeline: FunctionTimeline,
  questions?: Pick<PlanQuestions, "whyCopied">,
): readonly MemoryEdge[] {
  const makers = new Map<InstanceId, number>();
  const readers = new Map<InstanceId, number>();
  for (const { index, makes, reads } of timeline.steps) {
    for (const instance of makes) makers.set(instance, index);
    for (const instance of reads) if (!readers.has(instance)) readers.set(instance, index);
  }
  const copies = timeline.steps.filter(({ kind }) => kind === "conversion");
  const asked = new Set(
    copies.toSorted((a, b) => b.deviceUs - a.deviceUs).slice(0, ASKED_COPIES).map(({ index }) => index),
  );
  return timeline.steps.flatMap((step): MemoryEdge[] => {
    const [read] = step.reads;
    const [made] = step.makes;
    const edge = {
      ...moved(step),
      producer: read === undefined ? undefined : makers.get(read),
      consumer: made === undefined ? undefined : readers.get(made),
    };
    if (step.kind === "conversion") {
      const conversion = plan?.conversions[step.id];
      if (conversion === undefined) {
        throw new RangeError(`Cannot look up conversion ${step.id} of @${fn.name}`);
      }
      const why = asked.has(step.index) ? questions?.whyCopied(fn.name, step.id) : undefined;
      return [{
        ...edge,
        reason: conversion.reason,
        why: why ?? conversion.note,
        value: valueAt(fn, conversion.value).name,
      }];
    }
    if (!definitionOf(step.name).memoryOp || stepUs(step) === 0) return [];
    if (edge.from === edge.to) return [];
    const op = opAt(fn, opId(fn, step.id));
    const [source] = op.operands.map((value) => valueAt(fn, value));
    if (source === undefined) throw new RangeError(`Cannot tell what ${op.name} moves: it reads nothing`);
    return [{
      ...edge,
      why: "in the input",
      reason: edge.from.startsWith("l1") && edge.to.startsWith("dram") ? "to dram" : step.name.slice(5),
      value: source.name,
    }];
  });
}

function moved(step: StepTimeline): Pick<MemoryEdge, "step" | "from" | "to" | "us"> {
  return {
    step: step.index,
    from: describeLayoutOr(step.inputLayouts[0], ""),
    to: describeLayoutOr(step.outputLayouts[0], ""),
    us: stepUs(step),
  };
}
