// SPDX-License-Identifier: Apache-2.0
import type { CircularBuffer } from "./circular_buffer.ts";
import type { Exchange, ExchangeLeg, ExchangeWork } from "./exchange.ts";
import type { MeshAxis } from "../device/mesh.ts";
import type { DataType } from "../layout/data_type.ts";
import type { MathFidelity } from "../op_config/op_config.ts";
import type { MatmulBlocks } from "./matmul_blocks.ts";
import type { LaunchEvent } from "./launch_sequence.ts";
import type { MatmulProblem } from "./matmul_problem.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import type { VectorFunction } from "../ops/definition.ts";

/** Pages of one tensor that a program reads or writes. */
export interface PageStream {
  /** The tensor that holds the pages. */
  readonly tensor: ProgramTensor;
  /** Bytes of the tensor that the whole program moves; less than the tensor, or more if it is read repeatedly. */
  readonly bytes: number;
  /** Bytes of one transaction; default: the tensor's page. */
  readonly transactionBytes?: number;
  /** Whether the bytes are already in the core's own L1, so that nothing moves. */
  readonly local?: boolean;
  /** Whether the address of each transaction is computed from the indices of its row. */
  readonly scattered?: boolean;
  /** Distance in pages between consecutive writes of a core; default 1. */
  readonly stride?: number;
  /** Whether each written page must leave before the next one is started. */
  readonly departs?: boolean;
  /** Whether it is written after all units, in equal parts by all cores: padding. */
  readonly afterUnits?: boolean;
  /** Whether each core reads it once, regardless of its number of units: rows of weights. */
  readonly oncePerCore?: boolean;
}

/** Work of the compute threads per tile, or per row of tiles. */
export type TileOperation =
  /** Unpack, add or copy, pack. */
  | "eltwise"
  /** What a tile of four bytes per element takes beyond that. */
  | "eltwise_wide"
  /** One tile of a reduction, and passing a row's scalar to the next pass. */
  | "reduce"
  | "reduce_row"
  /** The sum of one core's part of a row, fetched and added to those of others. */
  | "add_part"
  /** One tile of one pass of a norm or softmax, and the same where the destination register accumulates in f32. */
  | "pass"
  | "pass_wide"
  /** Fixed time of a block of tiles in one pass: its threads pass it on to one another. */
  | "pass_block"
  /** One tile of one pass of a group norm, with the mask of its group. */
  | "group_pass"
  /** One element that a core compares with the largest so far, one row that it searches, and one core's answer. */
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

/** A number of equal tile operations. */
export interface TileWork {
  /** The operation. */
  readonly operation: TileOperation;
  /** Its count. */
  readonly count: number;
}

/** Common fields of device programs. */
export interface ProgramBase {
  /** Worker cores that it runs on. */
  readonly cores: number;
  /** Circular buffers between its threads. */
  readonly circularBuffers: readonly CircularBuffer[];
  /** Pages that it reads. */
  readonly reads: readonly PageStream[];
  /** Pages that it writes. */
  readonly writes: readonly PageStream[];
  /** Floating point operations, whole chip. */
  readonly flops: number;
  /** Number of consecutive launches: slices of a convolution. */
  readonly launches: number;
}

/** Consecutive passes over a unit: the first waits for the reader, only the last has results. */
export interface UnitPasses {
  /** Passes over each unit. */
  readonly count: number;
  /** Whether the unit stays in its buffer until the last pass, so that the next one is read only after that. */
  readonly holdsUnit: boolean;
}

/**
 * What the reader kernel (NCRISC) of a stream does besides the transactions of `reads`. Counts are per unit of work and
 * core, averages where units differ; the constants that price them are those of `stream` in the device files.
 */
export interface StreamReader {
  /** Waits until reads have arrived (`noc_async_read_barrier`), per unit; less than 1 where one is for several units. */
  readonly barriers: number;
  /** Reads within the core's own L1 that are issued one by one, per unit. */
  readonly copies: number;
  /** Pieces of rows copied to the place that a mapping tensor gives (`reshape`), per unit. */
  readonly mappedPieces: number;
  /** Tiles filled from a row, a column or an element that is broadcast, per unit. */
  readonly broadcastFills: number;
  /** Words of 4 bytes loaded and stored one by one, per unit. */
  readonly copiedWords: number;
  /** Words of 4 bytes of padding stored, per unit. */
  readonly paddingWords: number;
  /** Runs that these are stored in (rows of elements, half rows of tiles), per unit. */
  readonly paddingRuns: number;
  /** Waits for positions and page tables before the first unit, once. */
  readonly setupBarriers: number;
  /** Words of 4 bytes of a tile of zeros written before the first unit, to copy it under rows of elements, once. */
  readonly clearedWords: number;
  /** Whether it computes the strides of several operands before the first unit (tt-metal:binary-ng). */
  readonly computesStrides: boolean;
  /** Whether it computes which core holds which shard before the first unit. */
  readonly findsShards: boolean;
}

