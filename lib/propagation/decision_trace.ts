// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { L1FailureKind } from "../memory/l1_timeline.ts";
import type { LayoutScore, ScoreName } from "./layout_score.ts";

/** One way to feed one operand that pass 1 looked at. Layouts are spelled `buffer/memory_layout/ROWSxCOLUMNS`. */
export interface CandidateTrace {
  readonly layout: string;
  /** Whether it is a copy in another layout than the producer made. */
  readonly isReshard: boolean;
  readonly reshardMicroseconds: number;
}

/** One slot of a beam. */
export interface BeamTrace {
  readonly rank: number;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly microseconds: number;
  readonly score: LayoutScore;
}

/** Combinations that could not be used, for one reason. */
export interface RejectionTrace {
  readonly reason: string;
  readonly count: number;
  /** The first of them. */
  readonly inputs: readonly string[];
  readonly output: string | undefined;
}

/** What pass 1 saw and decided for one op. */
export interface OpTrace {
  readonly op: OpId;
  readonly name: string;
  readonly location: string;
  /** Whether pass 1 chooses its layouts; all other ops stay as the input has them. */
  readonly decided: boolean;
  readonly operands: readonly (readonly CandidateTrace[])[];
  readonly rejections: readonly RejectionTrace[];
  /** Best first. */
  readonly beam: readonly BeamTrace[];
  /** A decided op without a legal candidate: it runs as the input has it. */
  readonly usedFallback: boolean;
  readonly chosenSlot: number;
}

/** A producer whose readers want different layouts. */
export interface ForkTrace {
  readonly op: OpId;
  readonly chosenSlot: number;
  readonly demands: readonly { readonly consumer: OpId; readonly operand: number; readonly layout: string }[];
  /** Per slot: reshards that would satisfy all demands, µs for `runtime`, else their number; `null` when impossible. */
  readonly slotCosts: readonly (number | null)[];
}

/** One move of pass 2, with the pressure that caused it. */
export interface SpillTrace {
  /** Place in the schedule at which L1 was full. */
  readonly position: number;
  readonly op: OpId;
  readonly opName: string;
  readonly pressure: L1FailureKind;
  /** Bytes per core that were missing. */
  readonly shortBytes: number;
  /** Bytes per core in use at that step, circular buffers included. */
  readonly usedBytes: number;
  /** SSA name of what moved. */
  readonly victim: string;
  readonly bytes: number;
  readonly kind: "split" | "demote" | "interleave" | "read_dram";
  readonly microseconds: number;
  readonly description: string;
}

/** A layout change of the finished plan, as upstream's trace lists edges. */
export interface EdgeTrace {
  readonly producer: OpId;
  readonly consumer: OpId;
  readonly operand: number;
  readonly result: number;
  readonly value: ValueId;
  /** Layout of the copy that the consumer reads, `undefined` when it reads the value itself. */
  readonly reshard: string | undefined;
}

/** Everything that was decided for one function, and why. */
export interface DecisionTrace {
  readonly schema: "tilewright.trace/1";
  readonly function: string;
  readonly policy: string;
  /** Which of the plans that the policy tried this is, for example `beam runtime 8, refined`. */
  readonly origin: string;
  readonly score: ScoreName | undefined;
  readonly beamWidth: number | undefined;
  /** By op id; empty when the plan came from no search. */
  readonly ops: readonly OpTrace[];
  readonly forks: readonly ForkTrace[];
  readonly spills: readonly SpillTrace[];
  /** Spills that were taken back in the end. */
  readonly restoredSpills: number;
  readonly edges: readonly EdgeTrace[];
  /** By op id: layouts of the results in the finished plan. */
  readonly finalLayouts: readonly (readonly string[])[];
  /** By op id: one sentence per decision, oldest first. */
  readonly reasons: readonly (readonly string[])[];
  readonly l1BudgetBytes: number;
  readonly peakL1Bytes: number;
  readonly microseconds: number;
}
