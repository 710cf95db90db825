// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { sameCoreRanges } from "../../layout/core_range.ts";
import { elementBytes, isBlockFloat } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import type { DeviceProgram, StreamProgram } from "../program.ts";
import {
  alignmentOf,
  bytesPerTile,
  fillsShards,
  inDram,
  isInShards,
  type ProgramTensor,
} from "../program_tensor.ts";
import type { PageStream } from "../program_work.ts";
import {
  pageBuffer,
  pageCopy,
  residentProgram,
  streamProgram,
  type StreamRequest,
  tileBuffer,
  wholeTensor,
  wholeTensors,
} from "../stream.ts";

/** Swaps of two dimensions with their own program: width/height, height/channels, channels/batch. */
export type DimensionExchange = "wh" | "hc" | "cn";

/** The pairs of swapped dimensions, out of four. */
export const EXCHANGED: Readonly<Record<DimensionExchange, readonly [number, number]>> = {
  wh: [2, 3],
  hc: [1, 2],
  cn: [0, 1],
};

/** The dimension order after swapping two. */
export function exchangedOrder(rank: number, [one, other]: readonly [number, number]): readonly number[] {
  return Array.from({ length: rank }, (_, dim) => dim === one ? other : dim === other ? one : dim);
}

/** `Transpose`: of tiles between any memories, of shards of whole matrices on their cores; of rows {@linkcode exchangeRows}. */
export function exchangeProgram(
  exchange: DimensionExchange,
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  if (!input.tiled) return exchangeRows(exchange, input, output, chip);
  const read = pageBuffer("in0", 2, input);
  switch (exchange) {
    case "wh": {
      if (!transposesShards(input, output)) return transposeTiles(input, output, chip);
      const count = Math.ceil(output.tiles / Math.max(1, output.shardCores));
      return residentProgram(output.shardCores, [{ operation: "transpose", count }], {});
    }
    case "hc": {
      const fills = (input.shape[1] ?? 1) % 32 !== 0;
      const padding = fills ? [{ name: "padding", bytes: 256 * unitBytes(input) }] : [];
      return tileShuffle(input, output, [read, ...padding], chip);
    }
    case "cn":
      return pageCopy([input], [output], { circularBuffers: [read] }, chip);
  }
}

/** Whether the last two dimensions are swapped within shards of 4D tensors (`ttnn:backend-0-81-1`). */
function transposesShards(input: ProgramTensor, output: ProgramTensor): boolean {
  const { memoryLayout, shape: [batch = 1, channels = 1, rows = 1], shardShape: [height = 0, width] } = input;
  if (memoryLayout !== "height_sharded" && memoryLayout !== "width_sharded") return false;
  const columns = tileColumns(input.shape);
  const isWhole = input.placement === "l1_sharded" && fillsShards(input) && width === columns;
  if (!isWhole || !isInShards(output) || !sameCoreRanges(input.coreRanges, output.coreRanges)) return false;
  const has = (high: number, wide: number) => output.shardShape[0] === high && output.shardShape[1] === wide;
  const down = Math.ceil(rows / 32);
  if (height % down === 0 && output.memoryLayout === memoryLayout && has(height / down * columns, down)) {
    return true;
  }
  return batch === 1 && channels === 1 && output.memoryLayout === "width_sharded" && has(columns, height);
}

/** Bytes of an element as padding buffers count them: 1 for block floats. */
function unitBytes({ dataType }: ProgramTensor): number {
  return isBlockFloat(dataType) ? 1 : elementBytes(dataType);
}

/** A `Permute`, in one program. */
interface Permutation {
  readonly input: ProgramTensor;
  readonly output: ProgramTensor;
  /** The input's dimensions in the order of the result's. */
  readonly order: readonly number[];
  readonly chip: ChipDescription;
}

