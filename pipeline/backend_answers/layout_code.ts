// SPDX-License-Identifier: Apache-2.0
import { type CoreRange, sameCoreRanges } from "../../lib/layout/core_range.ts";
import { type DataType, parseDataType } from "../../lib/layout/data_type.ts";
import { sameExtents } from "../../lib/layout/extents.ts";
import { LayoutError } from "../../lib/layout/layout_error.ts";
import { makeLayout, type WorkerGrid } from "../../lib/layout/make_layout.ts";
import {
  BUFFER_TYPES,
  DEFAULT_TILE,
  isSharded,
  TENSOR_MEMORY_LAYOUTS,
  type TensorMemoryLayout,
  type TtnnLayout,
} from "../../lib/layout/ttnn_layout.ts";
import type { RecordedResult } from "./recorded_answer.ts";

/** An invalid code in a recorded row. */
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

const MEMORIES: ReadonlyMap<string, TensorMemoryLayout> = new Map(
  TENSOR_MEMORY_LAYOUTS.map((memory) => [MEMORY_CODES[memory], memory]),
);

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
 * The layout of a tensor as a code: `bf16 dram`, `f32/row l1`, `bf16 l1:b 7x8` (grid). Shards that do not
 * follow from shape and grid are spelled out, in memref units and with their cores: `bf16 l1:h 2x1 9x4
 * 0,0-0,1`. `col` follows column-major shards; `?` at the end marks a hint whose grid and shard the backend chooses.
 */
export function layoutCode(layout: TtnnLayout, shape: readonly number[], workers: WorkerGrid): string {
  const memory = layout.memoryLayout ?? "interleaved";
  const words = [
    layout.tile === undefined ? `${layout.dataType}/row` : layout.dataType,
    memory === "interleaved" ? layout.bufferType : `${layout.bufferType}:${MEMORY_CODES[memory]}`,
  ];
  if (isSharded(layout)) {
    words.push(layout.gridShape.join("x"));
    const usual = usualLayout(layout, shape, workers);
    if (
      usual === undefined || !sameExtents(usual.shardShape, layout.shardShape) ||
      !sameCoreRanges(usual.coreRanges, layout.coreRanges)
    ) words.push(layout.shardShape.join("x"), coresCode(layout.coreRanges));
    if (layout.shardOrientation === "col_major") words.push("col");
  }
  if (layout.ignorePhysicalLayout) words.push("?");
  return words.join(" ");
}

/** The layout that follows from shape and grid; `undefined` if none does. */
function usualLayout(
  { dataType, tile, bufferType, memoryLayout, gridShape, shardOrientation }: TtnnLayout,
  shape: readonly number[],
  workers: WorkerGrid,
): TtnnLayout | undefined {
  try {
    const grid = gridShape;
    return makeLayout(
      { shape, dataType, tile: tile ?? null, bufferType, memoryLayout, grid, shardOrientation },
      workers,
      MOST_BANKS,
    );
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** As many DRAM banks as any bundled chip has at most; the banks of shards do not depend on their number. */
const MOST_BANKS = 12;

/**
 * The layout of a tensor by its code.
 *
 * @throws {CodeError} if the code makes no sense
 * @throws {LayoutError} if no tensor of the shape can have it
 */
export function readLayoutCode(code: string, shape: readonly number[], workers: WorkerGrid): TtnnLayout {
  const ignorePhysicalLayout = code.endsWith(" ?");
  const words = code.replace(/ \?$/, "").split(" ");
  const shardOrientation = words.at(-1) === "col" ? "col_major" : "row_major";
  const [format = "", place = "", grid, shard, cores] = words.filter((word) => word !== "col");
  const [type = "", page] = format.split("/");
  const [buffer, memory = "i"] = place.split(":");
  const bufferType = BUFFER_TYPES.find((name) => name === buffer);
  const dataType: DataType | undefined = parseDataType(type);
  const memoryLayout = bufferType === "system_memory" ? undefined : MEMORIES.get(memory);
  if (
    bufferType === undefined || dataType === undefined ||
    (memoryLayout === undefined && bufferType !== "system_memory")
  ) throw new CodeError(`no layout: '${code}'`);
  const tile = page === "row" ? null : DEFAULT_TILE;
  const asked = grid === undefined ? {} : { grid: extents(grid) };
  if (shard === undefined || cores === undefined) {
    const layout = makeLayout(
      { shape, dataType, tile, bufferType, memoryLayout, shardOrientation, ...asked },
      workers,
      MOST_BANKS,
    );
    return { ...layout, ignorePhysicalLayout };
  }
  return {
    bufferType,
    memoryLayout,
    dataType,
    tile: tile ?? undefined,
    gridShape: asked.grid ?? [],
    shardShape: extents(shard),
    coreRanges: readCores(cores),
    shardOrientation,
    ignorePhysicalLayout,
  };
}

/** `2x3` as numbers. @throws {CodeError} if it is none */
export function extents(code: string): readonly number[] {
  const numbers = code.split("x").map(Number);
  if (!numbers.every(Number.isInteger)) throw new CodeError(`no extents: '${code}'`);
  return numbers;
}

/** A result in a few words: `bf16 l1:b 64x96 0,0-7,6`; the shard counts elements. */
export function resultCode({ bufferType, memoryLayout, tiled, dataType, shards }: RecordedResult): string {
  const memory = Object.entries(MEMORY_CODES).find(([name]) => name === memoryLayout)?.[1] ?? memoryLayout;
  const words = [
    tiled ? dataType : `${dataType}/row`,
    memory === "i" ? bufferType : `${bufferType}:${memory}`,
  ];
  if (shards !== undefined) words.push(shards.extent.join("x"), coresCode(shards.cores));
  return words.join(" ");
}

/** The result of a code. @throws {CodeError} if its extents or cores make no sense */
export function readResultCode(code: string): RecordedResult {
  const [format = "", place = "", extent, cores] = code.split(" ");
  const [dataType = "", page] = format.split("/");
  const [bufferType = "", memory = "i"] = place.split(":");
  return {
    bufferType,
    memoryLayout: MEMORIES.get(memory) ?? memory,
    dataType,
    tiled: page !== "row",
    shards: extent === undefined || cores === undefined
      ? undefined
      : { extent: extents(extent), cores: readCores(cores) },
  };
}
