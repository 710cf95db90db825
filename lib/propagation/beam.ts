// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import type { OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { combineCandidates, type InputCandidate } from "./combinations.ts";
import {
  type Contribution,
  EMPTY_HISTORY,
  extendHistory,
  type History,
  mergeHistories,
  slotIn,
} from "./history.ts";
import { inputCandidates, type ProducerOffer } from "./input_candidates.ts";
import { COMPARE_SCORES, type LayoutScore, type ScoreName } from "./layout_score.ts";
import type { LayoutIds, OpEvaluator, Outcome } from "../search/op_evaluator.ts";
import { type OpRoles, requiredLayouts } from "../search/op_roles.ts";
import { CandidatePool, type Feed } from "./candidate_pool.ts";
import type { PropagationObserver } from "./propagation_observer.ts";

/** One slot of a beam: a way to run an op, with back-pointers to the slots of its producers. */
export interface BeamCandidate {
  /** Layout in which each operand is read. */
  readonly inputs: LayoutIds;
  /** Producer op per operand, `-1` for arguments and operands that are no tensors. */
  readonly producers: readonly number[];
  /** Beam slot of that producer. */
  readonly slots: readonly number[];
  /** Whether the operand is a resharded copy. */
  readonly reshards: readonly boolean[];
  readonly outcome: Outcome;
  /** µs of the op, of the reshards of its operands, and of returning its results in the layout of the signature. */
  readonly microseconds: number;
  readonly score: LayoutScore;
  readonly history: History;
}

/** What the forward phase is told. */
export interface BeamOptions {
  readonly score: ScoreName;
  readonly beamWidth: number;
  readonly maxInputCandidatesPerOperand: number;
  /** Most combinations of operand candidates per op. */
  readonly maxCombinations: number;
  /** Bytes per core that an op may fill with its operands, results and circular buffers. */
  readonly l1Budget: number;
  /** Values that must be born outside of L1 (feedback of pass 2). */
  readonly notInL1: ReadonlySet<ValueId>;
  readonly observer?: PropagationObserver | undefined;
}

/** Result of the forward phase: per op, candidates from best to worst; never empty. */
export type Beams = readonly (readonly BeamCandidate[])[];

/** Forward phase of pass 1: ops in schedule order, all operands, the best `beamWidth` candidates per op kept. */
export function forwardPass(evaluator: OpEvaluator, roles: OpRoles, options: BeamOptions): Beams {
  return new ForwardPass(evaluator, roles, options).run();
}

/** Verdict on one set of result layouts of an op. */
interface OutputVerdict {
  readonly refusal: string | undefined;
  readonly returnMicroseconds: number;
}

/** By {@linkcode Outcome.outputsId}. */
type OutputVerdicts = Map<number, OutputVerdict>;

class ForwardPass {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #options: BeamOptions;
  readonly #beams: (readonly BeamCandidate[])[] = [];
  readonly #contributions: (readonly Contribution[])[] = [];
  /** Histories matter only where slots compete. */
  readonly #tracksHistory: boolean;
  /** By value: the layout that returns and undecided consumers force on it, to which every slot must be movable. */
  readonly #mustReach: readonly (LayoutId | undefined)[];
  /** Why the op at hand lost its last outcome. */
  #lastRefusal: string | undefined;

