// SPDX-License-Identifier: Apache-2.0
import type { MeshAxis } from "../device/mesh.ts";
import type { DataType } from "../layout/data_type.ts";
import type { MathFidelity } from "../op_config/math_fidelity.ts";
import type { Exchange, ExchangeLeg, ExchangeWork } from "./ccl/exchange.ts";
import type { LaunchEvent } from "./launch_sequence.ts";
import type { MatmulBlocks, MatmulProblem } from "./matmul/matmul_blocks.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import type { ProgramBase, TileWork } from "./program_work.ts";

/** Consecutive passes over a unit: the first waits for the reader; only the last produces results. */
export interface UnitPasses {
  /** Passes over each unit. */
  readonly count: number;
  /**
   * Whether the unit stays in its buffer until the last pass, so that the next unit is read only afterwards.
   */
  readonly holdsUnit: boolean;
}

/**
 * Work of a stream's reader kernel (NCRISC) besides the transactions of `reads`. Counts are per unit of work
 * and core, means if units differ; priced by the `stream` constants of the device files.
 */
export interface StreamReader {
  /** Read barriers (`noc_async_read_barrier`) per unit; below 1 if one covers several units. */
  readonly barriers: number;
  /** Reads within the core's own L1, issued one by one, per unit. */
  readonly copies: number;
  /** Row pieces copied to addresses from a mapping tensor (`reshape`), per unit. */
  readonly mappedPieces: number;
  /** Tiles filled from a broadcast row, column or scalar, per unit. */
  readonly broadcastFills: number;
  /** 4-byte words loaded and stored one by one, per unit. */
  readonly copiedWords: number;
  /** 4-byte words of padding stored, per unit. */
  readonly paddingWords: number;
  /** Runs (rows of elements, half rows of tiles) in which padding is stored, per unit. */
  readonly paddingRuns: number;
  /** Barriers for positions and page tables before the first unit. */
  readonly setupBarriers: number;
  /** 4-byte words of a zero tile written before the first unit, to be copied below row-major rows. */
  readonly clearedWords: number;
  /** Whether it computes the strides of several operands before the first unit (tt-metal:binary-ng). */
  readonly computesStrides: boolean;
  /** Whether it computes the core of every shard before the first unit. */
  readonly findsShards: boolean;
}

/** Work of a stream's compute threads. */
export interface StreamCompute {
  /** Work per unit; empty if units are only moved. */
  readonly work: readonly TileWork[];
  /** Passes over a unit that is needed whole; `undefined` if parts are processed as they arrive. */
  readonly passes: UnitPasses | undefined;
  /**
   * Whether input and output buffers hold one unit each, so that reader and writer wait while it computes.
   */
  readonly isSingleBuffered: boolean;
}

/** Work of a stream's writer kernel (BRISC) besides the transactions of `writes`, per core. */
export interface StreamWriter {
  /** Write barriers (`noc_async_write_barrier`) per unit. */
  readonly barriers: number;
  /** Rows of elements with a barrier each, per unit. */
  readonly rowWaits: number;
  /** 4-byte words of one tile (masks, scalars) stored once, while the reader waits for its first unit. */
  readonly filledWords: number;
}

/** Units of work (tiles, tile rows, sticks) that stream through reader, compute and writer of each core. */
export interface StreamProgram extends ProgramBase<"stream"> {
  /** Units of work of the whole program, distributed as by `split_work_to_cores`. */
  readonly units: number;
  /** Parts in which reader, compute and writer pass on a unit; 1 if a unit is needed whole. */
  readonly parts: number;
  /** Whether one thread does the work of both `reader` and `writer`, sequentially. */
  readonly oneThread: boolean;
  /** First data movement thread. */
  readonly reader: StreamReader;
  /** Compute threads. */
  readonly compute: StreamCompute;
  /** Second data movement thread. */
  readonly writer: StreamWriter;
}

