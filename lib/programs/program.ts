// SPDX-License-Identifier: Apache-2.0
import type { CircularBuffer } from "./circular_buffer.ts";
import type { Exchange, ExchangeLeg, ExchangeWork } from "./exchange.ts";
import type { MeshAxis } from "../device/mesh.ts";
import type { DataType } from "../layout/data_type.ts";
import type { MathFidelity } from "../op_config/op_config.ts";
import type { MatmulBlocks } from "./matmul_blocks.ts";
import type { MatmulProblem } from "./matmul_problem.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import type { VectorFunction } from "../ops/definition.ts";

/** Pages of one tensor that a program reads or writes. */
export interface PageStream {
  /** The tensor that holds the pages. */
  readonly tensor: ProgramTensor;
  /** Bytes of the tensor that the whole program moves; less than the tensor, or more where it is read again. */
  readonly bytes: number;
  /** Bytes of one transaction; the tensor's page when absent. */
  readonly transactionBytes?: number;
  /** Whether the bytes lie in the core's own L1 already, so that nothing moves. */
  readonly local?: boolean;
  /** Whether the address of each transaction is worked out from the indices of its row. */
  readonly scattered?: boolean;
  /** Pages from one that is written to the next one by the same core; 1 when absent. */
  readonly stride?: number;
  /** Whether each page that is written has to leave before the next one is looked at. */
  readonly departs?: boolean;
  /** Whether it is written when all units are done, in equal parts by all cores: padding. */
  readonly afterUnits?: boolean;
  /** Whether each core reads it once, however many units it has: rows of weights. */
  readonly oncePerCore?: boolean;
}

/** What the compute threads do to one tile, or once per row of tiles. */
export type TileOperation =
  /** Unpack, add or copy, pack. */
  | "eltwise"
  /** What a tile of four bytes per element takes beyond that. */
  | "eltwise_wide"
  /** One tile of a reduction, and the hand-over of a row's scalar to the next pass. */
  | "reduce"
  | "reduce_row"
  /** The sum of one core's part of a row, fetched and added to those of others. */
  | "add_part"
  /** One tile of one pass of a norm or softmax, and the same where the destination register accumulates in f32. */
  | "pass"
  | "pass_wide"
  /** What a block of tiles takes in one pass, whatever is in it: its threads hand it to one another. */
  | "pass_block"
  /** One tile of one pass of a group norm, with the mask of its group. */
  | "group_pass"
  /** One element that a core compares with the largest so far, one row that it looks through, and one core's answer. */
  | "scan_element"
  | "scan_row"
  | "scan_share"
  /** One index compared with what a tile holds. */
  | "gather_element"
  /** One element of a wide row ranked among the largest. */
  | "rank_element"
  /** One tile sorted into one tile of the largest so far, and one core's list merged into another's. */
  | "sort_step"
  | "sort_merge"
  | "tilize"
  /** One tile untilized, of a row that the packer holds whole and of a wider one, and the fixed part of a row. */
  | "untilize"
  | "untilize_wide"
  | "untilize_row"
  | "transpose"
  /** One word of four bytes written by a data movement thread, and one byte copied by it. */
  | "fill_word"
  | "copy_byte"
  /** One of a run of equal words that a data movement thread writes. */
  | "pad_word"
  /** A tile multiplied with the rotation matrix, and one product or sum of tiles around it. */
  | "rotate"
  | "rotary_pass"
  /** A function of the vector unit. */
  | Exclude<VectorFunction, "none">;

/** So many of one tile operation. */
export interface TileWork {
  /** What is done. */
  readonly operation: TileOperation;
  /** How often. */
  readonly count: number;
}

/** What every device program has. */
export interface ProgramBase {
  /** Worker cores that it runs on. */
  readonly cores: number;
  /** What its threads hand tiles through. */
  readonly circularBuffers: readonly CircularBuffer[];
  /** What it reads and writes, page by page. */
  readonly reads: readonly PageStream[];
  /** Pages that it writes. */
  readonly writes: readonly PageStream[];
  /** Floating point operations, whole chip. */
  readonly flops: number;
  /** Times that it is launched, one after the other: slices of a convolution. */
  readonly launches: number;
}

/** Passes over a unit, one after the other: the first waits for what is read first, only the last has results. */
export interface UnitPasses {
  /** Passes over each unit. */
  readonly count: number;
  /** Whether the unit stays where it was read until the last pass, so that the next one is not read before. */
  readonly holdsUnit: boolean;
}

