// SPDX-License-Identifier: Apache-2.0
import { reshardClass } from "../../lib/layout/reshard_class.ts";
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { StepTimeline } from "../timeline/timeline.ts";

const MOVEMENTS = {
  none: "CopyDeviceOperation",
  host: "CopyDeviceOperation",
  to_device: "CopyDeviceOperation",
  from_device: "CopyDeviceOperation",
  copy: "CopyDeviceOperation",
  interleaved_to_sharded: "InterleavedToShardedDeviceOperation",
  sharded_to_interleaved: "ShardedToInterleavedDeviceOperation",
  reshard: "ReshardDeviceOperation",
} as const;

/**
 * The profiler's op code of a step: tt-metal's device operation where it is known, else the op's own name in its
 * spelling. Host work carries the mark `(torch)`, by which tt-perf-report knows it.
 */
export function deviceOperation(step: StepTimeline): string {
  if (step.bound === "HOST") return `${step.name} (torch)`;
  const [from] = step.inputLayouts;
  const [to] = step.outputLayouts;
  const { changesLayout, deviceOperation } = COST_CLASSES[step.costClass];
  if (changesLayout && from !== undefined && to !== undefined) {
    const { movement, pages } = reshardClass(from, to);
    if (pages === "tilize") return "TilizeDeviceOperation";
    if (pages === "untilize") return "UntilizeDeviceOperation";
    return MOVEMENTS[movement];
  }
  return definitionOf(step.name).deviceOperation ?? deviceOperation ??
    `${pascalCase(step.name)}DeviceOperation`;
}

function pascalCase(name: string): string {
  return name.replace(/^.*\./, "").split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