/** `Permute`, in one program. @param order the input's dimensions in the order of the result's */
export function permutation(
  input: ProgramTensor,
  output: ProgramTensor,
  order: readonly number[],
  chip: ChipDescription,
): DeviceProgram {
  const permute = { input, output, order, chip };
  const rank = order.length;
  const [before, last] = [order.at(-2), order.at(-1)];
  const buffers = permuteBuffers(permute);
  if (last === rank - 1 && (before === rank - 2 || !input.tiled)) {
    return pageCopy([input], [output], { circularBuffers: buffers }, chip);
  }
  if (!input.tiled) return blockShuffle(permute, buffers);
  if (last === rank - 1) return tileShuffle(input, output, buffers, chip);
  return last === rank - 2 && before === rank - 1
    ? transposeTiles(input, output, chip)
    : permutedBlocks(permute, buffers);
}

/**
 * Buffers of `Permute`, two pages each: one if the last dimension stays, two for tiles if the second-last becomes the
 * last, three otherwise; plus half a tile row for padding (`ttnn:backend-0-81-1`).
 */
function permuteBuffers({ input, output, order, chip }: Permutation): readonly CircularBuffer[] {
  const rank = order.length;
  const last = order.at(-1);
  const element = unitBytes(input);
  if (!input.tiled && last === rank - 1) {
    const row = roundUp((input.shape.at(-1) ?? 1) * element, alignmentOf(input, chip));
    return [{ name: "in0", bytes: 2 * row }];
  }
  const permutes = last !== rank - 1 && last !== rank - 2;
  // Half rows that are shorter than a word of DRAM are read whole.
  const isApart = input.tiled && permutes && inDram(input);
  const excess = isApart ? Math.max(0, chip.dramAlignment - FACE_ROWS * element) : 0;
  const bytes = 2 * (bytesPerTile(input) + excess);
  const names = last === rank - 1
    ? ["in0"]
    : input.tiled && !permutes
    ? ["in0", "out"]
    : ["in0", "turned", "out"];
  const keepsMatrices = order.slice(-2).every((dim) => dim >= rank - 2);
  const fills = input.tiled && !keepsMatrices && (output.shape.at(-2) ?? 1) % 32 !== 0;
  return [
    ...names.map((name) => ({ name, bytes })),
    ...fills ? [{ name: "padding", bytes: 16 * element }] : [],
  ];
}

/**
 * Transposes the last two dimensions: the unpacker transposes every tile, which then moves to its new place.
 */
export function transposeTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  return streamProgram({
    units: output.tiles,
    ...wholeTensors(input, output),
    compute: { work: [{ operation: "transpose", count: 1 }] },
    circularBuffers: [pageBuffer("in0", 2, input), pageBuffer("out", 2, input)],
  }, chip);
}

/** Half rows of a tile: rows of a face, 16 elements each. */
export const HALF_ROWS: number = 64;

/** Rows of a face, which is a quarter of a tile. */
const FACE_ROWS = 16;

/**
 * Writes in half rows of tiles; the missing rows of the result's last tiles are written at the end by all cores: one write
 * per face.
 *
 * @param halfRows their number
 * @param scattered whether the writer waits for each address
 */
function halfRowWrites(
  output: ProgramTensor,
  halfRows: number,
  scattered: boolean,
  chip: ChipDescription,
): Pick<StreamRequest, "writes" | "minCores"> {
  const halfRow = output.pageBytes / HALF_ROWS;
  const written = { tensor: output, bytes: halfRows * halfRow, transactionBytes: halfRow, scattered };
  const rows = output.shape.at(-2) ?? 1;
  const missing = roundUp(rows, 32) - rows;
  if (missing === 0) return { writes: [written] };
  const bytes = output.tiles / Math.ceil(rows / 32) * missing * 2 * halfRow;
  const transactionBytes = missing * halfRow / (missing > FACE_ROWS ? 2 : 1);
  return {
    minCores: Math.min(workerCores(chip), output.tiles),
    writes: [written, { tensor: output, bytes, transactionBytes, afterUnits: true }],
  };
}

