// SPDX-License-Identifier: Apache-2.0
import type { OpImpl } from "../search/impls.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { LayoutFacts } from "../search/layout_catalog.ts";
import type { OperandReading } from "./exploration.ts";

/** The scores by which candidates can be ranked. */
export type ScoreName = "bottleneck" | "direct" | "local" | "runtime";

/** All score names, for help and checks. */
export const SCORE_NAMES: readonly ScoreName[] = ["bottleneck", "direct", "local", "runtime"];

/**
 * The scores of the beam search; `local` belongs to the algorithm of tt-mlir's compiler
 * (`propagateMemoryLayouts`).
 */
export type BeamScoreName = Exclude<ScoreName, "local">;

/** Whether a score counts the candidate's past; `direct` looks at the op alone. */
export function looksAtPath(score: BeamScoreName): boolean {
  return score !== "direct";
}

/**
 * Components of a candidate's score. The first six are tt-mlir's `LayoutScore` (tt-mlir:op-model-strategy);
 * the others concern the path.
 */
export interface LayoutScore {
  /** Whether the first result is in L1. */
  readonly isL1: boolean;
  /** Whether the first result is sharded. */
  readonly isSharded: boolean;
  /** Padded bytes that the op reads from outside L1; an operand that occurs twice counts twice. */
  readonly inputDramBytes: number;
  /** Whether an operand is read as a copy in another layout. */
  readonly requiresReshard: boolean;
  /** Grid volume of the first result: the whole worker grid for L1 interleaved, 1 for DRAM. */
  readonly coreCount: number;
  /** Bytes per core. */
  readonly outputL1Bytes: number;
  /** Sharded operands: tt-mlir's tie-break for ops without their own. */
  readonly shardedInputs: number;
  /** Cores that the op's programs run on; 0 when it launches nothing. */
  readonly cores: number;
  /**
   * Fewest cores of any op on the path, including the op itself; ops that launch nothing do not count.
   * `Infinity` if all ops of the path launch nothing.
   */
  readonly pathMinCores: number;
  /** Reshards on the path, each counted once. */
  readonly pathReshards: number;
  /** Predicted µs of the result and its past, each op and reshard counted once. */
  readonly pathMicroseconds: number;
}

/** Negative if `a` ranks before `b`, 0 if they tie. */
export type CompareScores = (a: LayoutScore, b: LayoutScore) => number;

/** One component of a score, as a sort key. */
interface ScoreKey {
  readonly part: keyof LayoutScore;
  /** Whether the higher value (for a flag: true) or the lower one ranks first. */
  readonly better: "higher" | "lower";
  /** The advantage of the better candidate in words, for reports. */
  readonly words: string;
}

function higher(part: keyof LayoutScore, words: string): ScoreKey {
  return { part, better: "higher", words };
}

function lower(part: keyof LayoutScore, words: string): ScoreKey {
  return { part, better: "lower", words };
}

/**
 * The keys of each score, the most important first.
 *
 * - `direct`: the greedy rule of the optimizer document (tt-mlir:optimizer-document §5.6.1, §5.8.1): sharded
 *   without a reshard, sharded with one, then the fallbacks L1 interleaved and DRAM;
 * - `local`: tt-mlir's order; the last key is its tie-break for ops without their own;
 * - `bottleneck`: most cores at the bottleneck of the path, then fewest reshards; ties go to L1 sharded, L1
 *   interleaved, DRAM in this order, then to more cores and less L1;
 * - `runtime`: least accumulated time; ties go to less L1, then to fewer reshards.
 */
