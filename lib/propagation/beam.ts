// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import { overrideRefused } from "../search/op_overrides.ts";
import { type OpRoles, requiredLayouts } from "../search/op_roles.ts";
import { l1Need, type LayoutIds, type Way } from "../search/ways.ts";
import type { BeamCandidate, Beams } from "./beam_candidate.ts";
import { BeamHistories } from "./beam_histories.ts";
import { CandidatePool, type Feed } from "./candidate_pool.ts";
import { combineCandidates, type InputCandidate } from "./combinations.ts";
import type { History } from "./history.ts";
import { inputCandidates, type ProducerOffer, UNFED } from "./input_candidates.ts";
import { COMPARE_SCORES, looksAtPath, type ScoreName } from "./layout_score.ts";
import { OutputVerdicts } from "./output_verdicts.ts";
import type { PropagationObserver } from "./propagation_observer.ts";

/** What the forward phase is told. */
export interface BeamOptions {
  readonly score: ScoreName;
  /** 1 is greedy. */
  readonly beamWidth: number;
  readonly maxInputCandidatesPerOperand: number;
  /** Most combinations of operand candidates per op. */
  readonly maxCombinations: number;
  /** Bytes per core that an op may fill with its operands, results and circular buffers. */
  readonly l1Budget: number;
  /** Values that must be born outside of L1 (feedback of pass 2). */
  readonly notInL1: ReadonlySet<ValueId>;
  readonly observer?: PropagationObserver | undefined;
  /** Is told which op is decided next. */
  readonly onOp?: ((op: OpId) => void) | undefined;
}

/** Forward phase of pass 1: ops in schedule order, all operands, the best `beamWidth` candidates per op kept. */
export function forwardPass(evaluator: OpEvaluator, roles: OpRoles, options: BeamOptions): Beams {
  return new ForwardPass(evaluator, roles, options).run();
}

class ForwardPass {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #options: BeamOptions;
  readonly #histories: BeamHistories;
  /** By value: the layout that returns and undecided consumers force on it, to which every slot must be movable. */
  readonly #mustReach: LayoutIds;
  /** Why the op at hand lost its last way. */
  #lastRefusal: string | undefined;

