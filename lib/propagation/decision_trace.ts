// SPDX-License-Identifier: Apache-2.0
import type { OpId, SchedulePoint, ValueId } from "../graph/graph.ts";
import type { L1FailureKind } from "../memory/l1_timeline.ts";
import type { LayoutScore, ScoreName } from "./layout_score.ts";

/**
 * A candidate of one operand that pass 1 considered. Layouts are spelled `buffer/memory_layout/ROWSxCOLUMNS`.
 */
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

/** The candidates and the decision of pass 1 for one op. */
export interface OpTrace {
  /** Its own index in {@linkcode DecisionTrace.ops}. */
  readonly op: OpId;
  /** Full name, for example `ttnn.matmul`. */
  readonly name: string;
  /** Text of the op's location; `""` without one. */
  readonly location: string;
  /** Whether pass 1 chooses its layouts; all other ops stay as in the input. */
  readonly decided: boolean;
  /** Candidates per operand; empty for ops that were not searched. */
  readonly operands: readonly (readonly CandidateTrace[])[];
  /** In the order in which the reasons first occurred. */
  readonly rejections: readonly RejectionTrace[];
  /**
   * Result layouts that were not requested from the op model for the chosen slot's operands, with the reason.
   */
  readonly notAsked: readonly string[];
  /** Best first. */
  readonly beam: readonly BeamTrace[];
  /** Whether it is a decided op without a legal candidate, which therefore runs as in the input. */
  readonly usedFallback: boolean;
  /** Beam slot that trace-back took; 0 if there was no choice. */
  readonly chosenSlot: number;
}

/** A producer with readers that prefer different layouts. */
export interface ForkTrace {
  /** The producer. */
  readonly op: OpId;
  /** Beam slot that was taken. */
  readonly chosenSlot: number;
  /** The layout that each reader prefers, by op id and operand index. */
  readonly demands: readonly {
    readonly consumer: SchedulePoint;
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
  /** Position in the schedule at which L1 was too small. */
  readonly position: number;
  /** The op at that position; one past the last op for `return`. */
  readonly op: SchedulePoint;
  /** Its full name, or `return`. */
  readonly opName: string;
  /** The kind of failure. */
  readonly pressure: L1FailureKind;
  /** Bytes per core that were missing. */
  readonly shortBytes: number;
  /** Bytes per core in use at that step, circular buffers included. */
  readonly usedBytes: number;
  /** SSA name of the moved tensor. */
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
  /** The move in a sentence. */
  readonly description: string;
}

/** How an op of the finished plan reads another's result: as it is, or as a copy in another layout (upstream's edges). */
export interface EdgeTrace {
  /** Op that made the value. */
  readonly producer: OpId;
  /** Op that reads it. */
  readonly consumer: SchedulePoint;
  /** Index of the operand in the consumer. */
  readonly operand: number;
  /** Index of the result in the producer. */
  readonly result: number;
  /** The value that passes between them. */
  readonly value: ValueId;
  /** Layout of the copy that the consumer reads; `undefined` if it reads the value itself. */
  readonly reshard: string | undefined;
}

/** All decisions for one function, with reasons. */
export interface DecisionTrace {
  /** Name without `@`. */
  readonly function: string;
  /** Name of the policy. */
  readonly policy: string;
  /** Origin of the plan among those that the policy tried, for example `beam runtime 8, refined`. */
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
