// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds, Way } from "../search/ways.ts";
import type { LayoutScore } from "./layout_score.ts";

/** One slot of a beam: a way to run an op, with back-pointers to the slots of its producers. */
export interface BeamCandidate {
  /** Layout in which each operand is read. */
  readonly inputs: LayoutIds;
  /** Producer op per operand; `undefined` for arguments. */
  readonly producers: readonly (number | undefined)[];
  /** Beam slot of that producer, per operand. */
  readonly slots: readonly number[];
  /** Per operand: whether it is a resharded copy. */
  readonly reshards: readonly boolean[];
  readonly way: Way;
  /** µs of the op, of resharding its operands, and of returning its results in the layout of the signature. */
  readonly microseconds: number;
  readonly score: LayoutScore;
}

/** Result of the forward phase: per op, its candidates from best to worst, at least one. */
export type Beams = readonly (readonly BeamCandidate[])[];