/** What the compute threads of a stream do. */
export interface StreamCompute {
  /** Work on one unit; nothing where units are only moved. */
  readonly work: readonly TileWork[];
  /** Passes over a unit that is needed whole; `undefined` if parts are processed as they arrive. */
  readonly passes: UnitPasses | undefined;
  /** Whether its input and output buffers hold one unit each, which reader and writer cannot use while it works. */
  readonly isSingleBuffered: boolean;
}

/** What the writer kernel (BRISC) of a stream does besides the transactions of `writes`, per core. */
export interface StreamWriter {
  /** Waits until writes have left or arrived (`noc_async_write_barrier`), per unit. */
  readonly barriers: number;
  /** Rows of elements that it waits for one by one, per unit. */
  readonly rowWaits: number;
  /** Equal words of 4 bytes of one tile that it stores once, while the reader waits for its first unit: masks, scalars. */
  readonly filledWords: number;
}

/** Units of work (tiles, rows of tiles, sticks) that stream through reader, compute and writer of each core. */
export interface StreamProgram extends ProgramBase {
  /** Discriminates the programs. */
  readonly kind: "stream";
  /** Units of work of the whole program, split over the cores as `split_work_to_cores` does. */
  readonly units: number;
  /** Number of parts in which reader, compute and writer pass on a unit; 1 if a unit is needed whole. */
  readonly parts: number;
  /** Whether one thread reads and writes, one after the other; its work is what `reader` and `writer` say. */
  readonly oneThread: boolean;
  /** First data movement thread. */
  readonly reader: StreamReader;
  /** Compute threads. */
  readonly compute: StreamCompute;
  /** Second data movement thread. */
  readonly writer: StreamWriter;
}

/** Every core works on the shards that it holds; nothing moves. */
export interface ResidentProgram extends ProgramBase {
  /** Discriminates the programs. */
  readonly kind: "resident";
  /** Compute of one core. */
  readonly compute: readonly TileWork[];
  /** Bytes that each core's data movement threads copy inside of its L1. */
  readonly copiedBytes: number;
  /** Whether graph traces lack it, as they lack the copy of a halo to its new place. */
  readonly isUntraced?: boolean;
}

/** A blocked matrix multiplication. */
export interface MatmulProgram extends ProgramBase {
  /** Discriminates the programs. */
  readonly kind: "matmul";
  /** The matrices. */
  readonly problem: MatmulProblem;
  /** Their blocking. */
  readonly blocks: MatmulBlocks;
  /** Passes of the matrix engine per product. */
  readonly fidelity: MathFidelity;
  /** Work of the vector unit on each tile of the result before it is packed. */
  readonly activation: readonly TileWork[];
  /** Whether the number of products is an assumption: experts chosen by data. */
  readonly byExpert?: boolean;
  /** Whether the backend chose the blocks, because there is no program config. */
  readonly byBackend?: boolean;
}

/** Gathers the haloed activation of a sliding window op. Counts per core. */
export interface HaloProgram extends ProgramBase {
  /** Discriminates the programs. */
  readonly kind: "halo";
  /** Sticks (pixels with all their channels) that a core holds before the program. */
  readonly inputSticks: number;
  /** Sticks that a core needs, padding and neighbours' sticks included. */
  readonly outputSticks: number;
  /** Of these, sticks that hold pixels, on average. */
  readonly filledSticks: number;
  /** Of these, sticks that lie in other cores' shards before, on average. */
  readonly foreignSticks: number;
  /** Sticks of padding on the core that has the most, filled one by one without reading. */
  readonly paddingSticks: number;
  /** Cores with neighbouring shards in one line of the grid. */
  readonly lineCores: number;
  /** Bytes of one stick in the (row-major) result. */
  readonly stickBytes: number;
  /** Tiles that are untilized first; 0 for row-major activations. */
  readonly tiles: number;
}