/** Units of work (tiles, rows of tiles, sticks) that stream through reader, compute and writer of each core. */
export interface StreamProgram extends ProgramBase {
  /** Tells the programs apart. */
  readonly kind: "stream";
  /** Units of work of the whole program, split over the cores as `split_work_to_cores` does. */
  readonly units: number;
  /** Parts of a unit that reader, compute and writer hand over one by one; 1 where a unit is needed whole. */
  readonly parts: number;
  /** How compute goes over a unit that is needed whole; `undefined` where parts are done as they arrive. */
  readonly passes: UnitPasses | undefined;
  /** Compute of one unit. */
  readonly compute: readonly TileWork[];
  /** Barriers that the reader and the writer wait for per unit. */
  readonly readBarriers: number;
  /** Barriers that the writer waits for per unit. */
  readonly writeBarriers: number;
  /** Short copies in L1 and tiles filled from a row, a column or an element that the reader makes per unit. */
  readonly shortCopies: number;
  /** Pieces of rows that the reader looks up in a map and copies to where it says, per unit. */
  readonly mappedPieces: number;
  /** Tiles that the reader fills from a row, a column or an element, per unit. */
  readonly broadcastFills: number;
  /** Words of padding that the reader writes, per unit. */
  readonly paddingWords: number;
  /** Runs of words that it fills them in, per unit: rows of elements, half rows of tiles. */
  readonly paddingRuns: number;
  /** Whether reader and writer have one buffer each for compute to work on, which they leave alone meanwhile. */
  readonly singleBuffered: boolean;
  /** Rows of elements that the writer waits for one by one, per unit. */
  readonly stickWaits: number;
  /** Words that the reader loads and stores one by one, per unit. */
  readonly copiedWords: number;
  /** Whether the reader first works out the strides of several operands. */
  readonly strided: boolean;
  /** Whether each core works out which core holds what before it fetches anything from other cores' shards. */
  readonly seeksShards: boolean;
  /** Barriers that the reader waits for once, before its first unit: for positions and tables that say what follows. */
  readonly leadBarriers: number;
  /** Equal words of one tile that the writer fills once, while the reader waits for its first unit. */
  readonly leadWords: number;
  /** Whether one thread reads and writes, one after the other. */
  readonly oneThread: boolean;
}

/** Every core works on the shards that it holds; nothing moves. */
export interface ResidentProgram extends ProgramBase {
  /** Tells the programs apart. */
  readonly kind: "resident";
  /** Compute of one core. */
  readonly compute: readonly TileWork[];
  /** Bytes that each core's data movement threads copy inside of its L1. */
  readonly copiedBytes: number;
}

/** A blocked matrix multiplication. */
export interface MatmulProgram extends ProgramBase {
  /** Tells the programs apart. */
  readonly kind: "matmul";
  /** The matrices. */
  readonly problem: MatmulProblem;
  /** How they are cut. */
  readonly blocks: MatmulBlocks;
  /** Passes of the matrix engine per product. */
  readonly fidelity: MathFidelity;
  /** Whether the number of products is supposed: experts that data chooses. */
  readonly byExpert?: boolean;
}

/** The haloed activation of a sliding window op is put together. Counts per core. */
export interface HaloProgram extends ProgramBase {
  /** Tells the programs apart. */
  readonly kind: "halo";
  /** Sticks (pixels with all their channels) that a core holds before. */
  readonly inputSticks: number;
  /** Sticks that a core needs, padding and neighbours' sticks included. */
  readonly outputSticks: number;
  /** Of these, sticks that hold pixels, on average. */
  readonly filledSticks: number;
  /** Of these, sticks that lie in other cores' shards before, on average. */
  readonly foreignSticks: number;
  /** Sticks of padding on the core that has the most, filled one by one without reading. */
  readonly paddingSticks: number;
  /** Cores that neighbouring shards go over in one line of the grid. */
  readonly lineCores: number;
  /** Bytes of one stick in the (row-major) result. */
  readonly stickBytes: number;
  /** Tiles that are untilized first; 0 for row-major activations. */
  readonly tiles: number;
}

