// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { LayoutFacts } from "../search/layout_catalog.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { KeptCandidate } from "./beam_histories.ts";
import { pathMicroseconds, pathMinCores, type PooledCandidate } from "./candidate_pool.ts";
import { dearerBy } from "./history.ts";
import {
  type BeamScoreName,
  COMPARE_SCORES,
  type CompareScores,
  ImplScore,
  looksAtPath,
} from "./layout_score.ts";

/** How many candidates a beam keeps, and which. */
export interface BeamLimits {
  readonly score: BeamScoreName;
  readonly beamWidth: number;
}

/**
 * The slots of an op's beam, best first, at most `beamWidth`. Scores that count the path keep one slot per
 * set of result layouts; the best slot of every kind (memory and sharding) precedes the second one of any
 * kind, because the readers at a fork differ in kind rather than in grid (tt-mlir:optimizer-document §5.8.1,
 * `[HS, BS, WS, …]`).
 */
export function bestCandidates(
  evaluator: OpEvaluator,
  op: OpId,
  found: readonly PooledCandidate[],
  limits: BeamLimits,
): readonly KeptCandidate[] {
  const producers = evaluator.op(op).operands.map((value) => evaluator.producer(value));
  const factsOf = ({ impl: { outputs: [first] } }: PooledCandidate): LayoutFacts | undefined =>
    first === undefined ? undefined : evaluator.facts(first);
  const ranked = looksAtPath(limits.score)
    ? bestOfKinds(found, factsOf, limits)
    : bestByScore(found, factsOf, limits);
  return ranked.map((score) => beamCandidate(producers, score));
}

type FactsOf = (candidate: PooledCandidate) => LayoutFacts | undefined;

function bestOfKinds(
  found: readonly PooledCandidate[],
  factsOf: FactsOf,
  limits: BeamLimits,
): readonly CandidateScore[] {
  const compare = COMPARE_SCORES[limits.score];
  const kinds = [...Map.groupBy(found, (candidate) => factsOf(candidate)?.kind).values()]
    .map((candidates) => bestByScore(contenders(candidates, limits), factsOf, limits));
  const firsts = kinds.flatMap((kind) => kind.slice(0, 1)).toSorted(compare);
  const others = kinds.flatMap((kind) => kind.slice(1)).toSorted(compare);
  return [...firsts, ...others].slice(0, limits.beamWidth).toSorted(compare);
}

/** The best candidates by score, best first; ties keep their order. */
function bestByScore(
  found: readonly PooledCandidate[],
  factsOf: FactsOf,
  { score: scoreName, beamWidth }: BeamLimits,
): readonly CandidateScore[] {
  const compare = COMPARE_SCORES[scoreName];
  const kept: CandidateScore[] = [];
  for (const candidate of found) {
    const score = new CandidateScore(candidate, factsOf(candidate));
    const last = kept.length < beamWidth ? undefined : kept.at(-1);
    if (last !== undefined && compare(score, last) >= 0) continue;
    if (looksAtPath(scoreName) && !replaces(kept, score, compare)) continue;
    const place = kept.findIndex((other) => compare(score, other) < 0);
    kept.splice(place < 0 ? kept.length : place, 0, score);
    kept.splice(beamWidth);
  }
  return kept;
}

/** Whether a candidate is better than the kept one with the same results; removes that one. */
function replaces(kept: CandidateScore[], score: CandidateScore, compare: CompareScores): boolean {
  const { outputsId } = score.candidate.impl;
  const equivalent = kept.findIndex((other) => other.candidate.impl.outputsId === outputsId);
  const cached = kept[equivalent];
  if (cached === undefined) return true;
  if (compare(score, cached) >= 0) return false;
  kept.splice(equivalent, 1);
  return true;
}

/**
 * Candidates that can be among the best. For `runtime`, drops candidates slower than the first `beamWidth`
 * ones.
 */
function contenders(
  found: readonly PooledCandidate[],
  { score, beamWidth }: BeamLimits,
): readonly PooledCandidate[] {
  if (score !== "runtime" || found.length <= beamWidth) return found;
  const slowest = Float64Array.from(found, pathMicroseconds).sort()[beamWidth - 1];
  return slowest === undefined ? found : found.filter((candidate) => pathMicroseconds(candidate) <= slowest);
}

/** The score of a candidate, with everything that it depends on. */
class CandidateScore extends ImplScore {
  readonly candidate: PooledCandidate;

  /** @param facts about the first result */
  constructor(candidate: PooledCandidate, facts: LayoutFacts | undefined) {
    const { reading, past, impl } = candidate;
    super(reading, impl, facts, {
      pathMinCores: pathMinCores(past, impl),
      pathReshards: past.history.reshards + reading.reshards,
    });
    this.candidate = candidate;
  }

  get pathMicroseconds(): number {
    return pathMicroseconds(this.candidate);
  }
}

/** A candidate as a slot of a beam. */
function beamCandidate(
  producers: readonly (OpId | undefined)[],
  ranked: CandidateScore,
): KeptCandidate {
  const { candidate, ...score } = ranked;
  const microseconds = pathMicroseconds(candidate);
  const { reading, past: { history }, impl } = candidate;
  return {
    candidate: {
      inputs: reading.inputs,
      producers,
      slots: reading.slots,
      reshards: reading.isReshard,
      impl,
      microseconds: dearerBy(microseconds, history.microseconds),
      score: { ...score, pathMicroseconds: microseconds },
    },
    history,
  };
}
