// SPDX-License-Identifier: Apache-2.0
import type { InputCandidate } from "./combinations.ts";
import type { History } from "./history.ts";
import { looksAtPath, type ScoreName } from "./layout_score.ts";
import type { LayoutIds, Way } from "../search/ways.ts";

/** One combination of operand candidates, with everything that is the same for all ways to run the op on it. */
export interface Feed {
  readonly combination: readonly InputCandidate[];
  readonly inputs: LayoutIds;
  /** Choices that the operands rest on, joined. */
  readonly history: History;
  /** µs of that history and of the reshards of the operands. */
  readonly microseconds: number;
  readonly reshards: number;
  readonly inputDramBytes: number;
  readonly inputL1Bytes: number;
  readonly shardedInputs: number;
  readonly pathMinCores: number;
}

/** A feed and one way to run the op on it. */
export interface PooledCandidate {
  readonly feed: Feed;
  readonly way: Way;
  readonly pathMicroseconds: number;
}

/**
 * Collects the candidates of one op and drops early what the score could never rank first: of two candidates with the
 * same results (and, for `bottleneck`, the same cores) only the better one can be of use to a consumer. Scores of the op
 * alone keep all, as tt-mlir does.
 */
export class CandidatePool {
  readonly #score: ScoreName;
  readonly #all: PooledCandidate[] = [];
  readonly #best: Map<number, PooledCandidate> = new Map();

  constructor(score: ScoreName) {
    this.#score = score;
  }

  /** Adds a candidate unless an earlier one makes it useless. */
  add(feed: Feed, way: Way, pathMicroseconds: number): void {
    if (!looksAtPath(this.#score)) {
      this.#all.push({ feed, way, pathMicroseconds });
      return;
    }
    const key = this.#score === "runtime" ? way.outputsId : way.outputsId * 0x1000 + way.cores;
    const known = this.#best.get(key);
    if (known === undefined || this.#isBetter(feed, pathMicroseconds, known)) {
      this.#best.set(key, { feed, way, pathMicroseconds });
    }
  }

  /** What is left, in the order in which each kind was first seen. */
  candidates(): readonly PooledCandidate[] {
    return looksAtPath(this.#score) ? [...this.#best.values()] : this.#all;
  }

  /** Whether a candidate of this feed is better than one with the same results. */
  #isBetter(feed: Feed, pathMicroseconds: number, than: PooledCandidate): boolean {
    const reshards = reshardsOf(feed);
    const others = reshardsOf(than.feed);
    if (this.#score === "runtime") {
      if (pathMicroseconds !== than.pathMicroseconds) return pathMicroseconds < than.pathMicroseconds;
      return reshards < others;
    }
    if (feed.pathMinCores !== than.feed.pathMinCores) return feed.pathMinCores > than.feed.pathMinCores;
    if (reshards !== others) return reshards < others;
    if (feed.inputDramBytes !== than.feed.inputDramBytes) {
      return feed.inputDramBytes < than.feed.inputDramBytes;
    }
    return pathMicroseconds < than.pathMicroseconds;
  }
}

function reshardsOf({ history, reshards }: Feed): number {
  return history.reshards + reshards;
}
