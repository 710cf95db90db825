// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { type DataType, elementBytes, tileBytes } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { VectorFunction } from "../../ops/definition.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { type ChainStep, chainStep } from "../launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import {
  type DeviceProgram,
  inOrder,
  NO_PROGRAMS,
  type OpPrograms,
  type ResidentProgram,
  type StreamProgram,
} from "../program.ts";
import {
  byAddress,
  bytesPerTile,
  isInShards,
  memoryOf,
  type ProgramTensor,
  withFormat,
} from "../program_tensor.ts";
import type { PageStream, TileWork } from "../program_work.ts";
import {
  pageBuffer,
  residentProgram,
  splitWorkToCores,
  streamProgram,
  wherePlaced,
  wholeTensor,
} from "../stream.ts";

/**
 * An elementwise program that reads its operands by address, tile by tile of the result.
 *
 * @param onShards whether the result and sharded operands are processed in place
 */
export function eltwiseProgram(
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
  perTile: readonly TileWork[],
  circularBuffers: readonly CircularBuffer[],
  chip: ChipDescription,
  onShards: boolean = false,
): StreamProgram {
  const byWords = fillsByWords(operands, chip);
  const local = onShards ? operands.filter(isInShards) : [];
  const reads = operands.filter((operand) => !local.includes(operand))
    .map((operand) => readsOf(byAddress(operand), output, byWords, chip));
  return streamProgram({
    units: output.tiles,
    ...(onShards ? { maxCores: Math.max(1, output.shardCores) } : {}),
    reads: [...local.map(wherePlaced), ...reads.map(({ stream }) => stream)],
    writes: [onShards ? wherePlaced(output) : wholeTensor(output)],
    compute: { work: perTile },
    reader: {
      barriers: barriersPerTile(reads),
      broadcastFills: reads.reduce((sum, { fills }) => sum + fills, 0),
      copiedWords: reads.reduce((sum, { copiedWords }) => sum + copiedWords, 0),
      paddingWords: reads.reduce((sum, { filledWords }) => sum + filledWords, 0),
      computesStrides: operands.length > 1,
    },
    flops: output.tiles * 1024,
    circularBuffers,
  }, chip);
}

/**
 * Barriers of a reader per output tile: one for all tiles that are read with it, plus those of operands whose
 * tile serves a run of output tiles (tt-metal:binary-ng).
 */
function barriersPerTile(reads: readonly OperandReads[]): number {
  const runs = reads.filter(({ servesRun }) => servesRun);
  return runs.reduce((sum, { perTile }) => sum + perTile, runs.length < reads.length ? 1 : 0);
}

/** Elements of a tile, which is the number of 4-byte words of an f32 tile. */
const TILE_ELEMENTS = 1024;

/**
 * An elementwise program on the cores of the result's shards and of operands with equal sharding.
 *
 * @param scalarWords 4-byte words of the scalar's tile that each core fills first
 */
export function shardProgram(
  output: ProgramTensor,
  perTile: readonly TileWork[],
  circularBuffers: readonly CircularBuffer[] = [],
  scalarWords: number = 0,
): ResidentProgram {
  const tiles = Math.max(1, Math.ceil(volume(output.shardShape) / (output.tiled ? 1 : TILE_ELEMENTS)));
  const compute = [
    ...perTile.map(({ operation, count }) => ({ operation, count: count * tiles })),
    ...(scalarWords > 0 ? [{ operation: "pad_word", count: scalarWords } as const] : []),
  ];
  return residentProgram(output.shardCores, compute, { flops: output.tiles * 1024, circularBuffers });
}

/** Bytes of a tile with 4-byte elements. */
const WIDE_TILE_BYTES = 4096;

/** Work of an elementwise op per tile of such tensors. */
export function tileWork(
  vector: VectorFunction,
  tensors: readonly Pick<ProgramTensor, "dataType">[],
): readonly TileWork[] {
  const work: TileWork[] = [{ operation: "eltwise", count: 1 }];
  if (tensors.some(({ dataType }) => tileBytes(dataType) === WIDE_TILE_BYTES)) {
    work.push({ operation: "eltwise_wide", count: 1 });
  }
  if (vector !== "none") work.push({ operation: vector, count: 1 });
  return work;
}

/** 4-byte formats, whose broadcast tiles a reader fills word by word. */
const WIDE_TYPES: ReadonlySet<DataType> = new Set(["f32", "si32", "u32"]);

/**
 * Whether the reader fills broadcast tiles of 4-byte formats itself. Otherwise the unpacker broadcasts a row,
 * column or scalar of two operands of one format; on Blackhole not for 4-byte formats (tt-metal:binary-ng,
 * `is_llk_bcast`).
 */
function fillsByWords(operands: readonly ProgramTensor[], { architecture }: ChipDescription): boolean {
  const [first, second, ...more] = operands;
  return architecture !== "wormhole_b0" || first?.dataType !== second?.dataType || more.length > 0;
}

/** Reads of one operand of an elementwise program. */
interface OperandReads {
  readonly stream: PageStream;
  /** Reads per output tile on the most loaded core. */
  readonly perTile: number;
  /** Whether one of its tiles serves several output tiles. */
  readonly servesRun: boolean;
  /** Broadcast fills per output tile, except those word by word. */
  readonly fills: number;
  /**
   * 4-byte words per output tile that are copied one by one from a row or column; and words filled with one
   * scalar.
   */
  readonly copiedWords: number;
  readonly filledWords: number;
}

