// SPDX-License-Identifier: Apache-2.0
import type { OpId, Place } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { LayoutIds, Way } from "../search/ways.ts";
import type { BeamCandidate } from "./beam_candidate.ts";
import type { InputCandidate } from "./combinations.ts";

/** A fork that trace-back resolved. */
export interface ForkResolution {
  readonly producer: OpId;
  readonly chosenSlot: number;
  /** What every consumer operand wants, in schedule order. */
  readonly demands: readonly {
    readonly consumer: Place;
    readonly operand: number;
    readonly layout: LayoutId;
  }[];
  /** Total reshard cost per slot, in the score's unit; `Infinity` where a reshard is illegal. */
  readonly slotCosts: readonly number[];
}

/** Is told what pass 1 looks at and why it decides; every method is optional. */
export interface PropagationObserver {
  /** Candidates per operand of a decided op. */
  operands?(op: OpId, candidates: readonly (readonly InputCandidate[])[]): void;
  /** A combination, or one way to run the op on it, that cannot be used. */
  rejected?(op: OpId, inputs: LayoutIds, way: Way | undefined, reason: string): void;
  /** The beam of an op; `usedFallback` when a decided op had to be kept as in the input. */
  beam?(op: OpId, beam: readonly BeamCandidate[], usedFallback: boolean): void;
  fork?(resolution: ForkResolution): void;
  choice?(op: OpId, slot: number): void;
}
