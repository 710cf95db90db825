// SPDX-License-Identifier: Apache-2.0
import type { CoreRange } from "./core_range.ts";
import { type DataType, parseDataType } from "./data_type.ts";
import { LayoutError } from "./layout_error.ts";
import { makeLayout, type WorkerGrid } from "./make_layout.ts";
import {
  BUFFER_TYPES,
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

/** The words of a layout's spelling. */
export interface LayoutWords {
  readonly bufferType?: BufferType;
  readonly memoryLayout?: TensorMemoryLayout;
  readonly grid?: readonly number[];
  readonly pageLayout?: "row_major" | "tile";
  readonly dataType?: DataType;
}

/** An unknown word, or a second value for one property. The message continues a sentence whose subject is the option. */
export class LayoutWordError extends Error {
  override readonly name = "LayoutWordError";
}

/**
 * Reads the spelling of `describeLayout`, with short names and words in any order: `l1/height/8x1`,
 * `dram/interleaved`, `l1/block_sharded/2x4/row_major/bf16`. A grid of several rows and columns for shards that form a
 * line names their cores: `l1/width_sharded/8x8` are 64 shards on 8 rows of 8 cores. Shards without a memory are in
 * L1, anything else in DRAM; without a sharding a tensor on the device is interleaved.
 *
 * @example
 * ```ts ignore
 * parseLayoutWords("l1/width_sharded/8x8", { shape: [32, 4096], dataType: "bf16", tile: DEFAULT_TILE }, workerGrid);
 * ```
 *
 * @throws {LayoutWordError} for a word that means nothing, or says otherwise than one before it
 * @throws {LayoutError} for a layout that cannot exist
 */
export function parseLayoutWords(
  text: string,
  tensor: WordsFor,
  workerGrid: WorkerGrid,
  dramBanks?: number,
): TtnnLayout {
  const { bufferType, memoryLayout, grid, pageLayout, dataType = tensor.dataType } = readLayoutWords(text);
  if (bufferType === "l1_small" || bufferType === "trace") {
    throw new LayoutWordError(`does not know '${bufferType}'`);
  }
  const given = pageLayout === "row_major" ? null : tensor.tile ?? null;
  const tile = pageLayout === "tile" ? given ?? DEFAULT_TILE : given;
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

/**
 * The words of {@linkcode parseLayoutWords} one by one; every memory is known.
 *
 * @throws {LayoutWordError} as there
 */
export function readLayoutWords(text: string): LayoutWords {
  let words: LayoutWords = {};
  const told = new Map<string, string>();
  for (const word of text.split(/[/:]/)) {
    const tell = (kind: string, more: LayoutWords): void => {
      const before = told.get(kind) ?? word;
      if (before !== word) throw new LayoutWordError(`takes one ${kind}, not '${before}' and '${word}'`);
      told.set(kind, word);
      words = { ...words, ...more };
    };
    const bufferType = BUFFER_TYPES.find((known) => known === word || `${word}_memory` === known);
    const sharding = /^(interleaved|height|width|block|nd)(?:_sharded)?$/.exec(word)?.[1];
    const dataType = parseDataType(word);
    if (bufferType !== undefined) tell("memory", { bufferType });
    else if (sharding !== undefined) tell("sharding", { memoryLayout: memoryLayoutOf(sharding) });
    else if (/^\d+(x\d+)+$/.test(word)) tell("grid", { grid: word.split("x").map(Number) });
    else if (word === "row_major" || word === "tile") tell("kind of pages", { pageLayout: word });
    else if (dataType !== undefined) tell("format", { dataType });
    else throw new LayoutWordError(`does not know '${word}'`);
  }
  return words;
}

/** Memory layout of a sharding's short name; `interleaved` for any other. */
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
