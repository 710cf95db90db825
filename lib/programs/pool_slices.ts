// SPDX-License-Identifier: Apache-2.0
import { rowElementBytes } from "../layout/data_type.ts";
import { isRefused, type Refused, refused } from "./refused.ts";
import {
  automaticConfig,
  isMean,
  kernelBytes,
  type MeanPool,
  planPool,
  type PoolRequest,
  shardsOf,
  type WindowPool,
} from "./pool_plan.ts";
import { elementShard, shardedTensor } from "./sharded_tensor.ts";
import { automaticSlices, partsOf, type Slicing, type WindowPart } from "./sliced_window.ts";
import { coreBounds, haloSticks, inputPixels } from "./sliding_window.ts";

/** A pool that reads DRAM and writes DRAM, slice by slice. */
export interface SlicedPool {
  readonly kind: "sliced";
  readonly request: PoolRequest;
  /** Each reads its part of the operand. */
  readonly slices: readonly WindowPool[];
}

/** How a pool runs. */
export type PoolRoute = WindowPool | MeanPool | SlicedPool;

/**
 * How the backend runs a pool: an operand in DRAM whose shards do not fit beside the live tensors is read slice by slice
 * (`ttnn:backend-0-81-1`). Pools with indices are not cut.
 *
 * @param freeBytes L1 per core beside the live tensors; asked only of operands in DRAM
 */
export function routePool(
  request: PoolRequest,
  hasIndices: boolean,
  freeBytes: () => number,
): PoolRoute | Refused {
  if (request.input.placement !== "dram_interleaved" || hasIndices || isMean(request)) {
    return planPool(request);
  }
  const whole = planPool(request);
  if (isRefused(whole) && whole.refused !== "pages") return whole;
  const slicing = automaticSlices<Refused>(
    { window: request.window, transposed: false },
    "row_major",
    (part) => bytesOfPart(request, part),
    freeBytes(),
  );
  if (slicing === undefined) {
    return refused("dram-slices", `no number of slices fits into ${freeBytes()} B of L1 per core`);
  }
  if (isRefused(slicing)) return slicing;
  return slicing.count === 1 ? whole : planSlices(request, slicing);
}

/** Shortest row of a shard, in bytes, with which a result counts beside the operand. */
const COUNTED_ROW = 32;

/**
 * L1 per core that the backend expects of a part: its shards or the kernel's buffers and result, beside the halo. Where
 * windows move over a single image by one pixel, all of it counts at once: an observation, whose reason is not known.
 */
function bytesOfPart(request: PoolRequest, { window }: WindowPart): number {
  const part = { ...request, window };
  const config = automaticConfig(part);
  const [rows, columns] = elementShard(shardsOf(part, config));
  const row = columns * rowElementBytes("bf16");
  const halo = haloSticks(coreBounds({ window, transposed: false }, config.rows, 1)) * row;
  const kernel = kernelBytes(part, config, row);
  const isSum = window.batch === 1 && window.strideHeight === 1 && window.strideWidth === 1 &&
    row >= COUNTED_ROW;
  return halo + (isSum ? rows * row + kernel : Math.max(rows * row, kernel));
}

function planSlices(request: PoolRequest, slicing: Slicing): SlicedPool | Refused {
  const slices: WindowPool[] = [];
  for (const { window } of partsOf({ window: request.window, transposed: false }, slicing, "row_major")) {
    const part = { ...request, window, reallocatesHalo: true };
    const config = automaticConfig(part);
    const shape = [1, 1, inputPixels(window), window.inChannels];
    const input = shardedTensor(
      { shape, dataType: "bf16", tiled: false },
      config,
      elementShard(shardsOf(part, config)),
    );
    const plan = planPool({ ...part, input });
    if (isRefused(plan)) return plan;
    if (plan.kind === "windows") slices.push(plan);
  }
  return { kind: "sliced", request, slices };
}
