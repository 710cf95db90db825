// SPDX-License-Identifier: Apache-2.0
import { physicalExtent } from "../../../lib/layout/make_layout.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { dataTypeIn, placeIn } from "../measured_ops/texts.ts";
import { DRAM, type PlacedTensor } from "../op_question.ts";
import type { ProfiledTensor } from "./profiled_op.ts";

/** A placed profiled tensor. Shards that the profile does not print are spread over the cores of the op. */
export function placedTensor(tensor: ProfiledTensor, cores: number, chip: MeasuredChip): PlacedTensor {
  const { shape, tiled, dtype, memory, shardShape } = tensor;
  const dataType = dataTypeIn(dtype.replace(/^i32$/, "int32").replace(/^u/, "uint")) ?? "bf16";
  const page = tiled ? {} : { tile: null };
  const bufferType = /dram/i.test(memory) ? "dram" : "l1";
  const layout = /(height|width|block)_?\s?sharded/i.exec(memory)?.[1]?.toLowerCase();
  if (layout === undefined) {
    return { shape, dataType, place: { ...placeIn(memory, DRAM, undefined, chip), ...page } };
  }
  const [rows, columns] = physicalExtent(shape, tiled ? { height: 32, width: 32 } : undefined);
  const [alongRows, alongColumns] = shardShape === undefined
    ? spread(layout, bufferType === "dram" ? chip.dramBanks : cores, [rows, columns], chip)
    : [Math.ceil(rows / shardShape[0]), Math.ceil(columns / shardShape[1])];
  const base = { bufferType, ...page } as const;
  switch (layout) {
    case "height":
      return { shape, dataType, place: { ...base, memoryLayout: "height_sharded", grid: [alongRows, 1] } };
    case "width":
      return { shape, dataType, place: { ...base, memoryLayout: "width_sharded", grid: [1, alongColumns] } };
    default: {
      const grid = [alongRows, alongColumns];
      return { shape, dataType, place: { ...base, memoryLayout: "block_sharded", grid } };
    }
  }
}

/**
 * Shards along rows and columns of so many cores; blocks where the fewest elements are padding, on the tallest grid that
 * has so few.
 */
function spread(
  layout: string,
  cores: number,
  [height, width]: readonly [number, number],
  chip: MeasuredChip,
): readonly [number, number] {
  if (layout === "height") return [cores, 1];
  if (layout === "width") return [1, cores];
  let best: readonly [number, number] = [cores, 1];
  let fewest = Infinity;
  for (let rows = Math.min(chip.rows, cores); rows >= 1; rows--) {
    const columns = cores / rows;
    if (!Number.isInteger(columns) || columns > chip.columns) continue;
    const tilesPerShard = Math.ceil(height / 32 / rows) * Math.ceil(width / 32 / columns);
    if (tilesPerShard < fewest) [best, fewest] = [[rows, columns], tilesPerShard];
  }
  return best;
}
