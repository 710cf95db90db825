// SPDX-License-Identifier: Apache-2.0
import type { L1FailureKind } from "../memory/l1_timeline.ts";
import type { LayoutScore, ScoreName } from "./layout_score.ts";

/** A candidate of one operand that pass 1 considered. */
export interface CandidateTrace {
  /** Layout that the op would read. */
  readonly layout: string;
  /** Whether it is a copy in another layout than the producer's. */
  readonly isReshard: boolean;
  /** Price of the copy in µs, 0 without one; `undefined` in a trace of tt-mlir. */
  readonly reshardMicroseconds?: number;
}

/** A candidate that was kept: one slot of a beam, or an alternative for the op. */
export interface BeamTrace {
  /** Slot, 0 for the best. */
  readonly rank: number;
  /** Layout per operand, `""` for none; empty if the trace has none. */
  readonly inputs: readonly string[];
  /** Layout of the first result, `""` for none. */
  readonly output: string;
  /**
   * The µs of the whole path up to this op, if the score counts time; for a lone candidate, those of op and
   * copies.
   */
  readonly microseconds: number | undefined;
  /** Terms of the score by which slots were ranked; those of tt-mlir are the first six. */
  readonly score: Partial<LayoutScore>;
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

/** The candidates and the decision for one op. */
export interface OpTrace {
  /** Op id. */
  readonly op: number;
  /** Full name, for example `ttnn.matmul`. */
  readonly name: string;
  /** Text of the op's location; `""` without one. */
  readonly location: string;
  /** SSA name of its first result, if known. */
  readonly value: string | undefined;
  /** Whether its layouts are chosen; those of all other ops stay as in the input. */
  readonly decided: boolean;
  /** Candidates per operand; empty for ops that were not searched. */
  readonly operands: readonly (readonly CandidateTrace[])[];
  /** In the order in which the reasons first occurred; of a trace of tt-mlir the most frequent first. */
  readonly rejections: readonly RejectionTrace[];
  /** Result layouts that were not requested from the op model for the chosen operands, with the reason. */
  readonly notAsked: readonly string[];
  /** Best first. */
  readonly beam: readonly BeamTrace[];
  /**
   * Whether the candidates are alternatives for the op with the rest of the plan unchanged, priced with its
   * copies, instead of candidates of a search.
   */
  readonly isAlone?: true;
  /** Whether it is a decided op without a legal candidate, which therefore runs as in the input. */
  readonly usedFallback: boolean;
  /** Layouts of the results in the finished plan; empty if the trace has none. */
  readonly finalLayouts: readonly string[];
  /** One sentence per decision, oldest first. */
  readonly reasons: readonly string[];
}

/** A producer with readers that prefer different layouts. */
export interface ForkTrace {
  /** The producer. */
  readonly op: number;
  /** Beam slot that was taken. */
  readonly chosenSlot: number;
  /** Readers, by op id. */
  readonly consumers: readonly number[];
  /**
   * Per slot: the reshards that satisfy all readers, in µs for `runtime`, otherwise their number; `null` if
   * impossible. Empty if the trace has none.
   */
  readonly slotCosts: readonly (number | null)[];
}

/** One move of pass 2. */
export interface SpillTrace {
  /** Position in the schedule at which L1 was too small. */
  readonly position: number;
  /** Full name of the op at that position, or `return`. */
  readonly opName: string;
  /** Id of that op, one past the last op for `return`; `undefined` if the trace does not name it. */
  readonly op: number | undefined;
  /**
   * `split`: moved to DRAM between two uses; `demote`: produced in DRAM; `interleave`: produced in L1, spread over all
   * cores; `read_dram`: an op reads and writes DRAM only; `spill`: one of these. Traces of tt-mlir have others.
   */
  readonly action: string;
  /** SSA name of the moved tensor. */
  readonly victim: string | undefined;
  /** Bytes per core of the victim. */
  readonly bytes: number | undefined;
  /** The move in a sentence. */
  readonly description: string;
  /** The kind of failure, where we made the plan. */
  readonly pressure?: L1FailureKind;
  /** Bytes per core in use at that step, circular buffers included, where we made the plan. */
  readonly usedBytes?: number;
}

/** How an op reads another's result: as it is, or as a copy in another layout (upstream's edges). */
export interface EdgeTrace {
  /** Op that made the value. */
  readonly producer: number;
  /** Op that reads it. */
  readonly consumer: number;
  /** Index of the operand in the consumer. */
  readonly operand: number;
  /** Index of the result in the producer. */
  readonly result: number;
  /** Layout of the copy that the consumer reads; `undefined` if it reads the value itself. */
  readonly reshard: string | undefined;
}

/** All decisions for one function, with reasons. Layouts are spelled as plans spell them. */
export interface DecisionTrace {
  /** `tilewright`: our search; `tt-mlir`: upstream's, version 3; `plan`: reasons only, no search behind it. */
  readonly source: "tilewright" | "tt-mlir" | "plan";
  /** Name without `@`. */
  readonly function: string;
  /** Name of the policy. */
  readonly policy: string;
  /**
   * Origin of the plan among those that the policy tried, for example `beam runtime 8, refined`; `""` if unknown.
   */
  readonly origin: string;
  /** The score that the search used; `undefined` if the plan did not come from a search. */
  readonly score: ScoreName | undefined;
  /** Slots per op; `undefined` if the plan did not come from a search. */
  readonly beamWidth: number | undefined;
  /** By op id; of a trace of tt-mlir the decided ops only. */
  readonly ops: readonly OpTrace[];
  /** In the order of consumers, then operands; edges from arguments are left out. */
  readonly edges: readonly EdgeTrace[];
  /** By producer; empty if the plan did not come from a search. */
  readonly forks: readonly ForkTrace[];
  /** In the order in which they were made. */
  readonly spills: readonly SpillTrace[];
  /** Spills that were undone at the end, where we made the plan. */
  readonly restoredSpills?: number;
  /** Bytes per core that the plan may use, where we made it. */
  readonly l1BudgetBytes?: number;
}
