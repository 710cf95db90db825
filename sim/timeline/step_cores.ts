// SPDX-License-Identifier: Apache-2.0
import { type CoreCoord, walkCores } from "../../lib/layout/core_range.ts";
import { gridCores, type WorkerGrid } from "../../lib/layout/make_layout.ts";
import { isSharded } from "../../lib/layout/ttnn_layout.ts";
import type { StepTimeline } from "./timeline.ts";

/** Cores that a step runs on: those of its sharded result or operand, else the first ones row by row. */
export function stepCores(
  step: Pick<StepTimeline, "estimate" | "inputLayouts" | "outputLayouts">,
  grid: WorkerGrid,
): readonly CoreCoord[] {
  const count = step.estimate.cores;
  const sharded = [...step.outputLayouts, ...step.inputLayouts].find((layout) =>
    layout !== undefined && layout.bufferType === "l1" && isSharded(layout) && layout.coreRanges.length > 0
  );
  const cores = walkCores(sharded?.coreRanges ?? []);
  if (cores.length >= count) return cores.slice(0, count);
  return Array.from({ length: Math.min(count, gridCores(grid)) }, (_, index) => ({
    x: index % grid.columns,
    y: Math.floor(index / grid.columns),
  }));
}
