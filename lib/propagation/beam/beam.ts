// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutFacts } from "../../search/layout_catalog.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import { BeamHistories, dearerBy, type KeptCandidate, type Past } from "./beam_histories.ts";
import type { OpImpl } from "../../search/impls.ts";
import { type BeamScoreName, COMPARE_SCORES, firstFacts, ImplScore, looksAtPath } from "../layout_score.ts";
import { type OpRoles, requiredLayouts } from "../../search/op_roles.ts";
import type { InputCandidate } from "../combinations.ts";
import {
  type ExplorationOptions,
  Explorer,
  type Offers,
  type OperandReading,
  readingOf,
} from "../exploration.ts";
import { type ProducerOffer, UNFED } from "../input_candidates.ts";
import type { Beams } from "../propagation_observer.ts";
import { keptImpl } from "../kept_impl.ts";

/** A combination of operand candidates with its joined history, and one implementation of the op on it. */
export interface PathCandidate {
  readonly reading: OperandReading;
  readonly past: Past;
  readonly impl: OpImpl;
  /** µs of converting results to the layout of the signature. */
  readonly returnMicroseconds: number;
}

/** Predicted µs of a candidate's past, its op and its returned results; prices the implementation on demand. */
function pathMicroseconds({ reading, past, impl, returnMicroseconds }: PathCandidate): number {
  return past.history.microseconds + reading.reshardMicroseconds + impl.microseconds + returnMicroseconds;
}

/**
 * Fewest cores of any op in a candidate's past, its own included (tt-mlir:optimizer-document §5.8.1); an op
 * that launches nothing does not count.
 */
function pathMinCores(past: Past, { cores }: OpImpl): number {
  return cores === 0 ? past.pathMinCores : Math.min(past.pathMinCores, cores);
}

/** How many candidates a beam keeps, and which. */
interface BeamLimits {
  readonly score: BeamScoreName;
  readonly beamWidth: number;
}

/**
 * The slots of an op's beam, best first, at most `beamWidth`. Scores that count the path keep one slot per
 * set of result layouts, and the best slot of every kind (memory and sharding) before the second one of any
 * kind, because the readers at a fork differ in kind rather than in grid (tt-mlir:optimizer-document §5.8.1,
 * `[HS, BS, WS, …]`).
 */
export function bestCandidates(
  evaluator: OpEvaluator,
  op: OpId,
  found: readonly PathCandidate[],
  limits: BeamLimits,
): readonly KeptCandidate[] {
  const producers = evaluator.op(op).operands.map((value) => evaluator.producer(value));
  const factsOf: FactsOf = ({ impl }) => firstFacts(evaluator, impl);
  const ranked = looksAtPath(limits.score)
    ? bestOfKinds(found, factsOf, limits)
    : bestByScore(found, factsOf, limits);
  return ranked.map((each) => beamCandidate(producers, each));
}

type FactsOf = (candidate: PathCandidate) => LayoutFacts | undefined;

function bestOfKinds(
  found: readonly PathCandidate[],
  factsOf: FactsOf,
  limits: BeamLimits,
): readonly RankedCandidate[] {
  const compare = comparing(limits.score);
  const kinds = [...Map.groupBy(found, (candidate) => factsOf(candidate)?.kind).values()]
    .map((candidates) => bestByScore(candidates, factsOf, limits));
  const firsts = kinds.flatMap((kind) => kind.slice(0, 1)).toSorted(compare);
  const others = kinds.flatMap((kind) => kind.slice(1)).toSorted(compare);
  return [...firsts, ...others].slice(0, limits.beamWidth).toSorted(compare);
}