/** The convolution kernel on its haloed activation. Counts per core and in tiles unless they say otherwise. */
export interface ConvolutionProgram extends ProgramBase {
  /** Tells the programs apart. */
  readonly kind: "convolution";
  /** Rows and columns of tiles of the output. */
  readonly rows: number;
  /** Columns of tiles of the output. */
  readonly columns: number;
  /** Contracted extent: window × input channels of a group. */
  readonly depth: number;
  /** Part of the depth that the core tilizes itself; less than `depth` where cores of a row share. */
  readonly ownDepth: number;
  /** Rows of an activation block; weights are read again for every further one when `reloadsWeights`. */
  readonly blockRows: number;
  /** Whether every activation block reads the weights anew. */
  readonly reloadsWeights: boolean;
  /** Depth of one activation block. */
  readonly blockDepth: number;
  /** Whether the next blocks of activations and weights arrive while these are multiplied. */
  readonly doubleBuffered: boolean;
  /** Height and width of a subblock of the destination register. */
  readonly subblock: readonly [number, number];
  /** Passes of the matrix engine per product. */
  readonly fidelity: MathFidelity;
  /** Element format of the activation. */
  readonly activationType: DataType;
  /** Element format of the weights. */
  readonly weightType: DataType;
  /** Output pixels, and reads of a window (one per window row where pixels lie together). */
  readonly pixels: number;
  /** Reads of a window: one per window row where pixels lie together. */
  readonly readsPerPixel: number;
}

/** Windows of a haloed activation are reduced. Counts per core. */
export interface PoolProgram extends ProgramBase {
  /** Tells the programs apart. */
  readonly kind: "pool";
  /** Output pixels. */
  readonly pixels: number;
  /** Pixels under one window. */
  readonly windowPixels: number;
  /** Reads of one window: its rows, whose pixels lie together, or its pixels where one reduction does not hold it. */
  readonly windowReads: number;
  /** Tiles of channels. */
  readonly channelTiles: number;
}

/** Pages to shards, shards to pages, or shards to other shards. */
export interface TransferProgram extends ProgramBase {
  /** Tells the programs apart. */
  readonly kind: "transfer";
  /** Where the tensor lies before. */
  readonly input: ProgramTensor;
  /** Where it lies afterwards. */
  readonly output: ProgramTensor;
  /** Whether the cores of the output's shards read what they need; else the cores of the input's shards write. */
  readonly pulls: boolean;
  /** Transactions of one core, and bytes of one. */
  readonly transactions: number;
  /** Bytes of one transaction. */
  readonly transactionBytes: number;
  /** Whether each page goes through a staging buffer and is waited for by itself. */
  readonly staged: boolean;
  /** Short copies in L1 per core. */
  readonly shortCopies: number;
  /** Compute of one core: format or page layout changed on the way. */
  readonly compute: readonly TileWork[];
  /** Whether bytes cross the network; a tilize of shards in place moves nothing. */
  readonly moves: boolean;
}

/** What flash attention does to a chunk of keys, whoever hands it out. Extents in tiles. */
export interface AttentionChunks {
  /** Rows of scores that a core makes at once: a block of queries, or the heads that share their keys. */
  readonly queryTiles: number;
  /** Keys of one step. */
  readonly keyTiles: number;
  /** Tiles of a head's extent: of keys, and of values. */
  readonly headTiles: number;
  /** Tiles of the values' extent. */
  readonly valueTiles: number;
  /** Tiles read per 32 keys: keys, and values that are no part of the keys. */
  readonly streamedTiles: number;
  /** Share of the worker grid's columns that the cores lie in. */
  readonly columnShare: number;
  /** Element format of the keys and values. */
  readonly keyType: DataType;
  /** Passes of the matrix engine per product. */
  readonly fidelity: MathFidelity;
  /** Whether the destination register accumulates in f32. */
  readonly wide: boolean;
}

/** Flash attention over a whole sequence: blocks of queries go over the cores, each streams the keys that it sees. */
export interface AttentionProgram extends ProgramBase, AttentionChunks {
  /** Tells the programs apart. */
  readonly kind: "attention";
  /** Units of work of the whole program: blocks of queries, or pairs of an early and a late one when causal. */
  readonly units: number;
  /** Blocks of queries of one unit. */
  readonly blocks: number;
  /** Chunks of keys that one unit goes over, on average. */
  readonly steps: number;
  /** Whether cores that work on one head hand keys and values on, so that DRAM gives them once. */
  readonly forwards: boolean;
  /** Bytes of an attention mask that one step reads; 0 without one. */
  readonly maskBytes: number;
}

