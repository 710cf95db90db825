// SPDX-License-Identifier: Apache-2.0
import { describeOpOf } from "../../lib/graph/describe_op.ts";
import type { GraphFunction } from "../../lib/graph/graph.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import type { Shortage } from "../../lib/memory/memory_verdict.ts";
import { type FunctionTimeline, type StepTimeline, stepUs } from "../../sim/timeline/timeline.ts";

/** A buffer that keeps its address over some steps. */
export interface L1Rectangle {
  readonly kind: "tensor" | "intermediate" | "circular_buffers";
  /** First and last step, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly address: number;
  /** Bytes per core. */
  readonly bytes: number;
  /** Label: `%12`, `copy of %12`, `circular buffers`. */
  readonly label: string;
  /** Op that produced it, for a copy its reason; `""` for arguments. */
  readonly madeBy: string;
  /** Id of its tensor, as in `StepTimeline.makes`; `undefined` for an op's own buffers. */
  readonly tensor: number | undefined;
}

/** A step that does not fit. */
export interface L1Clash {
  readonly step: number;
  readonly kind: string;
  readonly shortBytes: number;
  /** Addresses that are claimed twice; the whole region if a buffer found no room. */
  readonly start: number;
  readonly end: number;
}

/** L1 of one core over the schedule of a function. */
export interface L1Map {
  readonly base: number;
  readonly top: number;
  /** Lowest address of tensors: `top − budget`. */
  readonly budgetLine: number;
  readonly steps: number;
  /** The first step that takes time; steps before only load const-eval results. */
  readonly firstWork: number;
  readonly rectangles: readonly L1Rectangle[];
  readonly clashes: readonly L1Clash[];
}

/** Joins the buffers of single steps to rectangles over address and schedule. */
export function l1Map(fn: GraphFunction, plan: FunctionPlan | undefined, timeline: FunctionTimeline): L1Map {
  const { base, top, budget } = timeline.l1Region;
  const rectangles: L1Rectangle[] = [];
  const open = new Map<string, L1Rectangle>();
  const clashes: L1Clash[] = [];
  for (const step of timeline.steps) {
    const seen = new Set<string>();
    const extend = (key: string, make: () => L1Rectangle): void => {
      seen.add(key);
      const current = open.get(key);
      open.set(key, current === undefined ? make() : { ...current, to: step.index });
    };
    for (const { tensor, address, bytes } of step.l1.placements) {
      const key = tensor < 0 ? `-${step.index}:${address}` : `${tensor}:${address}:${bytes}`;
      extend(key, () => ({
        kind: tensor < 0 ? "intermediate" : "tensor",
        from: step.index,
        to: step.index,
        address,
        bytes,
        tensor: tensor < 0 ? undefined : tensor,
        ...describeInstance(fn, plan, tensor),
      }));
    }
    const buffers = step.l1.circularBufferBytes;
    if (buffers > 0) {
      extend(`cb:${step.index}`, () => ({
        kind: "circular_buffers",
        from: step.index,
        to: step.index,
        address: base,
        bytes: buffers,
        label: "circular buffers",
        madeBy: step.name,
        tensor: undefined,
      }));
    }
    if (step.shortage?.memory === "l1") clashes.push(clashOf(step, step.shortage, timeline.l1Region));
    for (const [key, rectangle] of open) {
      if (seen.has(key)) continue;
      rectangles.push(rectangle);
      open.delete(key);
    }
  }
  rectangles.push(...open.values());
  const work = timeline.steps.findIndex((step) => stepUs(step) > 0);
  return {
    base,
    top,
    budgetLine: top - budget,
    steps: timeline.steps.length,
    firstWork: Math.max(0, work),
    rectangles,
    clashes,
  };
}

/**
 * Overlap of a step's circular buffers and tensors; all of L1 if a buffer found no room without an overlap.
 */
function clashOf(
  { index, l1 }: StepTimeline,
  { kind, shortBytes }: Shortage,
  { base, top }: FunctionTimeline["l1Region"],
): L1Clash {
  const lowest = Math.min(top, ...l1.placements.map(({ address }) => address));
  const buffersEnd = base + l1.circularBufferBytes;
  const overlaps = buffersEnd > lowest;
  return { step: index, kind, shortBytes, start: overlaps ? lowest : base, end: overlaps ? buffersEnd : top };
}

function describeInstance(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  instance: number,
): Pick<L1Rectangle, "label" | "madeBy"> {
  if (instance < 0) return { label: "intermediate", madeBy: "the op itself" };
  const value = fn.values[instance];
  if (value !== undefined) {
    const { definition } = value;
    return { label: value.name, madeBy: definition.kind === "result" ? describeOpOf(fn, definition.op) : "" };
  }
  const conversion = plan?.conversions[instance - fn.values.length];
  const source = fn.values[conversion?.value ?? -1]?.name ?? "";
  return { label: `copy of ${source}`, madeBy: conversion?.reason ?? "" };
}