/** Every core processes its own shards; nothing moves. */
export interface ResidentProgram extends ProgramBase<"resident"> {
  /** Compute of one core. */
  readonly compute: readonly TileWork[];
  /** Bytes that each core's data movement threads copy within its L1. */
  readonly copiedBytes: number;
  /** Whether graph traces omit it, like the copy of a halo to its new address. */
  readonly isUntraced?: boolean;
}

/** A blocked matrix multiplication. */
export interface MatmulProgram extends ProgramBase<"matmul"> {
  /** The matrices. */
  readonly problem: MatmulProblem;
  /** Their blocking. */
  readonly blocks: MatmulBlocks;
  /** Passes of the matrix engine per product. */
  readonly fidelity: MathFidelity;
  /** Work of the vector unit on each tile of the result before it is packed. */
  readonly activation: readonly TileWork[];
  /** Whether the number of matmuls is an assumption, because data selects the experts. */
  readonly byExpert?: boolean;
  /** Whether the backend chose the blocks, for lack of a program config. */
  readonly byBackend?: boolean;
}

/** Gathers the haloed activation of a sliding window op. Counts per core. */
export interface HaloProgram extends ProgramBase<"halo"> {
  /** Sticks (pixels with all their channels) on a core before the program. */
  readonly inputSticks: number;
  /** Sticks that a core needs, including padding and neighbours' sticks. */
  readonly outputSticks: number;
  /** Mean number of these that hold pixels. */
  readonly filledSticks: number;
  /** Mean number of these that come from other cores' shards. */
  readonly foreignSticks: number;
  /** Padding sticks on the core with the most, filled one by one without reads. */
  readonly paddingSticks: number;
  /** Cores with neighbouring shards in one line of the grid. */
  readonly lineCores: number;
  /** Bytes of one stick in the (row-major) result. */
  readonly stickBytes: number;
  /** Tiles that are untilized first; 0 for row-major activations. */
  readonly tiles: number;
}

/** The convolution kernel on its haloed activation. Counts per core and in tiles unless they say otherwise. */
export interface ConvolutionProgram extends ProgramBase<"convolution"> {
  /** Rows of tiles of the output. */
  readonly rows: number;
  /** Columns of tiles of the output. */
  readonly columns: number;
  /** Contracted extent: window × input channels of a group. */
  readonly depth: number;
  /**
   * Part of the depth that the core tilizes itself; less than `depth` if the cores of a row divide the work.
   */
  readonly ownDepth: number;
  /** Rows of an activation block; every further one reads the weights again if `reloadsWeights`. */
  readonly blockRows: number;
  /** Whether every activation block reads the weights again. */
  readonly reloadsWeights: boolean;
  /** Depth of one activation block. */
  readonly blockDepth: number;
  /** Whether the next blocks of activations and weights are read while these are multiplied. */
  readonly doubleBuffered: boolean;
  /** Height and width of a subblock of the destination register. */
  readonly subblock: readonly [number, number];
  /** Passes of the matrix engine per product. */
  readonly fidelity: MathFidelity;
  /** Element format of the activation. */
  readonly activationType: DataType;
  /** Element format of the weights. */
  readonly weightType: DataType;
  /** Output pixels. */
  readonly pixels: number;
  /** Reads per window: one per window row if its pixels are contiguous. */
  readonly readsPerPixel: number;
}

/** Reduces windows of a haloed activation. Counts per core. */
export interface PoolProgram extends ProgramBase<"pool"> {
  /** Output pixels. */
  readonly pixels: number;
  /** Pixels under one window. */
  readonly windowPixels: number;
  /**
   * Reads per window: its rows, if their pixels are contiguous, or its pixels, if it needs several
   * reductions.
   */
  readonly windowReads: number;
  /** Tiles of channels. */
  readonly channelTiles: number;
}

