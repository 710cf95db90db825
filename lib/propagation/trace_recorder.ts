// SPDX-License-Identifier: Apache-2.0
import { firstResult, type GraphFunction, type GraphOp, type OpId } from "../graph/graph.ts";
import { describeLayoutOr } from "../layout/describe.ts";
import type { LayoutId, LayoutIds, LayoutTable } from "../layout/layout_table.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import { type Asked, unaskedResults } from "../search/unasked_results.ts";
import type { OpImpl } from "../search/impls.ts";
import type { InputCandidate } from "./combinations.ts";
import type { BeamTrace, CandidateTrace, ForkTrace, OpTrace } from "./decision_trace.ts";
import type { LayoutScore } from "./layout_score.ts";
import type { BeamCandidate, ForkResolution, PropagationObserver } from "./propagation_observer.ts";

/** Rejections for one reason, while counting. */
interface Rejections {
  count: number;
  readonly inputs: readonly string[];
  readonly output: string | undefined;
}

/** Records the candidates of one run of pass 1. A second run of the same recorder starts over. */
export class TraceRecorder implements PropagationObserver {
  readonly #evaluator: OpEvaluator;
  readonly #decided: readonly boolean[];
  readonly #search: Asked;
  readonly #operands: Map<OpId, readonly (readonly CandidateTrace[])[]> = new Map();
  readonly #rejections: Map<OpId, Map<string, Rejections>> = new Map();
  readonly #beams: Map<OpId, readonly BeamTrace[]> = new Map();
  readonly #inputs: Map<OpId, readonly LayoutIds[]> = new Map();
  readonly #fallbacks: Set<OpId> = new Set();
  readonly #choices: Map<OpId, number> = new Map();
  readonly #forks: Map<OpId, ForkTrace> = new Map();

  /** @param search the queries of the recorded search */
  constructor(evaluator: OpEvaluator, decided: readonly boolean[], search: Asked = evaluator) {
    this.#evaluator = evaluator;
    this.#search = search;
    this.#decided = decided;
  }

  operands(op: OpId, candidates: readonly (readonly InputCandidate[])[]): void {
    this.#rejections.delete(op);
    this.#operands.set(
      op,
      candidates.map((list) =>
        list.map(({ layout, isReshard, reshardMicroseconds }) => ({
          layout: spellLayout(this.#evaluator.layouts, layout),
          isReshard,
          reshardMicroseconds,
        }))
      ),
    );
  }

  rejected(op: OpId, inputs: LayoutIds, impl: OpImpl | undefined, reason: string): void {
    this.#reject(op, inputs, impl?.outputs[0], reason);
  }

  #reject(op: OpId, inputs: LayoutIds, output: LayoutId | undefined, reason: string): void {
    const reasons = this.#rejections.getOrInsertComputed(op, () => new Map());
    const cached = reasons.get(reason);
    if (cached !== undefined) {
      cached.count++;
      return;
    }
    reasons.set(reason, {
      count: 1,
      inputs: this.#spell(inputs),
      output: output === undefined ? undefined : spellLayout(this.#evaluator.layouts, output),
    });
  }

  beam(op: OpId, beam: readonly BeamCandidate[], usedFallback: boolean): void {
    if (usedFallback) this.#fallbacks.add(op);
    else this.#fallbacks.delete(op);
    if (this.#decided[op] === true) this.#askWhyNotL1(op, beam);
    this.#inputs.set(op, beam.map(({ inputs }) => inputs));
    this.#beams.set(
      op,
      beam.map((candidate, rank) => ({
        rank,
        inputs: this.#spell(candidate.inputs),
        output: spellLayout(this.#evaluator.layouts, candidate.impl.outputs[0]),
        microseconds: candidate.score.pathMicroseconds,
        score: meaningfulTerms(candidate.score),
      })),
    );
  }

  /** If no candidate's result is in L1: queries one L1 layout of each kind, to record the reason. */
  #askWhyNotL1(op: OpId, beam: readonly BeamCandidate[]): void {
    const evaluator = this.#evaluator;
    const [best] = beam;
    const first = best?.impl.outputs[0];
    const tensor = evaluator.signature(op).results[0];
    if (best === undefined || first === undefined || tensor === undefined) return;
    const makesL1 = beam.some(({ impl: { outputs: [layout] } }) =>
      layout !== undefined && evaluator.facts(layout).isL1
    );
    if (makesL1) return;
    const kinds = new Set<string>();
    const hints = [
      evaluator.interleaved(tensor, first, "l1"),
      ...evaluator.catalog.reshardTargets(tensor, first).filter((id) => {
        const kind = evaluator.layouts.get(id).memoryLayout ?? "";
        return !kinds.has(kind) && kinds.add(kind);
      }),
    ];
    for (const hint of hints) {
      const reason = evaluator.refusal(op, best.inputs, hint);
      if (reason !== undefined) this.#reject(op, best.inputs, hint, reason);
    }
  }

  fork({ producer, chosenSlot, demands, slotCosts }: ForkResolution): void {
    this.#forks.set(producer, {
      op: producer,
      chosenSlot,
      consumers: demands.map(({ consumer }) => consumer),
      slotCosts: slotCosts.map((cost) => Number.isFinite(cost) ? cost : null),
    });
  }

  choice(op: OpId, slot: number): void {
    this.#choices.set(op, slot);
  }

  /** The record of an op. */
  searched(op: OpId): Omit<OpTrace, "op" | "name" | "location" | "value" | "finalLayouts" | "reasons"> {
    return {
      decided: this.#decided[op] === true,
      operands: this.#operands.get(op) ?? [],
      rejections: [...this.#rejections.get(op) ?? []].map(([reason, rest]) => ({ reason, ...rest })),
      notAsked: this.#notAsked(op),
      beam: this.#beams.get(op) ?? [],
      usedFallback: this.#fallbacks.has(op),
    };
  }

  #notAsked(op: OpId): readonly string[] {
    const inputs = this.#inputs.get(op)?.[this.#choices.get(op) ?? 0];
    return this.#decided[op] === true && inputs !== undefined
      ? unaskedResults(this.#evaluator, op, inputs, this.#search)
      : [];
  }

  /** Forks in the order of their producers. */
  forks(): readonly ForkTrace[] {
    return [...this.#forks.values()].sort((a, b) => a.op - b.op);
  }

  #spell(layouts: LayoutIds): readonly string[] {
    return layouts.map((layout) => spellLayout(this.#evaluator.layouts, layout));
  }
}

/** A layout as plans spell it, `""` for none. */
export function spellLayout(layouts: LayoutTable, id: LayoutId | undefined): string {
  return describeLayoutOr(id === undefined ? undefined : layouts.get(id), "");
}

/** A path without bottlenecks has no `pathMinCores`. */
function meaningfulTerms({ pathMinCores, ...rest }: LayoutScore): Partial<LayoutScore> {
  return Number.isFinite(pathMinCores) ? { ...rest, pathMinCores } : rest;
}

/** The trace of an op of which nothing is known but its place in the graph. */
export function bareOpTrace(fn: GraphFunction, op: GraphOp): OpTrace {
  return {
    op: op.id,
    name: op.name,
    location: op.location,
    value: firstResult(fn, op)?.name,
    decided: false,
    operands: [],
    rejections: [],
    notAsked: [],
    beam: [],
    usedFallback: false,
    finalLayouts: [],
    reasons: [],
  };
}
