// SPDX-License-Identifier: Apache-2.0
import type { OpId, SchedulePoint } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import type { OpImpl } from "../search/impls.ts";
import type { InputCandidate } from "./combinations.ts";
import type { LayoutScore } from "./layout_score.ts";

/** A fork that trace-back resolved. */
export interface ForkResolution {
  readonly producer: OpId;
  readonly chosenSlot: number;
  /** The layout that each consumer operand prefers, in schedule order. */
  readonly demands: readonly {
    readonly consumer: SchedulePoint;
    readonly operand: number;
    readonly layout: LayoutId;
  }[];
  /** Total reshard cost per slot, in the score's unit; `Infinity` if a reshard is illegal. */
  readonly slotCosts: readonly number[];
}

/** Callbacks for the candidates and decisions of pass 1; every method is optional. */
export interface PropagationObserver {
  /** Candidates per operand of a decided op. */
  operands?(op: OpId, candidates: readonly (readonly InputCandidate[])[]): void;
  /** A combination, or one implementation of the op on it, that was rejected. */
  rejected?(op: OpId, inputs: LayoutIds, impl: OpImpl | undefined, reason: string): void;
  /** The beam of an op; `usedFallback` if a decided op had to stay as in the input. */
  beam?(op: OpId, beam: readonly BeamCandidate[], usedFallback: boolean): void;
  fork?(resolution: ForkResolution): void;
  choice?(op: OpId, slot: number): void;
}

/** One slot of a beam: an implementation of an op, with back-pointers to the slots of its producers. */
export interface BeamCandidate {
  /** Layout in which each operand is read. */
  readonly inputs: LayoutIds;
  /** Producer op per operand; `undefined` for arguments. */
  readonly producers: readonly (number | undefined)[];
  /** Beam slot of that producer, per operand. */
  readonly slots: readonly number[];
  /** Per operand: whether it is a resharded copy. */
  readonly reshards: readonly boolean[];
  readonly impl: OpImpl;
  /** µs of the op, of resharding its operands, and of returning its results in the layout of the signature. */
  readonly microseconds: number;
  readonly score: LayoutScore;
}

/** Result of the forward phase: per op, its candidates from best to worst, at least one. */
export type Beams = readonly (readonly BeamCandidate[])[];