/** Moves pages to shards, shards to pages, or shards to other shards. */
export interface TransferProgram extends ProgramBase<"transfer"> {
  /** Placement before the move. */
  readonly input: ProgramTensor;
  /** Placement after the move. */
  readonly output: ProgramTensor;
  /** Whether the cores of the output's shards read; otherwise the cores of the input's shards write. */
  readonly pulls: boolean;
  /** Transactions per core. */
  readonly transactions: number;
  /** Bytes of one transaction. */
  readonly transactionBytes: number;
  /** Whether each page passes through a staging buffer with its own barrier. */
  readonly staged: boolean;
  /** Short L1 copies per core. */
  readonly shortCopies: number;
  /** Compute work of one core, for changes of format or page layout on the way. */
  readonly compute: readonly TileWork[];
  /** Whether bytes cross the network; a tilize of shards in place moves nothing. */
  readonly moves: boolean;
}

/** Work of flash attention per key chunk. Extents in tiles. */
export interface AttentionChunks {
  /** Rows of scores that a core computes at once: a query block, or the heads that share their keys. */
  readonly queryTiles: number;
  /** Keys per step. */
  readonly keyTiles: number;
  /** Extent of a head of the keys. */
  readonly headTiles: number;
  /** Tiles of the values' extent. */
  readonly valueTiles: number;
  /** Tiles read per 32 keys: keys, and values unless they are part of the keys. */
  readonly streamedTiles: number;
  /** Share of the worker grid's columns that the cores use. */
  readonly columnShare: number;
  /** Element format of the keys and values. */
  readonly keyType: DataType;
  /** Passes of the matrix engine per product. */
  readonly fidelity: MathFidelity;
  /** Whether the destination register accumulates in f32. */
  readonly wide: boolean;
}

/**
 * Flash attention over a whole sequence: query blocks are distributed over the cores; each streams the keys
 * that it attends to.
 */
export interface AttentionProgram extends ProgramBase<"attention">, AttentionChunks {
  /** Units of work of the whole program: query blocks, or pairs of an early and a late block if causal. */
  readonly units: number;
  /** Query blocks per unit. */
  readonly blocks: number;
  /** Mean number of key chunks per unit. */
  readonly steps: number;
  /** Whether cores that process one head forward keys and values, so that DRAM is read once. */
  readonly forwards: boolean;
  /** Bytes of an attention mask read per step; 0 without one. */
  readonly maskBytes: number;
}

/** Flash decoding: every core processes its part of the caches of its users and heads. */
export interface AttentionDecodeProgram extends ProgramBase<"attention_decode">, AttentionChunks {
  /** Groups of up to 32 query heads of one key head and user on the most loaded core, one after another. */
  readonly groups: number;
  /** Cores that share one group and combine their partial results. */
  readonly sharers: number;
  /** Key chunks of a core per group. */
  readonly steps: number;
  /** Whether each user's cache is read only up to its position, which is an assumption about the run. */
  readonly byPosition: boolean;
  /** Bytes of keys and values that all cores read, in whole chunks. */
  readonly streamedBytes: number;
}

/** Data exchanged between the chips of an axis of the mesh. */
export interface CollectiveProgram extends ProgramBase<"collective">, MeshAxis, ExchangeWork {
  /** Kind of the collective. */
  readonly exchange: Exchange;
  /** Bytes of one chip that take part; see `edgeLoads`. */
  readonly bytes: number;
  /** Crossed axes of the mesh, in order; empty if the graph does not specify them. */
  readonly legs: readonly ExchangeLeg[];
  /** Bytes of a packet. */
  readonly packetBytes: number;
  /** Whether the kernels for scattering along dimension 0 run. */
  readonly dimZero: boolean;
  /**
   * The matmul that other cores compute during the collective, one chip's part after another; `undefined`
   * without one.
   */
  readonly product: MatmulProgram | undefined;
}

/** A tensor over PCIe; no device program: the device waits for the host. */
export interface HostTransfer extends ProgramBase<"host_transfer"> {
  /** Bytes. */
  readonly bytes: number;
}

/** One launch on the device as data, for legality, simulation and `explain`. */
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

/** Device programs of an op in execution order; empty for views and bookkeeping. */
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
  /** The reason: a sentence that names the missing fact. */
  readonly reason: string;
}

/** The programs of an op. */
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
 * Cores of an op: those of the program with the most flops, on ties the larger number; 0 if it launches nothing. Programs
 * that only move data count where no other runs.
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