/** The best candidates by score, best first; ties keep their order. */
function bestByScore(
  found: readonly PathCandidate[],
  factsOf: FactsOf,
  { score: scoreName, beamWidth }: BeamLimits,
): readonly RankedCandidate[] {
  const compare = comparing(scoreName);
  const kept: RankedCandidate[] = [];
  for (const candidate of found) {
    const ranked = rankedCandidate(candidate, factsOf(candidate));
    const last = kept.length < beamWidth ? undefined : kept.at(-1);
    if (last !== undefined && compare(ranked, last) >= 0) continue;
    if (looksAtPath(scoreName) && !replaces(kept, ranked, compare)) continue;
    const place = kept.findIndex((other) => compare(ranked, other) < 0);
    kept.splice(place < 0 ? kept.length : place, 0, ranked);
    kept.splice(beamWidth);
  }
  return kept;
}

/** Whether a candidate is better than the kept one with the same results; removes that one. */
function replaces(kept: RankedCandidate[], ranked: RankedCandidate, compare: CompareCandidates): boolean {
  const { outputsId } = ranked.candidate.impl;
  const index = kept.findIndex((other) => other.candidate.impl.outputsId === outputsId);
  const other = kept[index];
  if (other === undefined) return true;
  if (compare(ranked, other) >= 0) return false;
  kept.splice(index, 1);
  return true;
}

interface RankedCandidate {
  readonly candidate: PathCandidate;
  readonly score: ImplScore;
}

/** Negative if `a` ranks before `b`, 0 if they tie. */
type CompareCandidates = (a: RankedCandidate, b: RankedCandidate) => number;

function comparing(score: BeamScoreName): CompareCandidates {
  return (a, b) => COMPARE_SCORES[score](a.score, b.score);
}

/** @param facts about the first result */
function rankedCandidate(candidate: PathCandidate, facts: LayoutFacts | undefined): RankedCandidate {
  const { reading, past, impl } = candidate;
  const score = new ImplScore(reading, impl, facts, {
    pathMinCores: pathMinCores(past, impl),
    pathReshards: past.history.reshards + reading.reshards,
    microseconds: () => pathMicroseconds(candidate),
  });
  return { candidate, score };
}

