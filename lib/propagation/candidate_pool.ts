// SPDX-License-Identifier: Apache-2.0
import type { Past } from "./beam_histories.ts";
import type { OperandReading } from "./exploration.ts";
import { type BeamScoreName, looksAtPath } from "./layout_score.ts";
import type { OpImpl } from "../search/impls.ts";

/** A combination of operand candidates with its joined history, and one implementation of the op on it. */
export interface PooledCandidate {
  readonly reading: OperandReading;
  readonly past: Past;
  readonly impl: OpImpl;
  /** µs of converting results to the layout of the signature. */
  readonly returnMicroseconds: number;
}

/**
 * Predicted µs of a candidate's past, its op and its returned results; prices the implementation on demand.
 */
export function pathMicroseconds({ reading, past, impl, returnMicroseconds }: PooledCandidate): number {
  return sumOf(reading, past, impl, returnMicroseconds);
}

/**
 * Fewest cores of any op in a candidate's past, its own included (tt-mlir:optimizer-document §5.8.1); an op
 * that launches nothing does not count.
 */
export function pathMinCores(past: Past, { cores }: OpImpl): number {
  return cores === 0 ? past.pathMinCores : Math.min(past.pathMinCores, cores);
}

function sumOf(reading: OperandReading, past: Past, impl: OpImpl, returnMicroseconds: number): number {
  return past.history.microseconds + reading.reshardMicroseconds + impl.microseconds + returnMicroseconds;
}

/**
 * Collects the candidates of one op and drops early those that can never rank first. Of two candidates with
 * equal results (and, for `bottleneck`, equal cores), consumers need only the better one. Scores of the op
 * alone keep all.
 */
export class CandidatePool {
  readonly #score: BeamScoreName;
  readonly #all: PooledCandidate[] = [];
  readonly #best: Map<number, PooledCandidate> = new Map();

  constructor(score: BeamScoreName) {
    this.#score = score;
  }

  /** Adds a candidate unless an earlier one dominates it. */
  add(reading: OperandReading, past: Past, impl: OpImpl, returnMicroseconds: number): void {
    if (!looksAtPath(this.#score)) {
      this.#all.push({ reading, past, impl, returnMicroseconds });
      return;
    }
    const key = this.#score === "runtime" ? impl.outputsId : impl.outputsId * 0x1000 + impl.cores;
    const cached = this.#best.get(key);
    const microseconds = sumOf(reading, past, impl, returnMicroseconds);
    if (cached === undefined || this.#isBetter(reading, past, impl, microseconds, cached)) {
      this.#best.set(key, { reading, past, impl, returnMicroseconds });
    }
  }

  /** The remaining candidates, in the order in which each kind was first seen. */
  candidates(): readonly PooledCandidate[] {
    return looksAtPath(this.#score) ? [...this.#best.values()] : this.#all;
  }

  /** Whether a candidate is better than another one with the same results. */
  #isBetter(
    reading: OperandReading,
    past: Past,
    impl: OpImpl,
    microseconds: number,
    than: PooledCandidate,
  ): boolean {
    const reshards = past.history.reshards + reading.reshards;
    const others = than.past.history.reshards + than.reading.reshards;
    const known = pathMicroseconds(than);
    if (this.#score === "runtime") return microseconds === known ? reshards < others : microseconds < known;
    const [narrowest, othersNarrowest] = [pathMinCores(past, impl), pathMinCores(than.past, than.impl)];
    if (narrowest !== othersNarrowest) return narrowest > othersNarrowest;
    if (reshards !== others) return reshards < others;
    const { inputDramBytes } = than.reading;
    if (reading.inputDramBytes !== inputDramBytes) return reading.inputDramBytes < inputDramBytes;
    return microseconds < known;
  }
}
