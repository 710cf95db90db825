// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { sameCoreRanges } from "../../layout/core_range.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { physicalExtent, roundUp } from "../../layout/make_layout.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import type { BufferKind, CircularBuffer } from "../circular_buffer.ts";
import { movedSteps, moveSteps, shardTransfer } from "./memory_move.ts";
import { PAD_BEHIND, padSteps } from "./pad.ts";
import {
  fitsRow,
  isPadded,
  type PageChange,
  type TilizeCut,
  tilizeCut,
  type UntilizeKernel,
  untilizeKernel,
} from "./tilize_cut.ts";
import { type ChainStep, chainStep } from "../launch_sequence.ts";
import { emptyRoom, type Room } from "../op_launch.ts";
import type { DeviceProgram, StreamProgram, StreamReader, TransferProgram } from "../program.ts";
import {
  bytesPerTile,
  fillsShards,
  interleavedCopy,
  isInShards,
  layoutOf,
  type ProgramTensor,
  programTensor,
  tiledTensor,
} from "../program_tensor.ts";
import type { TileWork } from "../program_work.ts";
import { type ShapedLayout, shardCores, type ShardExtent, shardExtent } from "../shard_spec.ts";
import { pageBuffer, streamProgram, tileBuffer, wholeTensor } from "../stream.ts";

/**
 * Columns of a face. Height shards of exactly one face are unpadded by a kernel of their own, through this many tiles
 * (`ttnn:backend-0-81-1`).
 */
const HALF_TILE = 16;

/** Relative time of tilizing f32, the slow path of the unpacker (published:ops-2, weights of RT-DETR). */
const WIDE_TILIZE = 12;

/**
 * Tilizes a row-major tensor. Shards of whole tiles are tilized in place; shard rows too long for one core's
 * buffers are gathered, and tilized, in DRAM (`ttnn:backend-0-81-1`).
 */
export function tilizeSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  room: Room = () => emptyRoom(chip),
): readonly ChainStep[] {
  if (isInShards(input) && !fitsRow({ input, output, chip, room })) {
    const gathered = interleavedCopy(input, "dram");
    const tilized = tiledTensor(output.shape, output.dataType, "dram");
    return [
      ...moveSteps(input, gathered, chip),
      chainStep(tilized, tilizeProgram(gathered, tilized, chip)),
      ...movedSteps(tilized, output, chip),
    ];
  }
  if (input.placement !== "l1_sharded" || input.memoryLayout !== "height_sharded" || !padsRows(output)) {
    return [chainStep(output, tilizing({ input, output, chip, room }))];
  }
  // Height shards are padded first, on their cores.
  const padded = inWholeTileRows(input);
  const tilized = tilizing({ input: padded, output, chip, room });
  return [...padSteps(input, padded, PAD_BEHIND, chip), chainStep(output, tilized, [padded])];
}

/** The rows of height shards with those that fill the last tiles. */
function inWholeTileRows(input: ProgramTensor): ProgramTensor {
  const { shape, dataType, shardShape } = input;
  return programTensor(
    { shape: shape.map((extent, dim) => dim < shape.length - 2 ? extent : roundUp(extent, 32)), dataType },
    { ...layoutOf(input), shardShape: shardShape.map((extent) => roundUp(extent, 32)) },
  );
}

/**
 * Whether row-major shards are tilized in place: into shards of the same kind, other than height shards only if rows fill
 * tiles (`ttnn:backend-0-81-1`).
 */
export function tilizesShards(input: ProgramTensor, output: ProgramTensor): boolean {
  return isInShards(input) && input.memoryLayout === output.memoryLayout &&
    (input.memoryLayout === "height_sharded" || !padsRows(output));
}

function tilizing({ input, output, chip, room }: PageChange): DeviceProgram {
  if (input.placement === "l1_sharded") {
    if (tilizesShards(input, output)) return shardConversion(input, output, []);
    if (input.memoryLayout === "height_sharded" && output.placement === "l1_interleaved") {
      return shardConversion(input, output, [pageBuffer("out", tileColumns(output.shape), output)]);
    }
  }
  return tilizeProgram(input, output, chip, room);
}

/**
 * Untilizes a tensor; block floats become bf16. Padding is removed on the way (`ttnn:backend-0-81-1`:
 * `UntilizeCodegen` between interleaved memories, `Untilize` with shards or 4-byte formats,
 * `UntilizeWithUnpadding`).
 */
export function untilizeSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  room: Room = () => emptyRoom(chip),
  kernel: UntilizeKernel = untilizeKernel({ input, output, chip, room }),
): readonly ChainStep[] {
  const program = input.placement === "l1_sharded"
    ? shardConversion(input, output, untilizedShard(input, output, kernel))
    : tilizeProgram(input, output, chip, room, kernel);
  return [chainStep(output, program)];
}

/**
 * Buffers of sharded tiles: a tile row of the shard, two if it has several, the whole result if it is padded.
 */
