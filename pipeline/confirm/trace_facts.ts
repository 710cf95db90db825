// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";

/** A result as produced by the backend. */
export interface RealResult {
  readonly shape: readonly number[];
  readonly bufferType: string;
  /** Absent on the host. */
  readonly memLayout?: string | undefined;
  readonly dtype: string;
  readonly tiled: boolean;
  /** Shard shape in elements. */
  readonly shard?: readonly number[] | undefined;
  /** First column, first row, last column, last row. */
  readonly coreRanges?: readonly (readonly [number, number, number, number])[] | undefined;
  /** Order of the shards over the cores: `col_major`; absent for row-major. */
  readonly orientation?: string | undefined;
  /** Address of its buffer; absent on the host. */
  readonly address?: number | undefined;
}

/** Programs and L1 of an op; bytes of L1 per core. */
export interface OpUse {
  /** Index of the op in the job. */
  readonly op: number;
  /** Bytes of the tensors that are in L1 before the op. */
  readonly before: number;
  /** Device operations in order. */
  readonly programs: readonly string[];
  /** Per program, circular and dataflow buffers of the fullest core. */
  readonly circular_buffers: readonly number[];
  /** Per program, scratchpads of the fullest core. */
  readonly scratchpads: readonly number[];
  /** Peak L1 during the op, earlier tensors included. */
  readonly peak: number;
}

export interface OpRan extends OpUse {
  readonly results: readonly RealResult[];
}

/** An op that the backend refused, with its message. */
export interface OpRefused extends OpUse {
  readonly refused: string;
  /** `memory`: L1 or DRAM short, or buffers clash. */
  readonly status: "error" | "memory";
}

export type OpFact = OpRan | OpRefused;

const NUMBERS: v.GenericSchema<unknown, number[]> = v.array(v.number());

const RESULT: v.GenericSchema<unknown, RealResult> = v.object({
  shape: NUMBERS,
  bufferType: v.string(),
  memLayout: v.optional(v.string()),
  dtype: v.string(),
  tiled: v.boolean(),
  shard: v.optional(NUMBERS),
  coreRanges: v.optional(v.array(v.tuple([v.number(), v.number(), v.number(), v.number()]))),
  orientation: v.optional(v.string()),
  address: v.optional(v.number()),
});

const USE = {
  op: v.number(),
  before: v.number(),
  programs: v.array(v.string()),
  circular_buffers: NUMBERS,
  scratchpads: NUMBERS,
  peak: v.number(),
};

const REFUSED: v.GenericSchema<unknown, OpRefused> = v.object({
  ...USE,
  refused: v.string(),
  status: v.picklist(["error", "memory"]),
});

const RAN: v.GenericSchema<unknown, OpRan> = v.object({ ...USE, results: v.array(RESULT) });

const LINE = v.union([
  v.object({ ready: v.string(), l1: v.number() }),
  v.object({ begin: v.number() }),
  v.object({ argument: v.string(), refused: v.string() }),
  v.object({ failed: v.string() }),
  REFUSED,
  RAN,
  v.object({ done: v.literal(true), left: v.number() }),
]);

/** The facts reported by a run of `cli/backend/trace.py`. */
export interface TraceFacts {
  /** Version of ttnn; `undefined` if the backend did not start. */
  readonly version: string | undefined;
  /** By index in the job. */
  readonly ops: ReadonlyMap<number, OpFact>;
  /** Arguments that cannot be created, with the backend's message. */
  readonly refusedArguments: readonly { readonly argument: string; readonly refused: string }[];
  /**
   * Index of the op during which the process crashed; `undefined` if it reached its end, or crashed
   * between two ops.
   */
  readonly endedAt: number | undefined;
  readonly isDone: boolean;
}

/**
 * Reads the facts of a run, complete or not.
 *
 * @throws {Error} for a line that the script never writes: a bug
 */
export function readTrace(lines: readonly string[]): TraceFacts {
  const ops = new Map<number, OpFact>();
  const refusedArguments: { argument: string; refused: string }[] = [];
  let version: string | undefined;
  let endedAt: number | undefined;
  let isDone = false;
  for (const text of lines) {
    const line = v.parse(LINE, JSON.parse(text));
    if ("ready" in line) version = line.ready;
    else if ("begin" in line) endedAt = line.begin;
    else if ("argument" in line) refusedArguments.push(line);
    else if ("done" in line) isDone = true;
    // Its operand was refused or could not be expressed; that is reported at the operand's op.
    else if ("failed" in line) continue;
    else {
      ops.set(line.op, line);
      endedAt = undefined;
    }
  }
  return { version, ops, refusedArguments, endedAt: isDone ? undefined : endedAt, isDone };
}
