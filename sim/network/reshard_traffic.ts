// SPDX-License-Identifier: Apache-2.0
import { reshardClass } from "../../lib/layout/ttnn/reshard_class.ts";
import { reshardTransfers } from "../../lib/layout/ttnn/reshard_transfers.ts";
import { hostNode } from "../../lib/layout/ttnn/nodes.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { type ChipDescription, workerCores } from "../../lib/device/chip_description.ts";
import type { Flow } from "./traffic.ts";

/**
 * The flows of a layout change, one per source and destination, bytes that stay included (shards to shards: two). As in
 * tt-metal, the cores with the shards do the work. Pages to shards: each destination core reads (NoC0).
 * Shards to pages: each source core writes (NoC1). Shards to shards: each of the two data movement threads of
 * the destination core (source core, if DRAM receives) moves one half, on its own NoC.
 *
 * @returns `undefined` for equal places, host transfers, copies between interleaved buffers (any core may copy any page)
 *   and DRAM to DRAM
 */
export function reshardFlows(
  shape: readonly number[],
  from: TtnnLayout,
  to: TtnnLayout,
  chip: ChipDescription,
): readonly Flow[] | undefined {
  const { movement } = reshardClass(from, to);
  if (
    movement !== "reshard" && movement !== "interleaved_to_sharded" && movement !== "sharded_to_interleaved"
  ) {
    return undefined;
  }
  const cores = workerCores(chip);
  const host = hostNode(chip);
  const { source, destination, bytes, pages } = reshardTransfers(shape, from, to, chip);
  const flows: Flow[] = [];
  for (let entry = 0; entry < source.length; entry++) {
    const origin = source[entry] ?? 0;
    const target = destination[entry] ?? 0;
    const moved = bytes[entry] ?? 0;
    if (moved === 0) continue;
    const pull = movement !== "sharded_to_interleaved" && target < cores;
    // Neither side is a core (DRAM shards to DRAM pages): no program does that in one step.
    if (origin === host || target === host || (origin >= cores && target >= cores)) return undefined;
    const flow = {
      kind: pull ? "read" : "write",
      source: origin,
      destinations: [target],
      transactionBytes: Math.max(1, moved / (pages[entry] ?? 1)),
    } as const;
    if (movement === "reshard") {
      flows.push({ ...flow, noc: 0, bytes: moved / 2 }, { ...flow, noc: 1, bytes: moved / 2 });
    } else {
      flows.push({ ...flow, noc: pull ? 0 : 1, bytes: moved });
    }
  }
  return flows;
}