function untilizedShard(
  input: ProgramTensor,
  output: ProgramTensor,
  kernel: UntilizeKernel,
): readonly CircularBuffer[] {
  const [height = 1, width = 1] = input.shardShape;
  const out = (tiles: number) => tileBuffer("out", tiles, output.dataType);
  if (kernel === "unpadding") {
    const ofMatrix = Math.ceil((input.shape.at(-2) ?? 1) / 32);
    // A shard of whole matrices is unpadded one by one.
    const rows = height % ofMatrix === 0 ? ofMatrix : height;
    if (!isInShards(output)) return [out(2 * width)];
    return [out(isHalfTiles(output) ? HALF_TILE : 2 * width * rows)];
  }
  if (holdsSameShards(input, output)) return [];
  const rows = height === 1 ? 1 : 2;
  return [...fillsShards(input) ? [] : [pageBuffer("in0", rows * width, input)], out(rows * width)];
}

/**
 * The shard of a tiled tensor without its padding, on the same cores. Rows: height shards of two or more matrices keep
 * the rows of those that are whole in them, so a rest finds no room; others hold the rows of the tensor in equal
 * shares of whole tiles; block shards keep their padding. Columns: width and block shards keep theirs
 * (`ttnn:backend-0-81-1`).
 */
export function unpaddedShard({ shape, layout }: ShapedLayout): ShardExtent {
  const [rows, columns] = shardExtent(layout);
  const [height, width] = physicalExtent(shape, undefined);
  if (layout.memoryLayout === "width_sharded") return [height, columns];
  if (layout.memoryLayout !== "height_sharded") return [rows, columns];
  const ofMatrix = shape.at(-2) ?? 1;
  const matrices = Math.floor(rows / roundUp(ofMatrix, 32));
  return [
    matrices > 1 ? matrices * ofMatrix : roundUp(Math.ceil(height / shardCores(layout).count), 32),
    width,
  ];
}

/** Whether rows in height shards are left halves of tiles: a kernel of their own copies faces. */
function isHalfTiles({ shape, memoryLayout }: ProgramTensor): boolean {
  return memoryLayout === "height_sharded" && shape.at(-1) === HALF_TILE && (shape.at(-2) ?? 1) % 32 === 0;
}

/** Whether the shards of a tiled and a row-major tensor hold the same elements on the same cores. */
function holdsSameShards(tiled: ProgramTensor, rows: ProgramTensor): boolean {
  return tiled.memoryLayout === rows.memoryLayout && tiled.placement === rows.placement &&
    tiled.shardShape.every((tiles, axis) => tiles * 32 === rows.shardShape[axis]) &&
    sameCoreRanges(tiled.coreRanges, rows.coreRanges);
}

/** Tilizes or untilizes on the cores of one side's shards, in place or from or to another memory. */
export function shardConversion(
  input: ProgramTensor,
  output: ProgramTensor,
  circularBuffers: readonly CircularBuffer[],
): TransferProgram {
  const cores = Math.max(1, output.placement === "l1_sharded" ? output.shardCores : input.shardCores);
  const tiles = Math.ceil(Math.max(input.tiles, output.tiles) / cores);
  const tiled = input.tiled ? input : output;
  const rows = tiled.placement === "l1_sharded"
    ? tiled.shardShape[0] ?? 1
    : Math.ceil(tiled.extent[0] / 32 / cores);
  const resident = input.memoryLayout === output.memoryLayout && input.placement === output.placement &&
    sameCoreRanges(input.coreRanges, output.coreRanges);
  const source: ProgramTensor = input.placement === "l1_sharded"
    ? { ...output, placement: "l1_sharded" }
    : input;
  return {
    ...shardTransfer(source, output),
    circularBuffers,
    cores,
    compute: output.tiled
      ? [{ operation: "tilize", count: tiles }]
      : [{ operation: "untilize_row", count: rows }, { operation: "untilize", count: tiles }],
    moves: !resident,
  };
}

/**
 * Tilizes or untilizes by address, tile row by tile row. Barriers per tile row: the tiled side has one per tile (a writer
 * waits until the tile has left), the row-major side one. A tilize never holds two tile rows. Padding is written word by
 * word; if padding is removed, every row of elements has a write barrier (tt-metal:tilize-untilize,
 * `reader_unary_pad_dims_split_rows_multicore`, `writer_unary_stick_layout_split_rows_multicore`).
 *
 * @param kernel the untilize kernel; older backends have no generated one
 */
export function tilizeProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  room: Room = () => emptyRoom(chip),
  kernel: UntilizeKernel = untilizeKernel({ input, output, chip, room }),
): StreamProgram {
  const change = { input, output, chip, room };
  const cut = tilizeCut(change, kernel);
  const { inBlocks, cores, units, tilesPerUnit } = cut;
  const rowMajor = input.tiled ? output : input;
  const rowsOfTiles = Math.max(1, Math.ceil((input.tiled ? input : output).extent[0] / 32));
  const perCore = Math.ceil(units / cores);
  const unpads = !output.tiled && isPadded(rowMajor);
  const padded = 32 - Math.min(32, rowMajor.extent[0] / rowsOfTiles);
  return streamProgram({
    units,
    maxCores: cores,
    reads: [wholeTensor(input)],
    writes: [{ ...wholeTensor(output), flushesPages: output.tiled, scattered: !output.tiled }],
    compute: {
      work: output.tiled
        ? [{ operation: "tilize", count: tilesPerUnit * (output.dataType === "f32" ? WIDE_TILIZE : 1) }]
        : untilizing(tilesPerUnit),
      isSingleBuffered: output.tiled,
    },
    // The reader of a block has a barrier per row (published:ops-2: 470 cycles on Wormhole, 627 on
    // Blackhole).
    reader: output.tiled
      ? { barriers: inBlocks ? 32 - padded : 1, ...mostPadding(rowMajor, perCore, cut) }
      : { barriers: tilesPerUnit },
    writer: { barriers: unpads ? 0 : 1, rowWaits: unpads ? fullestSticks(rowMajor, perCore) : 0 },
    circularBuffers: tilizeBuffers(change, cut, kernel),
  }, chip);
}

