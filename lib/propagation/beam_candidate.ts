// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds, Way } from "../search/ways.ts";
import type { LayoutScore } from "./layout_score.ts";

/** One slot of a beam: a way to run an op, with back-pointers to the slots of its producers. */
export interface BeamCandidate {
  /** Layout in which each operand is read. */
  readonly inputs: LayoutIds;
  /** Producer op per operand, `undefined` for arguments. */
  readonly producers: readonly (number | undefined)[];
  /** Beam slot of that producer. */
  readonly slots: readonly number[];
  /** Whether the operand is a resharded copy. */
  readonly reshards: readonly boolean[];
  readonly way: Way;
  /** µs of the op, of the reshards of its operands, and of returning its results in the layout of the signature. */
  readonly microseconds: number;
  readonly score: LayoutScore;
}

/** Result of the forward phase: per op, candidates from best to worst; never empty. */
export type Beams = readonly (readonly BeamCandidate[])[];
