// SPDX-License-Identifier: Apache-2.0

/** The scores that candidates can be ranked by. */
export type ScoreName = "bottleneck" | "local" | "runtime";

/** All score names, for help and checks. */
export const SCORE_NAMES: readonly ScoreName[] = ["bottleneck", "local", "runtime"];

/**
 * Parts of a candidate's score. The first six are tt-mlir's `LayoutScore` (tt-mlir:op-model-strategy), the rest looks
 * at the path.
 */
export interface LayoutScore {
  /** Whether the first result is in L1. */
  readonly isL1: boolean;
  /** Whether the first result is sharded. */
  readonly isSharded: boolean;
  /** Padded bytes that the op reads from outside of L1; an operand that occurs twice counts twice. */
  readonly inputDramBytes: number;
  /** Whether an operand is read as a copy in another layout. */
  readonly requiresReshard: boolean;
  /** Grid volume of the first result: the whole worker grid for L1 interleaved, 1 for DRAM. */
  readonly coreCount: number;
  /** Bytes per core. */
  readonly outputL1Bytes: number;
  /** Sharded operands: tt-mlir's tie-break of ops without their own. */
  readonly shardedInputs: number;
  /** Cores that the op's programs run on. */
  readonly cores: number;
  /**
   * Fewest cores of any op on the way here. An op counts only where another of its candidates runs on more cores:
   * an op that cannot use more cores is no bottleneck that a choice could widen.
   */
  readonly pathMinCores: number;
  /** Reshards on the way here, each once. */
  readonly pathReshards: number;
  /** Predicted µs of everything that this result depends on, each op and reshard once. */
  readonly pathMicroseconds: number;
}

/** Negative when `a` ranks before `b`, 0 when they tie. */
export type CompareScores = (a: LayoutScore, b: LayoutScore) => number;

/** tt-mlir's order: L1, sharded, fewer DRAM bytes in, no reshard, more cores, less L1; then more sharded operands. */
function compareLocal(a: LayoutScore, b: LayoutScore): number {
  return flag(a.isL1, b.isL1) || flag(a.isSharded, b.isSharded) || a.inputDramBytes - b.inputDramBytes ||
    flag(b.requiresReshard, a.requiresReshard) || b.coreCount - a.coreCount ||
    a.outputL1Bytes - b.outputL1Bytes || b.shardedInputs - a.shardedInputs;
}

/**
 * The proposal's order: widest bottleneck of the path, then fewest reshards; ties go down the ladder L1 sharded, L1
 * interleaved, DRAM, then to more cores and less L1.
 */
function compareBottleneck(a: LayoutScore, b: LayoutScore): number {
  return compareNumbers(b.pathMinCores, a.pathMinCores) || a.pathReshards - b.pathReshards ||
    flag(a.isL1, b.isL1) || flag(a.isSharded, b.isSharded) || b.cores - a.cores ||
    a.inputDramBytes - b.inputDramBytes || a.outputL1Bytes - b.outputL1Bytes ||
    a.pathMicroseconds - b.pathMicroseconds;
}

/** Least accumulated time; ties take less L1, then fewer reshards. */
function compareRuntime(a: LayoutScore, b: LayoutScore): number {
  return a.pathMicroseconds - b.pathMicroseconds || a.outputL1Bytes - b.outputL1Bytes ||
    a.pathReshards - b.pathReshards || b.cores - a.cores;
}

function flag(a: boolean, b: boolean): number {
  return Number(b) - Number(a);
}

/** Difference that is 0, not NaN, for two infinities. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** The order of each score. */
export const COMPARE_SCORES: Readonly<Record<ScoreName, CompareScores>> = {
  bottleneck: compareBottleneck,
  local: compareLocal,
  runtime: compareRuntime,
};