/**
 * Tiled permute with the last dimension in place: input tiles are written in half rows, one by one (tt-metal:permute,
 * `MultiCoreTileRowInvariant`; for transposes, `TransposeHCTiledInterleaved`).
 */
function tileShuffle(
  input: ProgramTensor,
  output: ProgramTensor,
  circularBuffers: readonly CircularBuffer[],
  chip: ChipDescription,
): StreamProgram {
  const rows = input.shape.at(-2) ?? 1;
  const rowsOut = input.tiles / Math.ceil(rows / 32) * rows;
  return streamProgram({
    units: input.tiles,
    circularBuffers,
    reads: [wholeTensor(input)],
    // L1 addresses are computed while the previous writes are in flight.
    ...halfRowWrites(output, rowsOut * 2, inDram(output), chip),
  }, chip);
}

/**
 * Tiled permute that moves the last dimension: 32x32 blocks of the old and the new last dimension are read in
 * half rows, padded where the new last dimension does not fill them, transposed, and written in half rows. A
 * padding half row is fetched as slowly as one that is copied (tt-metal:permute, `MultiCoreTiledGeneric`).
 */
function permutedBlocks(
  { input, output, order, chip }: Permutation,
  circularBuffers: readonly CircularBuffer[],
): StreamProgram {
  const halfRow = output.pageBytes / HALF_ROWS;
  const across = input.shape[order.at(-1) ?? 0] ?? 1;
  const along = input.shape.at(-1) ?? 1;
  const rows = volume(input.shape) / Math.max(1, across * along);
  const blocksAcross = Math.ceil(across / 32);
  const halves = Math.ceil(along / FACE_ROWS);
  const missing = (blocksAcross * 32 - across) * halves;
  const units = rows * blocksAcross * Math.ceil(along / 32);
  const [fetched, written] = [across * halves, along * Math.ceil(across / FACE_ROWS)];
  return streamProgram({
    units,
    circularBuffers,
    reads: [{ tensor: input, bytes: rows * fetched * halfRow }],
    reader: {
      copies: rows * fetched / units,
      paddingWords: rows * missing * halfRow / 4 / units,
      paddingRuns: rows * missing / units,
    },
    compute: { work: [{ operation: "transpose", count: 1 }] },
    ...halfRowWrites(output, rows * written, true, chip),
  }, chip);
}

/**
 * Row-major permute that moves the last dimension: 32x32 blocks of the old and the new last dimension are
 * read in row pieces, transposed as tiles, and written in row pieces (tt-metal:permute,
 * `MultiCoreBlockedGeneric`).
 */
function blockShuffle(
  { input, output, order, chip }: Permutation,
  circularBuffers: readonly CircularBuffer[],
): StreamProgram {
  const across = input.shape[order.at(-1) ?? 0] ?? 1;
  const along = input.shape.at(-1) ?? 1;
  const elements = volume(input.shape);
  const [blocksAcross, blocksAlong] = [Math.ceil(across / 32), Math.ceil(along / 32)];
  const units = elements / Math.max(1, across * along) * blocksAcross * blocksAlong;
  const element = input.bytes / Math.max(1, elements);
  // With one block per core the fullest block counts; with several, the mean.
  const fuller = (extent: number, blocks: number) =>
    units <= workerCores(chip) ? Math.min(32, extent) * blocks / extent : 1;
  const pieces = (tensor: ProgramTensor, extent: number, blocks: number, share: number): PageStream => ({
    tensor,
    bytes: tensor.bytes * share,
    transactionBytes: extent / blocks * element,
  });
  return streamProgram({
    units,
    reads: [pieces(input, along, blocksAlong, fuller(across, blocksAcross))],
    // Read rows are a stride apart; the address of each written row is computed from its indices.
    writes: [{ ...pieces(output, across, blocksAcross, fuller(along, blocksAlong)), scattered: true }],
    compute: {
      work: [
        { operation: "tilize", count: 1 },
        { operation: "transpose", count: 1 },
        { operation: "untilize_row", count: 1 },
        { operation: "untilize", count: 1 },
      ],
    },
    circularBuffers,
  }, chip);
}

