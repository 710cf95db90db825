// SPDX-License-Identifier: Apache-2.0
import type { CoreCoord } from "../../lib/layout/core_range.ts";
import type { WorkerGrid } from "../../lib/layout/make_layout.ts";
import { stepCores } from "../timeline/step_cores.ts";
import type { StepTimeline } from "../timeline/timeline.ts";

/** The three threads of a core's program. */
export type CoreThread = "reader" | "compute" | "writer";

/** A span in which one thread of one core is busy with an op, in µs of the function's clock. */
export interface CoreActivity {
  readonly core: CoreCoord;
  readonly thread: CoreThread;
  readonly startUs: number;
  readonly durationUs: number;
}

/**
 * Busy spans of a step's cores, in core order. The cost model times the slowest core, and every core of the
 * op is drawn like it. A reader starts with the kernel, a writer ends with it, and compute starts as late as
 * the reader's first block allows, so the overlaps show which thread is the bottleneck.
 */
export function coreActivity(step: StepTimeline, grid: WorkerGrid): readonly CoreActivity[] {
  const { read, compute, write } = step.estimate.terms;
  const clip = (microseconds: number) => Math.min(microseconds, step.deviceUs);
  const spans: { thread: CoreThread; startUs: number; durationUs: number }[] = [];
  const end = step.startUs + step.deviceUs;
  if (read > 0) spans.push({ thread: "reader", startUs: step.startUs, durationUs: clip(read) });
  if (compute > 0) {
    const latest = end - clip(compute);
    const startUs = read > 0 && write > 0 ? (step.startUs + latest) / 2 : read > 0 ? latest : step.startUs;
    spans.push({ thread: "compute", startUs, durationUs: clip(compute) });
  }
  if (write > 0) spans.push({ thread: "writer", startUs: end - clip(write), durationUs: clip(write) });
  return stepCores(step, grid).flatMap((core) => spans.map((span) => ({ core, ...span })));
}