/** Flash decoding: every core goes over its part of the cache of the users and heads that it serves. */
export interface AttentionDecodeProgram extends ProgramBase, AttentionChunks {
  /** Tells the programs apart. */
  readonly kind: "attention_decode";
  /** Groups of up to 32 query heads of one key head and user that the most loaded core serves, one after the other. */
  readonly groups: number;
  /** Cores that share one group and combine their parts. */
  readonly sharers: number;
  /** Chunks of keys that a core goes over per group. */
  readonly steps: number;
  /** Whether users are read as far as their position is, which a run is assumed to have reached. */
  readonly byPosition: boolean;
  /** Bytes of keys and values that all cores read together, whole chunks. */
  readonly streamedBytes: number;
}

/** Data exchanged between the chips of an axis of the mesh. */
export interface CollectiveProgram extends ProgramBase, MeshAxis, ExchangeWork {
  /** Tells the programs apart. */
  readonly kind: "collective";
  /** What the chips do with each other's data. */
  readonly exchange: Exchange;
  /** Bytes of one chip that take part, see `edgeLoads`. */
  readonly bytes: number;
  /** Axes of the mesh that are crossed, one after the other; none where the graph does not say it. */
  readonly legs: readonly ExchangeLeg[];
  /** Bytes of a packet. */
  readonly packetBytes: number;
  /** Whether the kernels are those that scatter along dimension 0. */
  readonly dimZero: boolean;
  /** What other cores multiply while the data travels, chip's part by chip's part; `undefined` for an exchange alone. */
  readonly product: MatmulProgram | undefined;
}

/** A tensor over PCIe; no device program, the device waits for the host. */
export interface HostTransfer extends ProgramBase {
  /** Tells the programs apart. */
  readonly kind: "host_transfer";
  /** Bytes. */
  readonly bytes: number;
}

/** One launch on the device, as data: what legality counts, the simulator times and `explain` shows. */
export type DeviceProgram =
  | StreamProgram
  | ResidentProgram
  | MatmulProgram
  | HaloProgram
  | ConvolutionProgram
  | PoolProgram
  | TransferProgram
  | AttentionProgram
  | AttentionDecodeProgram
  | CollectiveProgram
  | HostTransfer;

/** Device programs of an op in the order in which they run; none for views and bookkeeping. */
export interface KnownPrograms {
  /** Tells known from unknown. */
  readonly status: "known";
  /** In the order in which they run. */
  readonly programs: readonly DeviceProgram[];
}

/** The op's programs cannot be told. */
export interface UnknownPrograms {
  /** Tells known from unknown. */
  readonly status: "unknown";
  /** Why, in a sentence that names what is missing. */
  readonly reason: string;
}

/** What an op launches. */
export type OpPrograms = KnownPrograms | UnknownPrograms;

/** No device program: views, and ops that only change bookkeeping. */
export const NO_PROGRAMS: KnownPrograms = { status: "known", programs: [] };

/** Programs of an op in their order. */
export function inOrder(...programs: readonly DeviceProgram[]): KnownPrograms {
  return { status: "known", programs };
}

/** An op whose programs cannot be told. */
export function unknownPrograms(name: string, what: string): UnknownPrograms {
  return { status: "unknown", reason: `${name}: ${what}` };
}

/**
 * Cores that an op runs on: those of the program that computes the most, the larger of two alike; 0 when it launches
 * nothing. What gathers a halo for a kernel or spreads its operands does not count.
 */
export function coresOf({ programs }: KnownPrograms): number {
  let most = 0;
  let onMost = 0;
  for (const { flops, cores } of programs) {
    if (flops < most) continue;
    onMost = flops > most ? cores : Math.max(onMost, cores);
    most = flops;
  }
  return onMost;
}

/** Bytes of a program's circular buffers as the graph trace adds them up, over all groups of cores. */
export function circularBufferBytes({ circularBuffers }: Pick<ProgramBase, "circularBuffers">): number {
  return circularBuffers.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Peak of the circular buffers over an op's programs, as the graph trace reports it. */
export function circularBufferPeak({ programs }: KnownPrograms): number {
  return programs.reduce((most, program) => Math.max(most, circularBufferBytes(program)), 0);
}

/** Peak of the circular buffers over an op's programs that one core must place, bytes. */
export function circularBufferPeakOnCore({ programs }: KnownPrograms): number {
  return programs.reduce(
    (most, { circularBuffers }) =>
      Math.max(most, circularBuffers.reduce((sum, { bytes, bytesOnCore = bytes }) => sum + bytesOnCore, 0)),
    0,
  );
}