/** One read per output tile, of what needs no broadcast. */
const READ_ONCE = { perTile: 1, servesRun: false, fills: 0, copiedWords: 0, filledWords: 0 };

/**
 * An operand is read tile by tile with the result, even if it is smaller. A row, column or scalar that is
 * broadcast fills its tile, 4-byte formats word by word if the reader does it (published:ops-2, f32 rows on
 * Blackhole; tt-metal:binary-ng). A broadcast column or scalar is read and filled once per run of output
 * tiles in a tile row, or in a matrix, of one core (tt-metal:binary-ng).
 */
function readsOf(
  operand: ProgramTensor,
  output: ProgramTensor,
  byWords: boolean,
  chip: ChipDescription,
): OperandReads {
  if (!operand.tiled || operand.tiles === 0 || output.tiles === 0) {
    return { stream: wholeTensor(operand), ...READ_ONCE };
  }
  const run = tilesPerRead(operand, output);
  const { reads, perTile } = runsOfCores(output.tiles, run, chip);
  const bytes = operand.bytes / operand.tiles * Math.max(reads, operand.tiles);
  const isWhole = [-1, -2].every((axis) => (operand.shape.at(axis) ?? 1) === (output.shape.at(axis) ?? 1));
  const isNumber = operand.shape.slice(-2).every((extent) => extent === 1);
  const isWide = byWords && WIDE_TYPES.has(operand.dataType);
  const words = !isWhole && isWide ? TILE_ELEMENTS * perTile : 0;
  return {
    stream: { tensor: operand, bytes },
    perTile,
    servesRun: run > 1,
    fills: isWhole || isWide ? 0 : perTile,
    copiedWords: isNumber ? 0 : words,
    filledWords: isNumber ? words : 0,
  };
}

/** Consecutive output tiles that one tile of an operand serves. */
function tilesPerRead(operand: ProgramTensor, output: ProgramTensor): number {
  const [rows, columns] = [output.shape.at(-2) ?? 1, output.shape.at(-1) ?? 1];
  if (columns === 1 || (operand.shape.at(-1) ?? 1) !== 1) return 1;
  const isElement = (operand.shape.at(-2) ?? 1) === 1 && rows !== 1;
  return Math.ceil(columns / 32) * (isElement ? Math.ceil(rows / 32) : 1);
}

/**
 * Runs of `run` consecutive output tiles, of which each core reads the operand's tile once: `reads` over all cores,
 * and `perTile` for the core with most reads among those with most tiles.
 */
function runsOfCores(
  tiles: number,
  run: number,
  chip: ChipDescription,
): { readonly reads: number; readonly perTile: number } {
  if (run === 1) return { reads: tiles, perTile: 1 };
  const { cores, coresGroup1, unitsPerCoreGroup1, unitsPerCoreGroup2 } = splitWorkToCores(
    workerCores(chip),
    tiles,
  );
  let [begin, reads, most] = [0, 0, 0];
  for (let core = 0; core < cores; core++) {
    const own = core < coresGroup1 ? unitsPerCoreGroup1 : unitsPerCoreGroup2;
    const runs = Math.ceil((begin + own) / run) - Math.floor(begin / run);
    if (core < coresGroup1) most = Math.max(most, runs);
    reads += runs;
    begin += own;
  }
  return { reads, perTile: most / unitsPerCoreGroup1 };
}

/** `typecast`; no program on the host. */
export function typecastPrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  return memoryOf(output) === "host" ? NO_PROGRAMS : inOrder(typecastProgram(input, output, chip));
}

/**
 * Whether each core casts its own shard into the result's without moving data: formats with equal tile bytes,
 * shards of whole tiles of elements (`ttnn:backend-0-81-1`).
 */
export function castsInShards(input: ProgramTensor, output: ProgramTensor): boolean {
  const unit = input.tiled ? 1 : 1024;
  return isInShards(input) && isInShards(output) && bytesPerTile(input) === bytesPerTile(output) &&
    volume(input.shardShape) % unit === 0;
}

/** Casts the elements of a tensor, within its memory or to another of the same kind. */
export function typecastProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  const { vectorFunction = "none" } = definitionOf("ttnn.typecast");
  const perTile = tileWork(vectorFunction, [input, output]);
  if (castsInShards(input, output) && output.placement === "l1_sharded") return shardProgram(output, perTile);
  const buffers = input.tiled
    ? [pageBuffer("in0", 2, input), pageBuffer("out", 2, output)]
    : [rowBuffer("in0", input), rowBuffer("out", output)];
  return eltwiseProgram([input], output, perTile, buffers, chip);
}

/** Elements of a row-major row per compute step. */
const ROW_PIECE = 1024;

function rowBuffer(name: string, tensor: ProgramTensor): CircularBuffer {
  const elements = isInShards(tensor) ? roundUp(tensor.shardShape.at(-1) ?? 1, ROW_PIECE) : ROW_PIECE;
  return { name, bytes: 2 * elements * elementBytes(tensor.dataType) };
}

/** The tensor in another format, in the same memory. */
export function castStep(
  input: ProgramTensor,
  dataType: ProgramTensor["dataType"],
  chip: ChipDescription,
): ChainStep {
  const output = withFormat(input, dataType);
  return chainStep(output, typecastProgram(input, output, chip));
}
