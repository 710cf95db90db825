// SPDX-License-Identifier: Apache-2.0
import type { OpId, Place, ValueId } from "../graph/graph.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import type { L1FailureKind } from "../memory/l1_timeline.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import { unaskedResults } from "../search/unasked_results.ts";
import type { LayoutIds, Way } from "../search/ways.ts";
import type { InputCandidate } from "./combinations.ts";
import type { LayoutScore, ScoreName } from "./layout_score.ts";
import type { BeamCandidate, ForkResolution, PropagationObserver } from "./propagation_observer.ts";

/** One way to supply one operand that pass 1 considered. Layouts are spelled `buffer/memory_layout/ROWSxCOLUMNS`. */
export interface CandidateTrace {
  /** Layout that the op would read. */
  readonly layout: string;
  /** Whether it is a copy in another layout than the producer's. */
  readonly isReshard: boolean;
  /** Price of the copy in µs; 0 without one. */
  readonly reshardMicroseconds: number;
}

/** One slot of a beam. */
export interface BeamTrace {
  /** Slot, 0 for the best. */
  readonly rank: number;
  /** Layout per operand, `null` for none. */
  readonly inputs: readonly string[];
  /** Layout per result, `null` for none. */
  readonly outputs: readonly string[];
  /** Predicted time of the op alone, in µs. */
  readonly microseconds: number;
  /** The score by which slots were ranked. */
  readonly score: LayoutScore;
}

/** Combinations that were rejected for one reason. */
export interface RejectionTrace {
  /** The reason, from the op model or from the search. */
  readonly reason: string;
  /** Combinations with this reason. */
  readonly count: number;
  /** The first of them. */
  readonly inputs: readonly string[];
  /** Layout of the first result, if known. */
  readonly output: string | undefined;
}

/** What pass 1 considered and decided for one op. */
export interface OpTrace {
  /** Its own index in {@linkcode DecisionTrace.ops}. */
  readonly op: OpId;
  /** Full name, for example `ttnn.matmul`. */
  readonly name: string;
  /** Text of the op's location, `""` when it has none. */
  readonly location: string;
  /** Whether pass 1 chooses its layouts; all other ops stay as the input has them. */
  readonly decided: boolean;
  /** Candidates per operand; empty for ops that were not searched. */
  readonly operands: readonly (readonly CandidateTrace[])[];
  /** In the order in which the reasons first occurred. */
  readonly rejections: readonly RejectionTrace[];
  /** Result layouts that were not requested from the op model for the operands of the chosen slot, and why. */
  readonly notAsked: readonly string[];
  /** Best first. */
  readonly beam: readonly BeamTrace[];
  /** Whether it is a decided op without a legal candidate, which therefore runs as in the input. */
  readonly usedFallback: boolean;
  /** Beam slot that trace-back took; 0 if there was no choice. */
  readonly chosenSlot: number;
}

/** A producer whose readers want different layouts. */
export interface ForkTrace {
  /** The producer. */
  readonly op: OpId;
  /** Beam slot that was taken. */
  readonly chosenSlot: number;
  /** The layout that each reader wants, by op id and operand index. */
  readonly demands: readonly {
    readonly consumer: Place;
    readonly operand: number;
    readonly layout: string;
  }[];
  /**
   * Per slot: the reshards that satisfy all demands, in µs for `runtime`, otherwise their number; `null` if
   * impossible.
   */
  readonly slotCosts: readonly (number | null)[];
}

/** One move of pass 2, with the lack of L1 that caused it. */
export interface SpillTrace {
  /** Place in the schedule where L1 was too small. */
  readonly position: number;
  /** The op at that place; one past the last op for `return`. */
  readonly op: Place;
  /** Its full name, or `return`. */
  readonly opName: string;
  /** What did not fit. */
  readonly pressure: L1FailureKind;
  /** Bytes per core that were missing. */
  readonly shortBytes: number;
  /** Bytes per core in use at that step, circular buffers included. */
  readonly usedBytes: number;
  /** SSA name of what moved. */
  readonly victim: string;
  /** Bytes per core of the victim. */
  readonly bytes: number;
  /**
   * `split`: moved to DRAM between two uses; `demote`: produced in DRAM; `interleave`: produced in L1, spread
   * over all cores; `read_dram`: an op reads and writes DRAM only.
   */
  readonly kind: "split" | "demote" | "interleave" | "read_dram";
  /** Change of the predicted time in µs; negative if the move itself saves time. */
  readonly microseconds: number;
  /** What was done, in a sentence. */
  readonly description: string;
}

/** A layout change of the finished plan, listed like the edges of upstream's trace. */
export interface EdgeTrace {
  /** Op that made the value. */
  readonly producer: OpId;
  /** Op that reads it. */
  readonly consumer: Place;
  /** Index of the operand in the consumer. */
  readonly operand: number;
  /** Index of the result in the producer. */
  readonly result: number;
  /** The value that passes between them. */
  readonly value: ValueId;
  /** Layout of the copy that the consumer reads; `undefined` if it reads the value itself. */
  readonly reshard: string | undefined;
}

