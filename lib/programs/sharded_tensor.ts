// SPDX-License-Identifier: Apache-2.0
import { sameCoreRanges } from "../layout/core_range.ts";
import type { DataType } from "../layout/data_type.ts";
import { sameExtents } from "../layout/extents.ts";
import { DEFAULT_TILE, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { type ParallelConfig, shardGrid } from "./parallel_config.ts";
import { inDram, interleavedTensor, type ProgramTensor, programTensor } from "./program_tensor.ts";

/** A tensor that a sliding window op puts into shards. */
export interface ShardedContent {
  readonly shape: readonly number[];
  readonly dataType: DataType;
  readonly tiled: boolean;
}

/** Layout of a tensor in shards in L1. @param shard `[rows, columns]` in elements; whole tiles if tiled */
export function shardedLayout(
  { dataType, tiled }: Pick<ShardedContent, "dataType" | "tiled">,
  config: ParallelConfig,
  shard: readonly [number, number],
): TtnnLayout {
  return {
    bufferType: "l1",
    memoryLayout: config.kind,
    dataType,
    tile: tiled ? DEFAULT_TILE : undefined,
    gridShape: shardGrid(config),
    shardShape: tiled ? shard.map((extent) => Math.ceil(extent / 32)) : shard,
    coreRanges: config.coreRanges,
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  };
}

/** A tensor in shards in L1, see {@linkcode shardedLayout}. */
export function shardedTensor(
  content: ShardedContent,
  config: ParallelConfig,
  shard: readonly [number, number],
): ProgramTensor {
  return programTensor(content, shardedLayout(content, config, shard));
}

/** Shard `[rows, columns]` of a tensor in elements. @throws {RangeError} if it has no shards of two dimensions */
export function elementShard(
  { shardShape: [rows, columns], tiled }: Pick<ProgramTensor, "shardShape" | "tiled">,
): readonly [number, number] {
  if (rows === undefined || columns === undefined) throw new RangeError("The tensor is not in shards");
  const unit = tiled ? 32 : 1;
  return [rows * unit, columns * unit];
}

/** Whether two layouts put the same shards on the same cores of a memory, whatever their pages and formats are. */
export function sameShardSpec(a: TtnnLayout, b: TtnnLayout): boolean {
  const shardOf = ({ shardShape, tile }: TtnnLayout) =>
    elementShard({ shardShape, tiled: tile !== undefined });
  return a.bufferType === b.bufferType && a.memoryLayout === b.memoryLayout &&
    sameCoreRanges(a.coreRanges, b.coreRanges) && sameExtents(shardOf(a), shardOf(b));
}

/** The same tensor in tiles, in its own memory and shards. */
export function inTiles(tensor: ProgramTensor): ProgramTensor {
  const { shape, dataType, memoryLayout, coreRanges } = tensor;
  const { gridShape: [rows = 1, columns = 1] } = tensor;
  if (
    memoryLayout === "height_sharded" || memoryLayout === "block_sharded" || memoryLayout === "width_sharded"
  ) {
    const content = { shape, dataType, tiled: true };
    return shardedTensor(content, { kind: memoryLayout, coreRanges, rows, columns }, elementShard(tensor));
  }
  return interleavedTensor(shape, dataType, inDram(tensor) ? "dram" : "l1", { height: 32, width: 32 });
}