/** The convolution kernel on its haloed activation. Counts per core and in tiles unless they say otherwise. */
export interface ConvolutionProgram extends ProgramBase {
  /** Discriminates the programs. */
  readonly kind: "convolution";
  /** Rows and columns of tiles of the output. */
  readonly rows: number;
  /** Columns of tiles of the output. */
  readonly columns: number;
  /** Contracted extent: window × input channels of a group. */
  readonly depth: number;
  /** Part of the depth that the core tilizes itself; less than `depth` if the cores of a row share the work. */
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

/** Reduces windows of a haloed activation. Counts per core. */
export interface PoolProgram extends ProgramBase {
  /** Discriminates the programs. */
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

/** Moves pages to shards, shards to pages, or shards to other shards. */
export interface TransferProgram extends ProgramBase {
  /** Discriminates the programs. */
  readonly kind: "transfer";
  /** Placement before the move. */
  readonly input: ProgramTensor;
  /** Placement after the move. */
  readonly output: ProgramTensor;
  /** Whether the cores of the output's shards read what they need; else the cores of the input's shards write. */
  readonly pulls: boolean;
  /** Transactions of one core, and bytes of one. */
  readonly transactions: number;
  /** Bytes of one transaction. */
  readonly transactionBytes: number;
  /** Whether each page goes through a staging buffer with its own wait. */
  readonly staged: boolean;
  /** Short copies in L1 per core. */
  readonly shortCopies: number;
  /** Compute of one core: format or page layout changed on the way. */
  readonly compute: readonly TileWork[];
  /** Whether bytes cross the network; a tilize of shards in place moves nothing. */
  readonly moves: boolean;
}

/** Work of flash attention per chunk of keys. Extents in tiles. */
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
  /** Discriminates the programs. */
  readonly kind: "attention";
  /** Units of work of the whole program: blocks of queries, or pairs of an early and a late one when causal. */
  readonly units: number;
  /** Blocks of queries of one unit. */
  readonly blocks: number;
  /** Chunks of keys that one unit goes over, on average. */
  readonly steps: number;
  /** Whether cores that work on one head pass keys and values on, so that they are read from DRAM once. */
  readonly forwards: boolean;
  /** Bytes of an attention mask that one step reads; 0 without one. */
  readonly maskBytes: number;
}

/** Flash decoding: every core goes over its part of the cache of the users and heads that it serves. */
export interface AttentionDecodeProgram extends ProgramBase, AttentionChunks {
  /** Discriminates the programs. */
  readonly kind: "attention_decode";
  /** Groups of up to 32 query heads of one key head and user that the most loaded core serves, one after the other. */
  readonly groups: number;
  /** Cores that share one group and combine their parts. */
  readonly sharers: number;
  /** Chunks of keys that a core goes over per group. */
  readonly steps: number;
  /** Whether each user's cache is read only up to its position, which is an assumption about the run. */
  readonly byPosition: boolean;
  /** Bytes of keys and values that all cores read together, whole chunks. */
  readonly streamedBytes: number;
}

/** Data exchanged between the chips of an axis of the mesh. */
export interface CollectiveProgram extends ProgramBase, MeshAxis, ExchangeWork {
  /** Discriminates the programs. */
  readonly kind: "collective";
  /** Kind of the exchange. */
  readonly exchange: Exchange;
  /** Bytes of one chip that take part, see `edgeLoads`. */
  readonly bytes: number;
  /** Axes of the mesh that are crossed, one after the other; none if the graph does not specify it. */
  readonly legs: readonly ExchangeLeg[];
  /** Bytes of a packet. */
  readonly packetBytes: number;
  /** Whether the kernels are those that scatter along dimension 0. */
  readonly dimZero: boolean;
  /**
   * The product that other cores compute during the exchange, one chip's part after another; `undefined` for an
   * exchange alone.
   */
  readonly product: MatmulProgram | undefined;
}

/** A tensor over PCIe; no device program, the device waits for the host. */
export interface HostTransfer extends ProgramBase {
  /** Discriminates the programs. */
  readonly kind: "host_transfer";
  /** Bytes. */
  readonly bytes: number;
}

/** One launch on the device, as data: used for legality, simulation and `explain`. */
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
  /** Discriminates known from unknown. */
  readonly status: "known";
  /** In the order in which they run. */
  readonly programs: readonly DeviceProgram[];
  /**
   * Allocations, runs and frees in the backend's order; `undefined` if all results are allocated before the first
   * program and nothing else is.
   */
  readonly events?: readonly LaunchEvent[];
}

/** The op's programs are unknown. */
export interface UnknownPrograms {
  /** Discriminates known from unknown. */
  readonly status: "unknown";
  /** The reason, in a sentence that names what is missing. */
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

/** Unknown programs of an op. */
export function unknownPrograms(name: string, what: string): UnknownPrograms {
  return { status: "unknown", reason: `${name}: ${what}` };
}

/**
 * Cores that an op runs on: those of the program that computes the most, or the larger of two equal ones; 0 when it
 * launches nothing. Programs that gather a halo or spread operands do not count.
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