  constructor(evaluator: OpEvaluator, roles: OpRoles, options: BeamOptions) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#options = options;
    this.#tracksHistory = options.beamWidth > 1;
    this.#mustReach = requiredLayouts(evaluator, roles);
  }

  run(): Beams {
    for (const op of this.#evaluator.fn.ops) {
      const decided = this.#roles.decided[op.id] === true;
      let candidates = decided ? this.#decide(op.id) : [];
      const usedFallback = candidates.length === 0;
      if (usedFallback) {
        if (this.#evaluator.isOverridden(op.id)) throw this.#overrideRefused(op.id);
        candidates = this.#keep(op.id);
      }
      const beam = this.#trim(op.id, candidates);
      this.#beams.push(beam);
      this.#contributions.push(beam.map((candidate) => ({
        microseconds: candidate.microseconds,
        reshards: candidate.reshards.filter(Boolean).length,
        producers: candidate.producers,
        slots: candidate.slots,
      })));
      this.#options.observer?.beam?.(op.id, beam, decided && usedFallback);
    }
    return this.#beams;
  }

  /** An override is an order: an op that cannot follow it is an error, not a fallback. */
  #overrideRefused(id: OpId): DiagnosticError {
    const op = this.#evaluator.fn.ops[id];
    return new DiagnosticError([{
      code: "override/refused",
      severity: "error",
      message:
        `Cannot give ${op?.name ?? "op"} (op ${id}, ${op?.location ?? ""}) the layout of its override: ` +
        (this.#lastRefusal ?? "the op model accepts it with no layout of the operands"),
    }]);
  }

  /** Candidates of an op whose layouts pass 1 chooses. */
  #decide(id: OpId): BeamCandidate[] {
    const { fn } = this.#evaluator;
    const op = fn.ops[id];
    if (op === undefined) return [];
    const operands = op.operands.map((value, operand) =>
      inputCandidates(
        this.#evaluator,
        this.#roles,
        id,
        operand,
        value,
        this.#offers(value),
        this.#reshardPriority,
        this.#options.maxInputCandidatesPerOperand,
      )
    );
    this.#options.observer?.operands?.(id, operands);
    const returns: OutputVerdicts = new Map();
    const joined = new Map<string, History>();
    const combinations = combineCandidates(
      operands,
      this.#sameProducer(op.operands),
      (layout) => this.#uniformKey(layout),
      this.#options.maxCombinations,
    );
    const found = new CandidatePool(this.#options.score);
    this.#lastRefusal = undefined;
    for (const combination of combinations) {
      const inputs = combination.map((candidate) => candidate.layout);
      const outcomes = this.#evaluator.outcomes(id, inputs);
      if (outcomes.length === 0) {
        this.#options.observer?.rejected?.(
          id,
          inputs,
          undefined,
          this.#evaluator.refusal(id, inputs, undefined) ?? "no hint gives a result that can be used",
        );
        continue;
      }
      const feed = this.#feed(op.operands, combination, inputs, joined);
      for (const outcome of outcomes) {
        const refusal = this.#overBudget(feed, outcome) ?? this.#outputRefusal(op.results, outcome, returns);
        if (refusal !== undefined) {
          this.#lastRefusal = refusal;
          this.#options.observer?.rejected?.(id, inputs, outcome, refusal);
          continue;
        }
        found.add(
          feed,
          outcome,
          feed.microseconds + outcome.microseconds + this.#returns(op.results, outcome, returns),
        );
      }
    }
    return found.candidates().map(({ feed, outcome, pathMicroseconds }) =>
      this.#candidate(id, feed, outcome, pathMicroseconds)
    );
  }

  /** The one way to run an op as the input has it: every operand in the input's layout. */
  #keep(id: OpId): BeamCandidate[] {
    const { fn, layouts } = this.#evaluator;
    const op = fn.ops[id];
    if (op === undefined) return [];
    const combination = op.operands.map((value): InputCandidate => {
      const graphValue = fn.values[value];
      const layout = graphValue?.layout === undefined ? undefined : layouts.intern(graphValue.layout);
      if (layout === undefined || graphValue?.tensor === undefined) {
        return { layout, slot: -1, isReshard: false, reshardMicroseconds: 0, priority: 0 };
      }
      let best: InputCandidate | undefined;
      for (const offer of this.#offers(value)) {
        if (offer.layout === undefined) continue;
        const reshard = this.#evaluator.reshard(graphValue.tensor, offer.layout, layout);
        const isReshard = offer.layout !== layout;
        const microseconds = reshard?.microseconds ?? Infinity;
        const priority = offer.priority + (isReshard ? this.#reshardPriority(microseconds) : 0);
        if (best === undefined || priority < best.priority) {
          best = { layout, slot: offer.slot, isReshard, reshardMicroseconds: microseconds, priority };
        }
      }
      return best ?? { layout, slot: -1, isReshard: false, reshardMicroseconds: 0, priority: 0 };
    });
    const outputs = op.results.map((value) => {
      const layout = fn.values[value]?.layout;
      return layout === undefined ? undefined : layouts.intern(layout);
    });
    const inputs = combination.map((candidate) => candidate.layout);
    const outcome: Outcome = {
      outputs,
      outputsId: this.#evaluator.outputsId(outputs),
      microseconds: this.#evaluator.runtime(id, inputs, { outputs, config: undefined }),
      config: undefined,
      cores: 1,
      l1PeakBytes: 0,
      outputL1Bytes: outputs.reduce<number>(
        (sum, layout) => sum + (layout === undefined ? 0 : this.#evaluator.facts(layout).l1Bytes),
        0,
      ),
      aliasedOperand: this.#evaluator.traits(id).viewOf,
    };
    const feed = this.#feed(op.operands, combination, inputs, new Map());
    const returned = this.#returns(op.results, outcome, new Map());
    return [this.#candidate(id, feed, outcome, feed.microseconds + outcome.microseconds + returned)];
  }

  /** What one combination of operand candidates means for every outcome of it. */
  #feed(
    values: readonly ValueId[],
    combination: readonly InputCandidate[],
    inputs: LayoutIds,
    joined: Map<string, History>,
  ): Feed {
    const history = this.#patchedHistory(
      this.#joinHistories(values, combination, joined),
      values,
      combination,
    );
    let reshardMicroseconds = 0;
    let reshards = 0;
    let inputDramBytes = 0;
    let inputL1Bytes = 0;
    let shardedInputs = 0;
    let pathMinCores = Infinity;
    combination.forEach((candidate, operand) => {
      const producer = this.#producerOf(values[operand] ?? -1);
      const slot = this.#beams[producer]?.[candidate.slot];
      if (slot !== undefined) pathMinCores = Math.min(pathMinCores, slot.score.pathMinCores);
      if (candidate.layout === undefined) return;
      const facts = this.#evaluator.facts(candidate.layout);
      if (!facts.isL1) inputDramBytes += facts.totalBytes;
      if (facts.isSharded) shardedInputs++;
      for (let earlier = 0; earlier < operand; earlier++) {
        // The same value in the same layout is one buffer and one copy.
        if (values[earlier] === values[operand] && inputs[earlier] === candidate.layout) return;
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

  #overBudget(feed: Feed, outcome: Outcome): string | undefined {
    if (feed.inputL1Bytes + outcome.outputL1Bytes === 0) return undefined;
    const needed = feed.inputL1Bytes + outcome.l1PeakBytes;
    if (needed <= this.#options.l1Budget) return undefined;
    return `needs ${needed} bytes of L1 per core, the budget is ${this.#options.l1Budget}`;
  }

  /** Why results in these layouts are of no use, `undefined` when they are; remembered per set of layouts. */
  #outputRefusal(
    results: readonly ValueId[],
    outcome: Outcome,
    verdicts: OutputVerdicts,
  ): string | undefined {
    return this.#verdict(results, outcome, verdicts).refusal;
  }

  /** µs of converting results to the layout of the signature, once per returned result. */
  #returns(results: readonly ValueId[], outcome: Outcome, verdicts: OutputVerdicts): number {
    return this.#verdict(results, outcome, verdicts).returnMicroseconds;
  }

  #verdict(results: readonly ValueId[], outcome: Outcome, verdicts: OutputVerdicts): OutputVerdict {
    let verdict = verdicts.get(outcome.outputsId);
    if (verdict === undefined) {
      verdict = this.#judgeOutputs(results, outcome.outputs);
      verdicts.set(outcome.outputsId, verdict);
    }
    return verdict;
  }

  #judgeOutputs(results: readonly ValueId[], outputs: LayoutIds): OutputVerdict {
    const { fn, layouts } = this.#evaluator;
    let returnMicroseconds = 0;
    for (const [index, value] of results.entries()) {
      const graphValue = fn.values[value];
      if (graphValue?.tensor === undefined || graphValue.layout === undefined) continue;
      const refuse = (refusal: string): OutputVerdict => ({ refusal, returnMicroseconds: Infinity });
      const output = outputs[index];
      if (output === undefined) return refuse(`the layout of result ${index} is unknown`);
      if ((layouts.get(output).tile === undefined) !== (graphValue.layout.tile === undefined)) {
        return refuse(`result ${index} changes between tiles and row-major pages`);
      }
      if (this.#options.notInL1.has(value) && this.#evaluator.facts(output).isL1) {
        return refuse(`result ${index} was spilled before`);
      }
      const target = this.#mustReach[value];
      if (target === undefined) continue;
      const reshard = this.#evaluator.reshard(graphValue.tensor, output, target);
      if (reshard === undefined) {
        return refuse(`result ${index} cannot be converted back to the layout that the input gives it`);
      }
      if (graphValue.returned > 0) returnMicroseconds += reshard.microseconds;
    }
    return { refusal: undefined, returnMicroseconds };
  }

  #candidate(id: OpId, feed: Feed, outcome: Outcome, pathMicroseconds: number): BeamCandidate {
    const values = this.#evaluator.fn.ops[id]?.operands ?? [];
    const first = outcome.outputs[0];
    const facts = first === undefined ? undefined : this.#evaluator.facts(first);
    return {
      inputs: feed.inputs,
      producers: values.map((value) => this.#producerOf(value)),
      slots: feed.combination.map((candidate) => candidate.slot),
      reshards: feed.combination.map((candidate) => candidate.isReshard),
      outcome,
      microseconds: pathMicroseconds - feed.history.microseconds,
      score: {
        isL1: facts?.isL1 ?? false,
        isSharded: facts?.isSharded ?? false,
        inputDramBytes: feed.inputDramBytes,
        requiresReshard: feed.reshards > 0,
        coreCount: facts?.gridVolume ?? 0,
        outputL1Bytes: outcome.outputL1Bytes,
        shardedInputs: feed.shardedInputs,
        cores: outcome.cores,
        pathMinCores: feed.pathMinCores,
        pathReshards: feed.history.reshards + feed.reshards,
        pathMicroseconds,
      },
      history: feed.history,
    };
  }

  /** Best candidates first, at most `beamWidth`; but for `local`, one per distinct set of result layouts. */
  #trim(id: OpId, candidates: readonly BeamCandidate[]): readonly BeamCandidate[] {
    const widest = candidates.reduce((most, candidate) => Math.max(most, candidate.score.cores), 0);
    const ranked = candidates.map((candidate) => {
      const bottleneck = candidate.score.cores < widest ? candidate.score.cores : Infinity;
      const pathMinCores = Math.min(candidate.score.pathMinCores, bottleneck);
      return { ...candidate, score: { ...candidate.score, pathMinCores } };
    });
    const compare = COMPARE_SCORES[this.#options.score];
    ranked.sort((a, b) => compare(a.score, b.score));
    const kept: BeamCandidate[] = [];
    const seen = new Set<string>();
    for (const candidate of ranked) {
      if (kept.length >= this.#options.beamWidth) break;
      if (this.#options.score !== "local") {
        const key = candidate.outcome.outputs.join(",");
        if (seen.has(key)) continue;
        seen.add(key);
      }
      kept.push(candidate);
    }
    if (!this.#tracksHistory) return kept;
    return kept.map((candidate, slot) => ({
      ...candidate,
      history: extendHistory(
        candidate.history,
        id,
        slot,
        candidate.microseconds,
        candidate.reshards.filter(Boolean).length,
      ),
    }));
  }

  #offers(value: ValueId): readonly ProducerOffer[] {
    const { fn, layouts } = this.#evaluator;
    const graphValue = fn.values[value];
    if (graphValue === undefined) return [];
    const { definition } = graphValue;
    if (definition.kind === "argument") {
      const layout = graphValue.layout === undefined ? undefined : layouts.intern(graphValue.layout);
      return [{ layout, slot: -1, priority: 0 }];
    }
    const beam = this.#beams[definition.op] ?? [];
    const best = beam.reduce((least, slot) => Math.min(least, slot.score.pathMicroseconds), Infinity);
    return beam.map((candidate, slot): ProducerOffer => ({
      layout: candidate.outcome.outputs[definition.index],
      slot,
      priority: this.#options.score === "runtime" ? candidate.score.pathMicroseconds - best : slot,
    }));
  }

  readonly #reshardPriority = (microseconds: number): number =>
    this.#options.score === "runtime" ? microseconds : this.#options.beamWidth;

  #producerOf(value: ValueId): number {
    const definition = this.#evaluator.fn.values[value]?.definition;
    return definition?.kind === "result" ? definition.op : -1;
  }

  /** Groups of operands that come from one op: they must be read from one slot of it. */
  #sameProducer(operands: readonly ValueId[]): readonly (readonly number[])[] {
    const groups = new Map<number, number[]>();
    operands.forEach((value, operand) => {
      const producer = this.#producerOf(value);
      if (producer < 0) return;
      const group = groups.get(producer);
      if (group === undefined) groups.set(producer, [operand]);
      else group.push(operand);
    });
    return [...groups.values()].filter((group) => group.length > 1);
  }

  #uniformKey(id: LayoutId): string {
    const layout = this.#evaluator.layouts.get(id);
    return `${layout.bufferType}/${layout.memoryLayout}/${layout.gridShape.join("x")}`;
  }

  /** The operands' histories as one; remembered per choice of slots, which many combinations share. */
  #joinHistories(
    operands: readonly ValueId[],
    combination: readonly InputCandidate[],
    joined: Map<string, History>,
  ): History {
    if (!this.#tracksHistory) return EMPTY_HISTORY;
    const key = combination.map((candidate) => candidate.slot).join();
    const known = joined.get(key);
    if (known !== undefined) return known;
    let history = EMPTY_HISTORY;
    combination.forEach((candidate, operand) => {
      const producer = this.#producerOf(operands[operand] ?? -1);
      const own = this.#beams[producer]?.[candidate.slot]?.history;
      if (own !== undefined) history = mergeHistories(history, own, this.#contributionOf, this.#patchCost);
    });
    joined.set(key, history);
    return history;
  }

  /** Adds the reshards of operands whose producer stands in the joined history with another slot. */
  #patchedHistory(
    joined: History,
    operands: readonly ValueId[],
    combination: readonly InputCandidate[],
  ): History {
    let { microseconds, reshards } = joined;
    combination.forEach((candidate, operand) => {
      const value = this.#evaluator.fn.values[operands[operand] ?? -1];
      if (candidate.layout === undefined || value?.tensor === undefined) return;
      if (value.definition.kind !== "result") return;
      const { op, index } = value.definition;
      const actual = slotIn(joined, op);
      if (actual < 0 || actual === candidate.slot) return;
      const from = this.#beams[op]?.[actual]?.outcome.outputs[index];
      if (from === undefined || from === candidate.layout) return;
      const reshard = this.#evaluator.reshard(value.tensor, from, candidate.layout);
      microseconds += (reshard?.microseconds ?? 0) - candidate.reshardMicroseconds;
      if (!candidate.isReshard) reshards++;
    });
    return { chunks: joined.chunks, microseconds, reshards };
  }

  readonly #contributionOf = (op: number, slot: number): Contribution => {
    const contribution = this.#contributions[op]?.[slot];
    if (contribution === undefined) {
      throw new RangeError(`Cannot price slot ${slot} of op ${op}: no such slot`);
    }
    return contribution;
  };

  readonly #patchCost = (consumer: number, slot: number, operand: number, actualSlot: number): number => {
    const candidate = this.#beams[consumer]?.[slot];
    const value = this.#evaluator.fn.ops[consumer]?.operands[operand];
    const graphValue = value === undefined ? undefined : this.#evaluator.fn.values[value];
    const definition = graphValue?.definition;
    if (candidate === undefined || definition?.kind !== "result" || graphValue?.tensor === undefined) {
      return 0;
    }
    const from = this.#beams[definition.op]?.[actualSlot]?.outcome.outputs[definition.index];
    const to = candidate.inputs[operand];
    if (from === undefined || to === undefined || from === to) return 0;
    return this.#evaluator.reshard(graphValue.tensor, from, to)?.microseconds ?? 0;
  };
}
