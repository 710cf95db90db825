// SPDX-License-Identifier: Apache-2.0
import type { CoreRange } from "../../lib/layout/core_range.ts";
import { type DataType, parseDataType } from "../../lib/layout/data_type.ts";
import { makeLayout, type WorkerGrid } from "../../lib/layout/make_layout.ts";
import {
  BUFFER_TYPES,
  DEFAULT_TILE,
  isSharded,
  type TensorMemoryLayout,
  type TtnnLayout,
} from "../../lib/layout/ttnn_layout.ts";
import type { RecordedResult } from "./recorded_answer.ts";

/** A code of a recorded row that makes no sense. */
export class CodeError extends Error {
  override readonly name = "CodeError";
}

const MEMORY_CODES: Readonly<Record<TensorMemoryLayout, string>> = {
  interleaved: "i",
  height_sharded: "h",
  width_sharded: "w",
  block_sharded: "b",
  nd_sharded: "nd",
};

const MEMORIES: ReadonlyMap<string, TensorMemoryLayout> = new Map([
  ["i", "interleaved"],
  ["h", "height_sharded"],
  ["w", "width_sharded"],
  ["b", "block_sharded"],
  ["nd", "nd_sharded"],
]);

/** `0,0-7,7+0,8-2,8`. */
export function coresCode(ranges: readonly CoreRange[]): string {
  return ranges.map(({ start, end }) => `${start.x},${start.y}-${end.x},${end.y}`).join("+");
}

/** @throws {CodeError} if the code makes no sense */
export function readCores(code: string): readonly CoreRange[] {
  return code.split("+").map((range) => {
    const match = /^(\d+),(\d+)-(\d+),(\d+)$/.exec(range);
    if (match === null) throw new CodeError(`no range of cores: '${range}'`);
    const [, x0, y0, x1, y1] = match.map(Number);
    return { start: { x: x0 ?? 0, y: y0 ?? 0 }, end: { x: x1 ?? 0, y: y1 ?? 0 } };
  });
}

/**
 * A layout in a few words: `dram i tile bf16`, `l1 b row f32 7x8 448x32 0,0-7,6` (grid, shard in units of the memref,
 * cores); a hint whose grid and shard the backend is to choose ends in `?`.
 */
export function layoutCode(layout: TtnnLayout): string {
  const words = [
    layout.bufferType,
    layout.memoryLayout === undefined ? "-" : MEMORY_CODES[layout.memoryLayout],
    layout.tile === undefined ? "row" : "tile",
    layout.dataType,
  ];
  if (isSharded(layout)) {
    words.push(layout.gridShape.join("x"), layout.shardShape.join("x"), coresCode(layout.coreRanges));
  }
  if (layout.ignorePhysicalLayout) words.push("?");
  return words.join(" ");
}

/**
 * The layout of a tensor by its code.
 *
 * @throws {CodeError} if the code makes no sense
 * @throws {LayoutError} if no tensor of the shape can have it
 */
export function readLayoutCode(code: string, shape: readonly number[], workers: WorkerGrid): TtnnLayout {
  const [buffer, memory = "", page, format = "", grid, shard, cores] = code.split(" ");
  const bufferType = BUFFER_TYPES.find((name) => name === buffer);
  const dataType: DataType | undefined = parseDataType(format);
  const memoryLayout = MEMORIES.get(memory);
  if (bufferType === undefined || dataType === undefined || (memoryLayout === undefined && memory !== "-")) {
    throw new CodeError(`no layout: '${code}'`);
  }
  const tile = page === "tile" ? DEFAULT_TILE : undefined;
  const ignorePhysicalLayout = code.endsWith(" ?");
  if (memoryLayout === undefined || memoryLayout === "interleaved") {
    const layout = makeLayout({ shape, dataType, tile: tile ?? null, bufferType, memoryLayout }, workers);
    return { ...layout, ignorePhysicalLayout };
  }
  if (grid === undefined || shard === undefined || cores === undefined) {
    throw new CodeError(`a sharded layout without grid, shard and cores: '${code}'`);
  }
  return {
    bufferType,
    memoryLayout,
    dataType,
    tile,
    gridShape: extents(grid),
    shardShape: extents(shard),
    coreRanges: readCores(cores),
    shardOrientation: "row_major",
    ignorePhysicalLayout,
  };
}

/** `2x3` as numbers. @throws {CodeError} if it is none */
export function extents(code: string): readonly number[] {
  const numbers = code.split("x").map(Number);
  if (!numbers.every(Number.isInteger)) throw new CodeError(`no extents: '${code}'`);
  return numbers;
}

/** A result in a few words: `l1 b tile bf16 64x96 0,0-7,6`; the shard counts elements. */
export function resultCode({ bufferType, memoryLayout, tiled, dataType, shards }: RecordedResult): string {
  const memory = Object.entries(MEMORY_CODES).find(([name]) => name === memoryLayout)?.[1] ?? memoryLayout;
  const words = [bufferType, memory, tiled ? "tile" : "row", dataType];
  if (shards !== undefined) words.push(shards.extent.join("x"), coresCode(shards.cores));
  return words.join(" ");
}

/** @throws {CodeError} if the code makes no sense */
export function readResultCode(code: string): RecordedResult {
  const [bufferType = "", memory = "", page, dataType = "", extent, cores] = code.split(" ");
  return {
    bufferType,
    memoryLayout: MEMORIES.get(memory) ?? memory,
    dataType,
    tiled: page === "tile",
    shards: extent === undefined || cores === undefined
      ? undefined
      : { extent: extents(extent), cores: readCores(cores) },
  };
}