/** A candidate as a slot of a beam. */
function beamCandidate(
  producers: readonly (OpId | undefined)[],
  { candidate, score }: RankedCandidate,
): KeptCandidate {
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

/**
 * Times of beam slots that differ by less than this many µs count as equal; a power of two, so that dividing
 * by it is exact.
 */
const GRAIN = 2 ** -20;

/** Options of the forward phase. */
export interface BeamOptions extends ExplorationOptions {
  readonly score: BeamScoreName;
  /** 1 is a greedy search. */
  readonly beamWidth: number;
  /** Called with each op before it is decided. */
  readonly onOp?: ((op: OpId) => void) | undefined;
}

/**
 * Forward phase of pass 1: visits ops in schedule order, explores all operands and keeps the best `beamWidth`
 * candidates per op.
 */
export function forwardPass(evaluator: OpEvaluator, roles: OpRoles, options: BeamOptions): Beams {
  return new ForwardPass(evaluator, roles, options).run();
}

class ForwardPass {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #options: BeamOptions;
  readonly #histories: BeamHistories;
  readonly #explorer: Explorer;
  /** By value id. */
  readonly #offersOf: (Offers | undefined)[] = [];
  readonly #offerIds: Map<string, number> = new Map();
  /** Why the last rejected implementation of the current op was rejected. */
  #lastRefusal: string | undefined;

  constructor(evaluator: OpEvaluator, roles: OpRoles, options: BeamOptions) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#options = options;
    this.#histories = new BeamHistories(evaluator, options.beamWidth > 1);
    // Layouts that `return` and undecided consumers require of a value: it must be possible to convert every
    // slot to them.
    const mustReach = requiredLayouts(evaluator, roles);
    this.#explorer = new Explorer(evaluator, roles, mustReach, options, this.#reshardPriority);
  }

  run(): Beams {
    for (const { id } of this.#evaluator.fn.ops) {
      this.#options.onOp?.(id);
      const decided = this.#roles.decided[id] === true;
      let candidates = decided ? this.#decide(id) : [];
      const usedFallback = candidates.length === 0;
      if (usedFallback) candidates = [this.#keep(id)];
      const beam = this.#histories.add(id, bestCandidates(this.#evaluator, id, candidates, this.#options));
      this.#options.observer?.beam?.(id, beam, decided && usedFallback);
    }
    return this.#histories.beams;
  }

  /** Candidates of an op whose layouts pass 1 chooses. */
  #decide(id: OpId): readonly PathCandidate[] {
    const { operands } = this.#evaluator.op(id);
    this.#evaluator.work.charge("beamedOp", 1);
    const offers = operands.map((value) => this.#offers(value));
    const { readings, refusal } = this.#explorer.explore(id, offers);
    this.#lastRefusal = refusal;
    const joined: Past[] = [];
    return readings.flatMap(({ reading, impls }) => {
      const past = this.#histories.join(operands, reading, joined);
      this.#evaluator.work.charge("candidate", impls.length);
      return impls.map(({ impl, returnMicroseconds }) => ({ reading, past, impl, returnMicroseconds }));
    });
  }

  /** The candidate of an op that has only one: every operand in the input's layout. */
  #keep(id: OpId): PathCandidate {
    const evaluator = this.#evaluator;
    const kept = evaluator.kept(id);
    const combination = evaluator.op(id).operands.map((value, operand): InputCandidate => {
      const { tensor } = evaluator.value(value);
      const layout = kept.inputs[operand];
      if (layout === undefined || tensor === undefined) return { ...UNFED, layout };
      let best: InputCandidate | undefined;
      for (const offer of this.#offers(value).offers) {
        if (offer.layout === undefined) continue;
        const isReshard = offer.layout !== layout;
        const reshardMicroseconds = evaluator.reshardMicroseconds(tensor, offer.layout, layout);
        const priority = offer.priority + (isReshard ? this.#reshardPriority(reshardMicroseconds) : 0);
        if (best === undefined || priority < best.priority) {
          best = { layout, slot: offer.slot, isReshard, reshardMicroseconds, priority };
        }
      }
      return best ?? { ...UNFED, layout };
    });
    const impl = keptImpl(evaluator, id, kept, this.#lastRefusal);
    const reading = readingOf(evaluator, id, combination, 0);
    const past = this.#histories.join(evaluator.op(id).operands, reading, []);
    const { returnMicroseconds } = this.#explorer.verdicts(id).of(impl);
    return { reading, past, impl, returnMicroseconds };
  }

  /** The layouts that the producer of a value offers, computed once per value. */
  #offers(value: ValueId): Offers {
    let cached = this.#offersOf[value];
    if (cached === undefined) {
      const offers = this.#findOffers(value);
      const key = offers.map(({ layout, priority }) => `${layout}:${inGrains(priority)}`).join();
      const id = this.#offerIds.get(key) ?? this.#offerIds.size;
      this.#offerIds.set(key, id);
      this.#offersOf[value] = cached = { id, offers };
    }
    return cached;
  }

  #findOffers(value: ValueId): readonly ProducerOffer[] {
    const { definition } = this.#evaluator.value(value);
    if (definition.kind === "argument") {
      return [{ layout: this.#evaluator.declared[value], slot: -1, priority: 0 }];
    }
    const beam = this.#histories.beams[definition.op] ?? [];
    const best = beam.reduce((least, slot) => Math.min(least, slot.score.pathMicroseconds), Infinity);
    return beam.map((candidate, slot): ProducerOffer => ({
      layout: candidate.impl.outputs[definition.index],
      slot,
      priority: this.#options.score === "runtime" ? dearerBy(candidate.score.pathMicroseconds, best) : slot,
    }));
  }

  readonly #reshardPriority = (microseconds: number): number =>
    this.#options.score === "runtime" ? microseconds : this.#options.beamWidth;
}

/** Rounds to whole grains, which removes floating-point noise. */
function inGrains(microseconds: number): number {
  return Math.round(microseconds / GRAIN) * GRAIN;
}
