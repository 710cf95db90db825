// SPDX-License-Identifier: Apache-2.0
import type { Past } from "./beam_histories.ts";
import type { Reading } from "./exploration.ts";
import { looksAtPath, type ScoreName } from "./layout_score.ts";
import type { Way } from "../search/ways.ts";

/** A combination of operand candidates with the history that it depends on, and one way to run the op on it. */
export interface PooledCandidate {
  readonly reading: Reading;
  readonly past: Past;
  readonly way: Way;
  /** µs of converting results to the layout of the signature. */
  readonly returnMicroseconds: number;
}

/**
 * Predicted µs of everything that the result of a candidate depends on; computes the price of its way if
 * necessary.
 */
export function pathMicroseconds({ reading, past, way, returnMicroseconds }: PooledCandidate): number {
  return sumOf(reading, past, way, returnMicroseconds);
}

/**
 * Fewest cores of any op that the result of a candidate depends on, its own included
 * (tt-mlir:optimizer-document §5.8.1); an op that launches nothing limits nobody.
 */
export function pathMinCores(past: Past, { cores }: Way): number {
  return cores === 0 ? past.pathMinCores : Math.min(past.pathMinCores, cores);
}

function sumOf(reading: Reading, past: Past, way: Way, returnMicroseconds: number): number {
  return past.history.microseconds + reading.reshardMicroseconds + way.microseconds + returnMicroseconds;
}

/**
 * Collects the candidates of one op and drops early those that can never rank first: of two candidates with the
 * same results (and, for `bottleneck`, the same cores), only the better one can be useful to a consumer. Scores
 * that look at the op alone keep all of them, as tt-mlir does.
 */
export class CandidatePool {
  readonly #score: ScoreName;
  readonly #all: PooledCandidate[] = [];
  readonly #best: Map<number, PooledCandidate> = new Map();

  constructor(score: ScoreName) {
    this.#score = score;
  }

  /** Adds a candidate unless an earlier one makes it useless. */
  add(reading: Reading, past: Past, way: Way, returnMicroseconds: number): void {
    if (!looksAtPath(this.#score)) {
      this.#all.push({ reading, past, way, returnMicroseconds });
      return;
    }
    const key = this.#score === "runtime" ? way.outputsId : way.outputsId * 0x1000 + way.cores;
    const known = this.#best.get(key);
    const microseconds = sumOf(reading, past, way, returnMicroseconds);
    if (known === undefined || this.#isBetter(reading, past, way, microseconds, known)) {
      this.#best.set(key, { reading, past, way, returnMicroseconds });
    }
  }

  /** The remaining candidates, in the order in which each kind was first seen. */
  candidates(): readonly PooledCandidate[] {
    return looksAtPath(this.#score) ? [...this.#best.values()] : this.#all;
  }

  /** Whether a candidate is better than another one with the same results. */
  #isBetter(reading: Reading, past: Past, way: Way, microseconds: number, than: PooledCandidate): boolean {
    const reshards = past.history.reshards + reading.reshards;
    const others = than.past.history.reshards + than.reading.reshards;
    const known = pathMicroseconds(than);
    if (this.#score === "runtime") return microseconds === known ? reshards < others : microseconds < known;
    const [narrowest, othersNarrowest] = [pathMinCores(past, way), pathMinCores(than.past, than.way)];
    if (narrowest !== othersNarrowest) return narrowest > othersNarrowest;
    if (reshards !== others) return reshards < others;
    const { inputDramBytes } = than.reading;
    if (reading.inputDramBytes !== inputDramBytes) return reading.inputDramBytes < inputDramBytes;
    return microseconds < known;
  }
}