/** Rows of elements per tile row on the core with the most; a matrix's last tile row is partial. */
function fullestSticks({ shape }: ProgramTensor, rowsOfTiles: number): number {
  const height = shape.at(-2) ?? 1;
  const perMatrix = Math.ceil(height / 32);
  const ragged = Math.floor(rowsOfTiles / perMatrix);
  return (32 * (rowsOfTiles - ragged) + (height - 32 * (perMatrix - 1)) * ragged) / rowsOfTiles;
}

/**
 * 4-byte words of padding per tile row on the core with the most, and their runs: all cores pad rows to whole
 * tiles; cores with a matrix's last tile row also pad it to 32 rows, in one run or, for blocks, row by row.
 */
function mostPadding(
  { shape, dataType }: ProgramTensor,
  rowsOfTiles: number,
  { inBlocks, tilesPerUnit }: TilizeCut,
): Pick<StreamReader, "paddingWords" | "paddingRuns"> {
  const [height, width] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  const perMatrix = Math.ceil(height / 32);
  const share = tilesPerUnit / tileColumns(shape);
  const behind = (tileColumns(shape) * 32 - width) * share;
  const rowsBelow = perMatrix * 32 - height;
  const ragged = Math.ceil(rowsOfTiles / perMatrix) / rowsOfTiles;
  return {
    paddingWords: (32 * behind + rowsBelow * width * share * ragged) * elementBytes(dataType) / 4,
    paddingRuns: (behind > 0 ? Math.min(32, height) : 0) +
      (inBlocks ? rowsBelow : Math.min(1, rowsBelow)) * ragged,
  };
}

/** Tiles of a row that the packer untilizes at once: half of its register. */
const PACKED_TILES = 8;

/** Compute work of untilizing a row of tiles. */
function untilizing(tiles: number): readonly TileWork[] {
  return [
    { operation: "untilize_row", count: 1 },
    { operation: tiles > PACKED_TILES ? "untilize_wide" : "untilize", count: tiles },
  ];
}

/** Whether the rows of a matrix do not fill its tiles. */
function padsRows({ shape }: ProgramTensor): boolean {
  return (shape.at(-2) ?? 1) % 32 !== 0;
}

/**
 * Buffers of tilize and untilize: as many tiles in as out; a tilize never holds two tile rows; blocks of rows
 * to tilize pass a scratchpad (`ttnn:backend-0-81-1`).
 */
function tilizeBuffers(
  { input, output, chip, room }: PageChange,
  { inBlocks, widths, units, cores }: TilizeCut,
  kernel: UntilizeKernel,
): readonly CircularBuffer[] {
  const generated = !output.tiled && kernel === "generated";
  const isDeep = !output.tiled && !inBlocks && kernel === "plain" && units > cores && cores > 1;
  const [rowsIn, rowsOut] = generated
    ? generatedRows(input, output, Math.max(...widths), room().besideResults)
    : isDeep
    ? [2, 2]
    : [1, 1];
  const buffer = (name: string, kind: BufferKind, bytesOf: (width: number) => number): CircularBuffer => {
    const sizes = widths.map(bytesOf);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return { name, kind, bytes, ...sizes.length > 1 ? { bytesOnCore: Math.max(...sizes) } : {} };
  };
  const kind = generated ? "circular" : "dataflow";
  return [
    buffer("in0", kind, (width) => rowsIn * width * bytesPerTile(input)),
    buffer("out", kind, (width) => rowsOut * width * bytesPerTile(output)),
    ...inBlocks && output.tiled
      ? [
        buffer("staging", "scratch", (width) =>
          32 * width * elementBytes(input.dataType) + 2 * chip.dramAlignment),
      ]
      : [],
  ];
}

/**
 * Rows of `width` tiles that the generated untilize kernel holds on either side: two, or one on one or both sides where
 * L1 is short; both sides are planned with the larger tile (`ttnn:backend-0-81-1`, `plan_cb_depths`).
 */
function generatedRows(
  input: ProgramTensor,
  output: ProgramTensor,
  width: number,
  bytes: number,
): readonly [number, number] {
  const rows = bytes / (width * Math.max(bytesPerTile(input), bytesPerTile(output)));
  if (rows >= 4) return [2, 2];
  return rows >= 3 ? [2, 1] : [1, 1];
}
