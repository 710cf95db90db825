// SPDX-License-Identifier: Apache-2.0
import type { CoreRange } from "./core_range.ts";
import { type DataType, parseDataType } from "./data_type.ts";
import { LayoutError } from "./layout_error.ts";
import { makeLayout, type WorkerGrid } from "./make_layout.ts";
import {
  type BufferType,
  DEFAULT_TILE,
  type TensorMemoryLayout,
  type TileShape,
  type TtnnLayout,
} from "./ttnn_layout.ts";

/** Defaults for words that a layout's spelling omits. */
export interface WordsFor {
  readonly shape: readonly number[];
  readonly dataType: DataType;
  /** `undefined` for row-major pages. */
  readonly tile: TileShape | undefined;
}

export class UnknownLayoutWord extends Error {
  override readonly name = "UnknownLayoutWord";
}

/**
 * Reads the spelling of `describeLayout`, with short names and words in any order: `l1/height/8x1`,
 * `dram/interleaved`, `l1/block_sharded/2x4/row_major/bf16`. A grid of several rows and columns for shards that form a
 * line names their cores: `l1/width_sharded/8x8` are 64 shards on 8 rows of 8 cores.
 *
 * @example
 * ```ts ignore
 * parseLayoutWords("l1/width_sharded/8x8", { shape: [32, 4096], dataType: "bf16", tile: DEFAULT_TILE }, workerGrid);
 * ```
 *
 * @throws {UnknownLayoutWord} for a word that means nothing
 * @throws {LayoutError} for a layout that cannot exist
 */
export function parseLayoutWords(
  text: string,
  tensor: WordsFor,
  workerGrid: WorkerGrid,
  dramBanks?: number,
): TtnnLayout {
  let bufferType: BufferType | undefined;
  let memoryLayout: TensorMemoryLayout | undefined;
  let grid: readonly number[] | undefined;
  let tile: TileShape | null = tensor.tile ?? null;
  let dataType = tensor.dataType;
  for (const word of text.split(/[/:]/)) {
    const sharding = /^(interleaved|height|width|block|nd)(?:_sharded)?$/.exec(word)?.[1];
    const format = parseDataType(word);
    if (word === "l1" || word === "dram") bufferType = word;
    else if (word === "system" || word === "system_memory") bufferType = "system_memory";
    else if (sharding !== undefined) memoryLayout = memoryLayoutOf(sharding);
    else if (/^\d+(x\d+)+$/.test(word)) grid = word.split("x").map(Number);
    else if (word === "row_major") tile = null;
    else if (word === "tile") tile = tensor.tile ?? DEFAULT_TILE;
    else if (format !== undefined) dataType = format;
    else throw new UnknownLayoutWord(word);
  }
  const isPlain = memoryLayout === undefined || memoryLayout === "interleaved";
  return makeLayout(
    {
      shape: tensor.shape,
      dataType,
      tile,
      bufferType: bufferType ?? (isPlain ? "dram" : "l1"),
      memoryLayout: bufferType === "system_memory" ? memoryLayout : memoryLayout ?? "interleaved",
      ...(grid === undefined ? {} : gridOf(memoryLayout, grid, workerGrid)),
    },
    workerGrid,
    dramBanks,
  );
}

/** Memory layout of a sharding's short name. */
export function memoryLayoutOf(sharding: string): TensorMemoryLayout {
  switch (sharding) {
    case "height":
      return "height_sharded";
    case "width":
      return "width_sharded";
    case "block":
      return "block_sharded";
    case "nd":
      return "nd_sharded";
    default:
      return "interleaved";
  }
}

function gridOf(
  memoryLayout: TensorMemoryLayout | undefined,
  grid: readonly number[],
  workerGrid: WorkerGrid,
): { readonly grid: readonly number[]; readonly coreRanges?: readonly CoreRange[] } {
  const [rows = 1, columns = 1] = grid;
  const isLine = memoryLayout === "height_sharded" || memoryLayout === "width_sharded";
  if (!isLine || grid.length !== 2 || rows === 1 || columns === 1) return { grid };
  if (rows > workerGrid.rows || columns > workerGrid.columns) {
    throw new LayoutError(
      "grid/exceeds-worker-grid",
      `Cannot place shards on ${rows}x${columns} cores: the worker grid is ${workerGrid.rows}x${workerGrid.columns}`,
    );
  }
  const shards = rows * columns;
  return {
    grid: memoryLayout === "height_sharded" ? [shards, 1] : [1, shards],
    coreRanges: [{ start: { x: 0, y: 0 }, end: { x: columns - 1, y: rows - 1 } }],
  };
}