/**
 * `Transpose` of a row-major tensor, page by page in any memory. Between shards of whole rows on the same cores
 * `hc` copies without buffers, and between shards of whole matrices `wh` transposes in each core
 * (`ttnn:backend-0-81-1`).
 */
function exchangeRows(
  exchange: DimensionExchange,
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  const [batch = 1, channels = 1, rows = 1, columns = 1] = input.shape;
  const stays = staysInShards(input, output) && holdsRows(input) && holdsRows(output);
  const stream = (units: number, circularBuffers: readonly CircularBuffer[], transposes = 0): DeviceProgram =>
    streamProgram({
      units,
      reads: [wholeTensor(input)],
      writes: [{ ...wholeTensor(output), scattered: true }],
      ...transposes > 0 ? { compute: { work: transposedTiles(transposes) } } : {},
      circularBuffers,
    }, chip);
  switch (exchange) {
    case "wh": {
      const [down, across] = [Math.ceil(rows / 32), Math.ceil(columns / 32)];
      // Two tile rows of input, the matrix, two tile columns of output.
      const [read, whole, written] = [
        tileBuffer("in0", 2 * across, input.dataType),
        tileBuffer("tilized", down * across, input.dataType),
        tileBuffer("out", 2 * down, input.dataType),
      ];
      const [height = 0, newHeight = 0] = [input.shardShape[0], output.shardShape[0]];
      if (!stays || height % rows !== 0 || newHeight % columns !== 0) {
        return stream(batch * channels, [read, written, whole], down * across);
      }
      const column = tileBuffer("turned", down, input.dataType);
      const buffers = down > MOST_TILES_HIGH ? [read, whole, column, written] : [read, whole];
      return residentProgram(input.shardCores, transposedTiles(Math.ceil(input.tiles / input.shardCores)), {
        circularBuffers: buffers.map((buffer) => ({ ...buffer, kind: "circular" })),
      });
    }
    case "hc": {
      if (stays) return residentProgram(input.shardCores, [], { copiedBytes: input.shardBytes });
      const units = batch * channels * rows;
      const page = Math.max(
        columns * elementBytes(input.dataType),
        ...[input, output].map((tensor) => roundUp(tensor.pageBytes, alignmentOf(tensor, chip))),
      );
      return stream(units, [{ name: "in0", bytes: Math.ceil(units / workerCores(chip)) * page }]);
    }
    case "cn": {
      // Whole rows, including the padding of the last shard.
      const row = roundUp(columns, input.shardShape.at(-1) ?? 1) * elementBytes(input.dataType);
      return stream(batch * channels * rows, [{ name: "in0", bytes: 2 * row }]);
    }
  }
}

function transposedTiles(count: number) {
  return [
    { operation: "tilize", count },
    { operation: "transpose", count },
    { operation: "untilize", count },
  ] as const;
}

/** Height in tiles up to which the kernel untilizes a whole tile column at once. */
const MOST_TILES_HIGH = 8;

/**
 * Whether operand and result are height or width sharded in whole tiles on the same cores, the operand
 * filling its shards.
 */
function staysInShards(input: ProgramTensor, output: ProgramTensor): boolean {
  const isLine = ({ placement, memoryLayout, shardShape: [height = 0, width = 0] }: ProgramTensor) =>
    placement === "l1_sharded" && memoryLayout !== "block_sharded" && height * width % 1024 === 0;
  return isLine(input) && isLine(output) && input.extent[0] % (input.shardShape[0] ?? 1) === 0 &&
    sameCoreRanges(input.coreRanges, output.coreRanges);
}

/** Whether shards hold whole rows. */
function holdsRows({ shape, shardShape }: ProgramTensor): boolean {
  return (shardShape.at(-1) ?? 0) >= (shape.at(-1) ?? 1);
}