export const SCORE_KEYS: Readonly<Record<ScoreName, readonly ScoreKey[]>> = {
  direct: [
    higher("isSharded", "a sharded result"),
    lower("requiresReshard", "no reshard"),
    higher("isL1", "a result in L1"),
    higher("coreCount", "more cores"),
    lower("inputDramBytes", "fewer bytes read from DRAM"),
    lower("outputL1Bytes", "less L1"),
  ],
  local: [
    higher("isL1", "a result in L1"),
    higher("isSharded", "a sharded result"),
    lower("inputDramBytes", "fewer bytes read from DRAM"),
    lower("requiresReshard", "no reshard"),
    higher("coreCount", "more cores"),
    lower("outputL1Bytes", "less L1"),
    higher("shardedInputs", "more sharded operands"),
  ],
  bottleneck: [
    higher("pathMinCores", "a wider bottleneck"),
    lower("pathReshards", "fewer reshards on the way"),
    higher("isL1", "a result in L1"),
    higher("isSharded", "a sharded result"),
    higher("cores", "more cores"),
    lower("inputDramBytes", "fewer bytes read from DRAM"),
    lower("outputL1Bytes", "less L1"),
    lower("pathMicroseconds", "less time on the way"),
  ],
  runtime: [
    lower("pathMicroseconds", "less time on the way"),
    lower("outputL1Bytes", "less L1"),
    lower("pathReshards", "fewer reshards on the way"),
    higher("cores", "more cores"),
  ],
};

function comparison(keys: readonly ScoreKey[]): CompareScores {
  return (a, b) => {
    for (const { part, better } of keys) {
      const mine = a[part];
      const theirs = b[part];
      if (mine === theirs) continue;
      return (Number(mine) - Number(theirs)) * (better === "lower" ? 1 : -1);
    }
    return 0;
  };
}

/** The comparison of each score. */
export const COMPARE_SCORES: Readonly<Record<ScoreName, CompareScores>> = {
  bottleneck: comparison(SCORE_KEYS.bottleneck),
  direct: comparison(SCORE_KEYS.direct),
  local: comparison(SCORE_KEYS.local),
  runtime: comparison(SCORE_KEYS.runtime),
};

/** The facts about the first result of an implementation, which scores look at; `undefined` without one. */
export function firstFacts(
  evaluator: Pick<OpEvaluator, "facts">,
  { outputs: [first] }: OpImpl,
): LayoutFacts | undefined {
  return first === undefined ? undefined : evaluator.facts(first);
}

/** The path to a candidate, itself included, as {@linkcode LayoutScore} counts it; its µs are priced on demand. */
export interface ScoredPath extends Pick<LayoutScore, "pathMinCores" | "pathReshards"> {
  microseconds(): number;
}

/** The score of an implementation on its operands' layouts. */
export class ImplScore implements LayoutScore {
  readonly isL1: boolean;
  readonly isSharded: boolean;
  readonly inputDramBytes: number;
  readonly requiresReshard: boolean;
  readonly coreCount: number;
  readonly outputL1Bytes: number;
  readonly shardedInputs: number;
  readonly cores: number;
  readonly pathMinCores: number;
  readonly pathReshards: number;
  readonly #path: ScoredPath;

  /**
   * @param facts about the first result
   * @param path default: the implementation with the copies of its operands, without anything before them
   */
  constructor(
    reading: OperandReading,
    impl: OpImpl,
    facts: LayoutFacts | undefined,
    path: ScoredPath = {
      pathMinCores: impl.cores,
      pathReshards: reading.reshards,
      microseconds: () => impl.microseconds + reading.reshardMicroseconds,
    },
  ) {
    this.isL1 = facts?.isL1 ?? false;
    this.isSharded = facts?.isSharded ?? false;
    this.inputDramBytes = reading.inputDramBytes;
    this.requiresReshard = reading.reshards > 0;
    this.coreCount = facts?.gridVolume ?? 0;
    this.outputL1Bytes = impl.outputL1Bytes;
    this.shardedInputs = reading.shardedInputs;
    this.cores = impl.cores;
    this.pathMinCores = path.pathMinCores;
    this.pathReshards = path.pathReshards;
    this.#path = path;
  }

  /** Predicted µs of the path, computed on demand: most rankings do not need it. */
  get pathMicroseconds(): number {
    return this.#path.microseconds();
  }
}
