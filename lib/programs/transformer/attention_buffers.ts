// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, kernelsOf, workerCores } from "../../device/chip_description.ts";
import { type DataType, tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { SdpaProgramConfig } from "../../op_config/op_config.ts";
import { type CircularBuffer, circularBuffer } from "../circular_buffer.ts";
import { largestDivisor } from "../matmul/matmul_blocking.ts";
import { bytesPerTile, type ProgramTensor } from "../program_tensor.ts";

/** Circular buffers of prefill and decode attention, with their parameters (`ttnn:backend-0-81-1`). */

export interface AttentionTensors {
  readonly query: ProgramTensor;
  readonly key: ProgramTensor;
  /** The values; `undefined` if they are part of the keys' tensor. */
  readonly value: ProgramTensor | undefined;
  readonly mask: ProgramTensor | undefined;
  readonly positions: ProgramTensor | undefined;
  readonly pages: ProgramTensor | undefined;
  /** The position of the first query, as a tensor. */
  readonly start: ProgramTensor | undefined;
  /** A score of each head without a value. */
  readonly sink: ProgramTensor | undefined;
  readonly output: ProgramTensor;
}

/** An attention over a whole sequence. */
export interface PrefillWork {
  /** Elements of queries and keys per step. */
  readonly chunks: readonly [queries: number, keys: number];
  readonly causal: boolean;
  /** Whether each query attends only to a window of keys. */
  readonly windowed: boolean;
  /** Whether the destination register accumulates in f32. */
  readonly wide: boolean;
  /** Cores of the grid. */
  readonly cores: number;
}

/** Chunks of queries and keys without a program config, in elements. */
export const DEFAULT_CHUNK = 32;

/** Cores of the config's grid; all workers without one. */
export function gridCores(config: SdpaProgramConfig | undefined, chip: ChipDescription): number {
  const [columns, rows] = config?.computeWithStorageGridSize ?? [0, 0];
  return columns * rows > 0 ? Math.min(columns * rows, workerCores(chip)) : workerCores(chip);
}

function tiles(name: string, count: number, dataType: DataType): CircularBuffer {
  return circularBuffer(name, count * tileBytes(dataType));
}

function extentOf({ shape }: ProgramTensor, axis: -1 | -2): number {
  return shape.at(axis) ?? 1;
}

/** Tiles of an extent. */
export function tilesOf(tensor: ProgramTensor, axis: -1 | -2): number {
  return Math.ceil(extentOf(tensor, axis) / 32);
}

/** Buffers of an attention over a whole sequence. */
export function prefillBuffers(
  tensors: AttentionTensors,
  work: PrefillWork,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const { query, key, value = key, mask, sink, output } = tensors;
  const [queryTiles, keyTiles] = [work.chunks[0] / 32, work.chunks[1] / 32];
  const [head, valueHead] = [tilesOf(query, -1), tilesOf(output, -1)];
  const shares = sharesKeys(tensors, work, chip);
  const depth = shares && queryTiles >= 3 && keyTiles <= 8 ? 3 : 2;
  const scores = queryTiles * keyTiles;
  const [wideTile, statistics] = work.wide ? [tileBytes("f32"), 7] : [tileBytes("bf16"), 5];
  return [
    circularBuffer("q", queryTiles * head * (chunksPerCore(query, work) > 1 ? 2 : 1) * bytesPerTile(query)),
    circularBuffer("k", depth * keyTiles * head * bytesPerTile(key)),
    circularBuffer("v", depth * keyTiles * valueHead * bytesPerTile(value)),
    ...shares ? [circularBuffer("shared", 32 * (depth + 1))] : [],
    ...maskBuffers(mask, tensors, work, scores),
    ...sink === undefined ? [] : [circularBuffer("sink", queryTiles * bytesPerTile(sink))],
    tiles("scalars", work.wide ? 2 : 3, "bf16"),
    ...pageBuffers(tensors, chip),
    circularBuffer("scores", scores * wideTile),
    tiles("partial_out", 2 * queryTiles * valueHead, "bf16"),
    // With f32 accumulation, two of the five statistics are f32.
    tiles("statistics", queryTiles * statistics, "bf16"),
    circularBuffer("out", outputRows(queryTiles, valueHead, work.wide) * valueHead * bytesPerTile(output)),
  ];
}

/** A user's row of the page table, and the start of the chunk for two kernels where a tensor holds it. */
function pageBuffers(
  { pages, start }: AttentionTensors,
  { dramAlignment }: ChipDescription,
): readonly CircularBuffer[] {
  if (pages === undefined) return [];
  const row = 4 * extentOf(pages, -1);
  return start === undefined
    ? [circularBuffer("page_table", roundUp(row, dramAlignment))]
    : [circularBuffer("page_table", row), circularBuffer("start", 2 * START_BYTES)];
}

/** Bytes of the start of a chunk in each of its two buffers. */
const START_BYTES = 32;

/** Query chunks of the most loaded core; causal chunks are distributed in pairs. */
function chunksPerCore(query: ProgramTensor, { chunks: [chunk], causal, cores }: PrefillWork): number {
  const [batch = 1, heads = 1] = query.shape;
  const count = Math.ceil(extentOf(query, -2) / chunk);
  const atOnce = causal && count % 2 === 0 ? 2 : 1;
  return atOnce * Math.ceil(batch * heads * count / atOnce / cores);
}

/** Tile rows of the output buffer: two subblocks, each two rows high unless one row makes larger ones. */
function outputRows(queryTiles: number, head: number, wide: boolean): number {
  if (wide) return queryTiles;
  const isLow = queryTiles === 1 || largestDivisor(head, 8) > 2 * largestDivisor(head, 4);
  return isLow ? 2 : 4;
}

/** Mask tiles for both borders of a window. */
const WINDOW_TILES = 5;

/** The given mask, the causal mask tiles, or the mask of the unused part of a chunk. */
function maskBuffers(
  mask: ProgramTensor | undefined,
  { query, key }: AttentionTensors,
  { causal, windowed, wide, chunks: [queryChunk, keyChunk] }: PrefillWork,
  scores: number,
): readonly CircularBuffer[] {
  if (mask !== undefined) return [circularBuffer("mask", 2 * scores * bytesPerTile(mask))];
  const [queries, keys] = [extentOf(query, -2), extentOf(key, -2)];
  if (causal && !windowed) return [tiles("mask", 2, "bf16")];
  if (!windowed && queries % queryChunk === 0 && keys % keyChunk === 0) return [];
  if (wide) return [tiles("mask", 2 * scores, "bfp_bf4")];
  const unused = causal || keys % 32 === 0 ? 0 : 1;
  return [tiles("mask", (windowed ? WINDOW_TILES : 1) + unused, "bf16")];
}

/** Grid sizes from which neighbouring cores share keys and values: in general, and with large bf16 chunks. */
const SHARING_CORES = { general: 64, large: 32 };

/**
 * Whether neighbouring cores share keys and values: on Blackhole, for causal attention without pages, if every pair of
 * query chunks (an early and a late one) attends to the same number of key chunks.
 */
function sharesKeys(
  { query, key, pages }: AttentionTensors,
  { chunks: [queryChunk, keyChunk], causal, wide, cores }: PrefillWork,
  { architecture }: ChipDescription,
): boolean {
  if (pages !== undefined) return false;
  const count = Math.ceil(extentOf(query, -2) / queryChunk);
  const isNarrow = key.dataType === "bf16";
  if (kernelsOf(architecture) !== "blackhole" || !causal || count % 2 !== 0 || queryChunk > 128) return false;
  const isLarge = isNarrow && tilesOf(query, -1) >= 4 && !wide;
  if (cores < (isLarge ? SHARING_CORES.large : SHARING_CORES.general) || (!isNarrow && wide)) return false;
  const keyChunks = Math.ceil(extentOf(key, -2) / keyChunk);
  const seen = (chunk: number) => Math.min(Math.ceil((chunk + 1) * queryChunk / keyChunk), keyChunks);
  const pairs = Array.from({ length: count / 2 }, (_, chunk) => seen(chunk) + seen(count - 1 - chunk));
  return new Set(pairs).size === 1;
}

/** Decode attention, in which every core processes a part of the keys of one head of one user. */
export interface DecodeWork {
  /** Elements of keys per step. */
  readonly keyChunk: number;
  readonly causal: boolean;
  /** Whether a query sees only the keys of a sliding window. */
  readonly windowed: boolean;
  /** Cores that divide the keys of one head of one user. */
  readonly sharers: number;
}

/** Key chunks to choose from if the config leaves the size open. */
const KEY_CHUNKS = [512, 256, 128, 64, 32];

/** Most cores per head and user under a program config that does not set it. */
const CORES_PER_HEAD = 16;

/** Key chunk of a paged cache if the config leaves it open. */
const PAGED_CHUNK = 256;

/**
 * Key chunk of decode attention: the config's; otherwise the largest that divides the keys, or a constant for
 * paged caches.
 */
export function decodeKeyChunk(
  config: SdpaProgramConfig | undefined,
  keys: number,
  isPaged: boolean,
): number {
  const asked = config?.kChunkSize ?? 0;
  if (asked > 0) return asked;
  if (isPaged) return config === undefined ? DEFAULT_CHUNK : PAGED_CHUNK;
  return KEY_CHUNKS.find((chunk) => keys % chunk === 0) ?? DEFAULT_CHUNK;
}

/** Users and heads among which decode attention divides the cores. */
export interface DecodeHeads {
  readonly users: number;
  readonly keyHeads: number;
  readonly isPaged: boolean;
}

/**
 * Cores per key head and user; users divide the grid evenly. Without a program config all cores are used,
 * with a paged cache one per head.
 */
export function coresPerHead(
  config: SdpaProgramConfig | undefined,
  heads: DecodeHeads,
  chip: ChipDescription,
): number {
  return Math.max(1, Math.floor(coresPerUser(config, heads, chip) / heads.keyHeads));
}

/** Cores that share the work of one user; at most as many as may share its heads. */
export function coresPerUser(
  config: SdpaProgramConfig | undefined,
  { users, keyHeads, isPaged }: DecodeHeads,
  chip: ChipDescription,
): number {
  const unset = isPaged ? 1 : workerCores(chip);
  const most = config === undefined ? unset : config.maxCoresPerHeadBatch ?? CORES_PER_HEAD;
  return Math.floor(Math.min(gridCores(config, chip), most * users * keyHeads) / users);
}

/** Most heads of causal bf16 queries that are processed as half tiles. */
const HALF_TILE_HEADS = 16;

/** Buffers of decode attention on one core. */
export function decodeBuffers(
  { query, key, value = key, positions, pages, sink, output }: AttentionTensors,
  { keyChunk, causal, windowed, sharers }: DecodeWork,
  { dramAlignment }: ChipDescription,
): readonly CircularBuffer[] {
  const heads = extentOf(query, -2);
  const isHalf = causal && heads <= HALF_TILE_HEADS && query.dataType === "bf16";
  const tile = tileBytes("bf16") / (isHalf ? 2 : 1);
  const rows = Math.ceil(heads / 32);
  const [head, valueHead, keys] = [tilesOf(query, -1), tilesOf(output, -1), keyChunk / 32];
  const users = query.shape.at(-3) ?? 1;
  const page = pages === undefined ? 0 : roundUp(4 * (pages.shape.at(-1) ?? 1), dramAlignment);
  return [
    circularBuffer("q", rows * head * tile),
    circularBuffer("k", 2 * keys * head * bytesPerTile(key)),
    circularBuffer("v", 2 * keys * valueHead * bytesPerTile(value)),
    circularBuffer("mask", rows * keys * tile),
    circularBuffer("window_mask", windowed ? rows * keys * tile : 0),
    circularBuffer("sink", sink === undefined ? 0 : rows * tile),
    circularBuffer("scalars", (1 + 2 * rows) * tile),
    circularBuffer("positions", positions === undefined ? 0 : 2 * roundUp(4 * users, dramAlignment)),
    circularBuffer("page_table", page),
    circularBuffer("q_rows", rows * head * tile),
    circularBuffer("column", tileBytes("bf16")),
    circularBuffer("zero", tile),
    circularBuffer("scores", rows * keys * tile),
    circularBuffer("partial_out", 4 * rows * valueHead * tile),
    circularBuffer("statistics", 9 * rows * tile),
    circularBuffer("partners", rows * (valueHead + 2) * tile * (sharers - 1)),
    tiles("out", output.placement === "l1_sharded" ? 0 : rows * valueHead, "bf16"),
  ].filter(({ bytes }) => bytes > 0);
}