  constructor(evaluator: OpEvaluator, roles: OpRoles, options: BeamOptions) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#options = options;
    this.#histories = new BeamHistories(evaluator, options.beamWidth > 1);
    this.#mustReach = requiredLayouts(evaluator, roles);
  }

  run(): Beams {
    for (const { id } of this.#evaluator.fn.ops) {
      this.#options.onOp?.(id);
      const decided = this.#roles.decided[id] === true;
      let candidates = decided ? this.#decide(id) : [];
      const usedFallback = candidates.length === 0;
      if (usedFallback) {
        if (this.#evaluator.isOverridden(id)) {
          throw overrideRefused(
            this.#evaluator.op(id),
            this.#lastRefusal ?? "the op model accepts it with no layout of the operands",
          );
        }
        candidates = [this.#keep(id)];
      }
      const beam = this.#histories.add(id, this.#trim(candidates));
      this.#options.observer?.beam?.(id, beam, decided && usedFallback);
    }
    return this.#histories.beams;
  }

  /** Candidates of an op whose layouts pass 1 chooses. */
  #decide(id: OpId): BeamCandidate[] {
    const evaluator = this.#evaluator;
    const { observer } = this.#options;
    const { operands: values } = evaluator.op(id);
    const operands = values.map((value, operand) =>
      inputCandidates(
        evaluator,
        this.#roles,
        id,
        operand,
        value,
        this.#offers(value),
        this.#reshardPriority,
        this.#options.maxInputCandidatesPerOperand,
      )
    );
    observer?.operands?.(id, operands);
    const verdicts = this.#verdicts(id);
    const joined = new Map<string, History>();
    const combinations = combineCandidates(
      operands,
      this.#sameProducer(values),
      (layout) => evaluator.facts(layout).uniformKey,
      this.#options.maxCombinations,
    );
    const found = new CandidatePool(this.#options.score);
    this.#lastRefusal = undefined;
    for (const combination of combinations) {
      const inputs = combination.map((candidate) => candidate.layout);
      const ways = evaluator.ways(id, inputs);
      if (ways.length === 0) {
        const reason = evaluator.refusal(id, inputs, undefined) ?? "no hint gives a result that can be used";
        observer?.rejected?.(id, inputs, undefined, reason);
        continue;
      }
      const feed = this.#feed(id, combination, inputs, joined);
      for (const way of ways) {
        const refusal = this.#overBudget(feed, way) ?? verdicts.of(way).refusal;
        if (refusal !== undefined) {
          this.#lastRefusal = refusal;
          observer?.rejected?.(id, inputs, way, refusal);
          continue;
        }
        const { returnMicroseconds } = verdicts.of(way);
        found.add(feed, way, feed.microseconds + way.microseconds + returnMicroseconds);
      }
    }
    return found.candidates().map(({ feed, way, pathMicroseconds }) =>
      this.#candidate(id, feed, way, pathMicroseconds)
    );
  }

  #verdicts(id: OpId): OutputVerdicts {
    return new OutputVerdicts(this.#evaluator, id, this.#mustReach, this.#options.notInL1);
  }

  /** The one way to run an op for which there is no other: every operand in the input's layout. */
  #keep(id: OpId): BeamCandidate {
    const evaluator = this.#evaluator;
    const { inputs, outputs, config } = evaluator.kept(id);
    const combination = evaluator.op(id).operands.map((value, operand): InputCandidate => {
      const { tensor } = evaluator.value(value);
      const layout = inputs[operand];
      if (layout === undefined || tensor === undefined) return { ...UNFED, layout };
      let best: InputCandidate | undefined;
      for (const offer of this.#offers(value)) {
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
    const way: Way = {
      outputs,
      outputsId: evaluator.outputsId(outputs),
      microseconds: evaluator.runtime(id, inputs, { outputs, config }),
      config,
      cores: 1,
      l1PeakBytes: 0,
      outputL1Bytes: evaluator.l1Bytes(outputs),
      aliasedOperand: evaluator.traits(id).viewOf,
    };
    const feed = this.#feed(id, combination, inputs, new Map());
    const { returnMicroseconds } = this.#verdicts(id).of(way);
    return this.#candidate(id, feed, way, feed.microseconds + way.microseconds + returnMicroseconds);
  }

  /** What one combination of operand candidates means for every way to run the op on it. */
  #feed(
    id: OpId,
    combination: readonly InputCandidate[],
    inputs: LayoutIds,
    joined: Map<string, History>,
  ): Feed {
    const values = this.#evaluator.op(id).operands;
    const history = this.#histories.join(values, combination, joined);
    let reshardMicroseconds = 0;
    let reshards = 0;
    let inputDramBytes = 0;
    let inputL1Bytes = 0;
    let shardedInputs = 0;
    let pathMinCores = Infinity;
    values.forEach((value, operand) => {
      const candidate = combination[operand] ?? UNFED;
      const slot = this.#histories.slotOf(value, candidate);
      if (slot !== undefined) pathMinCores = Math.min(pathMinCores, slot.score.pathMinCores);
      if (candidate.layout === undefined) return;
      const facts = this.#evaluator.facts(candidate.layout);
      if (!facts.isL1) inputDramBytes += facts.totalBytes;
      if (facts.isSharded) shardedInputs++;
      for (let earlier = 0; earlier < operand; earlier++) {
        // The same value in the same layout is one buffer and one copy.
        if (values[earlier] === value && inputs[earlier] === candidate.layout) return;
      }
      inputL1Bytes += facts.l1Bytes;
      if (!candidate.isReshard) return;
      reshards++;
      reshardMicroseconds += candidate.reshardMicroseconds;
    });
    return {
      combination,
      inputs,
      history,
      microseconds: history.microseconds + reshardMicroseconds,
      reshards,
      inputDramBytes,
      inputL1Bytes,
      shardedInputs,
      pathMinCores,
    };
  }

  #overBudget(feed: Feed, way: Way): string | undefined {
    const needed = l1Need(feed.inputL1Bytes, way);
    if (needed <= this.#options.l1Budget) return undefined;
    return `needs ${needed} bytes of L1 per core, the budget is ${this.#options.l1Budget}`;
  }

  #candidate(id: OpId, feed: Feed, way: Way, pathMicroseconds: number): BeamCandidate {
    const first = way.outputs[0];
    const facts = first === undefined ? undefined : this.#evaluator.facts(first);
    return {
      inputs: feed.inputs,
      producers: this.#evaluator.op(id).operands.map((value) => this.#evaluator.producer(value)),
      slots: feed.combination.map((candidate) => candidate.slot),
      reshards: feed.combination.map((candidate) => candidate.isReshard),
      way,
      microseconds: pathMicroseconds - feed.history.microseconds,
      score: {
        isL1: facts?.isL1 ?? false,
        isSharded: facts?.isSharded ?? false,
        inputDramBytes: feed.inputDramBytes,
        requiresReshard: feed.reshards > 0,
        coreCount: facts?.gridVolume ?? 0,
        outputL1Bytes: way.outputL1Bytes,
        shardedInputs: feed.shardedInputs,
        cores: way.cores,
        pathMinCores: feed.pathMinCores,
        pathReshards: feed.history.reshards + feed.reshards,
        pathMicroseconds,
      },
      history: feed.history,
    };
  }

  /** Best candidates first, at most `beamWidth`; where the path counts, one per distinct set of result layouts. */
  #trim(candidates: readonly BeamCandidate[]): readonly BeamCandidate[] {
    const widest = candidates.reduce((most, candidate) => Math.max(most, candidate.score.cores), 0);
    const ranked = candidates.map((candidate) => {
      const bottleneck = candidate.score.cores < widest ? candidate.score.cores : Infinity;
      const pathMinCores = Math.min(candidate.score.pathMinCores, bottleneck);
      return pathMinCores === candidate.score.pathMinCores
        ? candidate
        : { ...candidate, score: { ...candidate.score, pathMinCores } };
    });
    const compare = COMPARE_SCORES[this.#options.score];
    ranked.sort((a, b) => compare(a.score, b.score));
    const kept: BeamCandidate[] = [];
    const seen = new Set<number>();
    for (const candidate of ranked) {
      if (kept.length >= this.#options.beamWidth) break;
      if (looksAtPath(this.#options.score)) {
        if (seen.has(candidate.way.outputsId)) continue;
        seen.add(candidate.way.outputsId);
      }
      kept.push(candidate);
    }
    return kept;
  }

  #offers(value: ValueId): readonly ProducerOffer[] {
    const { definition } = this.#evaluator.value(value);
    if (definition.kind === "argument") {
      return [{ layout: this.#evaluator.declared[value], slot: -1, priority: 0 }];
    }
    const beam = this.#histories.beams[definition.op] ?? [];
    const best = beam.reduce((least, slot) => Math.min(least, slot.score.pathMicroseconds), Infinity);
    return beam.map((candidate, slot): ProducerOffer => ({
      layout: candidate.way.outputs[definition.index],
      slot,
      priority: this.#options.score === "runtime" ? candidate.score.pathMicroseconds - best : slot,
    }));
  }

  readonly #reshardPriority = (microseconds: number): number =>
    this.#options.score === "runtime" ? microseconds : this.#options.beamWidth;

  /** Groups of operands that come from one op: they must be read from one slot of it. */
  #sameProducer(values: readonly ValueId[]): readonly (readonly number[])[] {
    const operands = values.map((value, operand) => ({ operand, producer: this.#evaluator.producer(value) }))
      .filter(({ producer }) => producer !== undefined);
    return [...Map.groupBy(operands, ({ producer }) => producer).values()]
      .filter((group) => group.length > 1)
      .map((group) => group.map(({ operand }) => operand));
  }
}
