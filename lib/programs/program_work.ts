// SPDX-License-Identifier: Apache-2.0
import type { VectorFunction } from "../ops/definition.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import type { ProgramTensor } from "./program_tensor.ts";

/** The work that device programs of every kind state: pages that they move and tiles that they compute. */

/** Pages of one tensor that a program reads or writes. */
export interface PageStream {
  /** The tensor that holds the pages. */
  readonly tensor: ProgramTensor;
  /**
   * Bytes of the tensor that the whole program moves: fewer or more than the tensor if it is read partly or
   * repeatedly.
   */
  readonly bytes: number;
  /** Bytes of one transaction; default: the tensor's page. */
  readonly transactionBytes?: number;
  /** Whether the bytes are already in the core's own L1, so that nothing moves. */
  readonly local?: boolean;
  /** Whether the address of each transaction is computed from row indices. */
  readonly scattered?: boolean;
  /** Distance in pages between consecutive writes of a core; default 1. */
  readonly stride?: number;
  /** Whether the writer starts a page only after the previous one has left the core's L1. */
  readonly flushesPages?: boolean;
  /** Whether it is written after all units, in equal parts by all cores (padding). */
  readonly afterUnits?: boolean;
  /** Whether each core reads it once, regardless of its units (rows of weights). */
  readonly oncePerCore?: boolean;
}

/** Work of the compute threads, per tile or per tile row. */
export type TileOperation =
  /** Unpack, add or copy, pack. */
  | "eltwise"
  /** The extra work of a tile with 4-byte elements. */
  | "eltwise_wide"
  /** One tile of a reduction; and passing a row's scalar to the next pass. */
  | "reduce"
  | "reduce_row"
  /** One core's partial sum of a row, fetched and added to the others'. */
  | "add_part"
  /** One tile of one pass of a norm or softmax; and the same with f32 accumulation. */
  | "pass"
  | "pass_wide"
  /** Fixed time of a block of tiles in one pass, for passing it between threads. */
  | "pass_block"
  /** One tile of one pass of a group norm, including its group's mask. */
  | "group_pass"
  /** One element compared with the current maximum; one row scanned; one core's answer. */
  | "scan_element"
  | "scan_row"
  | "scan_share"
  /** One index compared with a tile's contents. */
  | "gather_element"
  /** One element of a wide row in a ranking of the largest. */
  | "rank_element"
  /** One tile sorted into one tile of the current largest; and one core's list merged into another's. */
  | "sort_step"
  | "sort_merge"
  | "tilize"
  /**
   * One tile untilized from a row that the packer holds whole, or from a wider one; and the fixed part of a
   * row.
   */
  | "untilize"
  | "untilize_wide"
  | "untilize_row"
  | "transpose"
  /** One 4-byte word written by a data movement thread; and one byte copied by it. */
  | "fill_word"
  | "copy_byte"
  /** One word in a run of equal words that a data movement thread writes. */
  | "pad_word"
  /** One tile times the rotation matrix; and one multiply or add of tiles around it. */
  | "rotate"
  | "rotary_pass"
  /** A function that the vector unit reads from a table. */
  | "lookup"
  /** Another function of the vector unit. */
  | Exclude<VectorFunction, "none">;

/** A number of equal tile operations. */
export interface TileWork {
  /** The operation. */
  readonly operation: TileOperation;
  /** Its count. */
  readonly count: number;
}

/** Common fields of device programs. */
export interface ProgramBase<Kind extends string = string> {
  /** Discriminates the programs. */
  readonly kind: Kind;
  /** Number of worker cores. */
  readonly cores: number;
  /** Circular buffers between its threads. */
  readonly circularBuffers: readonly CircularBuffer[];
  /** Pages that it reads. */
  readonly reads: readonly PageStream[];
  /** Pages that it writes. */
  readonly writes: readonly PageStream[];
  /** Floating point operations, whole chip. */
  readonly flops: number;
}