/** Everything that was decided for one function, and why. */
export interface DecisionTrace {
  /** Changes when readers of the old format would misread the new one. */
  readonly schema: "tilewright.trace/1";
  /** Name without `@`. */
  readonly function: string;
  /** Name of the policy. */
  readonly policy: string;
  /** Which of the plans that the policy tried it is, for example `beam runtime 8, refined`. */
  readonly origin: string;
  /** The score that the search used; `undefined` if the plan did not come from a search. */
  readonly score: ScoreName | undefined;
  /** Slots per op; `undefined` if the plan did not come from a search. */
  readonly beamWidth: number | undefined;
  /** By op id; empty if the plan did not come from a search. */
  readonly ops: readonly OpTrace[];
  /** By producer; empty if the plan did not come from a search. */
  readonly forks: readonly ForkTrace[];
  /** In the order in which they were made. */
  readonly spills: readonly SpillTrace[];
  /** Spills that were undone at the end. */
  readonly restoredSpills: number;
  /** In the order of consumers, then operands; edges from arguments are left out. */
  readonly edges: readonly EdgeTrace[];
  /** By op id: layouts of the results in the finished plan. */
  readonly finalLayouts: readonly (readonly string[])[];
  /** By op id: one sentence per decision, oldest first. */
  readonly reasons: readonly (readonly string[])[];
  /** Bytes per core that the plan may use. */
  readonly l1BudgetBytes: number;
  /** Largest bytes per core over all steps, circular buffers included. */
  readonly peakL1Bytes: number;
  /** Predicted time of the finished plan, in µs. */
  readonly microseconds: number;
}

/** Rejections for one reason, still being counted. */
interface Rejections {
  count: number;
  readonly inputs: readonly string[];
  readonly output: string | undefined;
}

/** Records what one run of pass 1 considered. A second run of the same recorder starts over. */
export class TraceRecorder implements PropagationObserver {
  readonly #evaluator: OpEvaluator;
  readonly #decided: readonly boolean[];
  readonly #operands: Map<OpId, readonly (readonly CandidateTrace[])[]> = new Map();
  readonly #rejections: Map<OpId, Map<string, Rejections>> = new Map();
  readonly #beams: Map<OpId, readonly BeamTrace[]> = new Map();
  readonly #inputs: Map<OpId, readonly LayoutIds[]> = new Map();
  readonly #fallbacks: Set<OpId> = new Set();
  readonly #choices: Map<OpId, number> = new Map();
  readonly #forks: Map<OpId, ForkTrace> = new Map();

  constructor(evaluator: OpEvaluator, decided: readonly boolean[]) {
    this.#evaluator = evaluator;
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

  rejected(op: OpId, inputs: LayoutIds, way: Way | undefined, reason: string): void {
    this.#reject(op, inputs, way?.outputs[0], reason);
  }

  #reject(op: OpId, inputs: LayoutIds, output: LayoutId | undefined, reason: string): void {
    let reasons = this.#rejections.get(op);
    if (reasons === undefined) this.#rejections.set(op, reasons = new Map());
    const known = reasons.get(reason);
    if (known !== undefined) {
      known.count++;
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
        outputs: this.#spell(candidate.way.outputs),
        microseconds: candidate.way.microseconds,
        score: candidate.score,
      })),
    );
  }

  /**
   * If no candidate produces its result in L1: asks the op model about one L1 layout of each kind, for the
   * reason.
   */
  #askWhyNotL1(op: OpId, beam: readonly BeamCandidate[]): void {
    const evaluator = this.#evaluator;
    const [best] = beam;
    const first = best?.way.outputs[0];
    const tensor = evaluator.signature(op).results[0];
    if (best === undefined || first === undefined || tensor === undefined) return;
    const makesL1 = beam.some(({ way: { outputs: [layout] } }) =>
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
      demands: demands.map(({ consumer, operand, layout }) => ({
        consumer,
        operand,
        layout: spellLayout(this.#evaluator.layouts, layout),
      })),
      slotCosts: slotCosts.map((cost) => Number.isFinite(cost) ? cost : null),
    });
  }

  choice(op: OpId, slot: number): void {
    this.#choices.set(op, slot);
  }

  /** The record, by op id. */
  ops(): readonly OpTrace[] {
    return this.#evaluator.fn.ops.map((op) => ({
      op: op.id,
      name: op.name,
      location: op.location,
      decided: this.#decided[op.id] === true,
      operands: this.#operands.get(op.id) ?? [],
      rejections: [...this.#rejections.get(op.id) ?? []].map(([reason, rest]): RejectionTrace => ({
        reason,
        ...rest,
      })),
      notAsked: this.#notAsked(op.id),
      beam: this.#beams.get(op.id) ?? [],
      usedFallback: this.#fallbacks.has(op.id),
      chosenSlot: this.#choices.get(op.id) ?? 0,
    }));
  }

  #notAsked(op: OpId): readonly string[] {
    const inputs = this.#inputs.get(op)?.[this.#choices.get(op) ?? 0];
    return this.#decided[op] === true && inputs !== undefined
      ? unaskedResults(this.#evaluator, op, inputs)
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

/**
 * A layout as traces spell it: `l1/height_sharded/8x4`, `dram/interleaved/1x1`, `null` for none
 * (tt-mlir:decision-trace).
 */
export function spellLayout(layouts: LayoutTable, id: LayoutId | undefined): string {
  if (id === undefined) return "null";
  const layout = layouts.get(id);
  const rowMajor = layout.tile === undefined ? "/row_major" : "";
  return `${layout.bufferType}/${layout.memoryLayout ?? "none"}/${layout.gridShape.join("x")}${rowMajor}`;
}
