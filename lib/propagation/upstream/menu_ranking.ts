// SPDX-License-Identifier: Apache-2.0
import type { OpImpl } from "../../search/impls.ts";
import type { InputCandidate } from "../combinations.ts";
import type { OperandReading } from "../exploration.ts";
import { COMPARE_SCORES, type LayoutScore } from "../layout_score.ts";

/**
 * Candidates of one operand with the same layout, all copies or none, by their indices in the operand's list.
 * tt-mlir's score does not tell them apart: it ignores what a copy costs.
 */
export interface CandidateClass {
  readonly candidate: InputCandidate;
  readonly places: readonly number[];
}

/** An implementation of an op on operands of given classes; every choice of slots scores the same. */
export interface RatedImpl {
  readonly classes: readonly CandidateClass[];
  readonly reading: OperandReading;
  readonly impl: OpImpl;
  /** Index among the implementations on these operands. */
  readonly hint: number;
  readonly score: LayoutScore;
}

/** One rated implementation with a choice of slots. */
export interface RankedChoice extends RatedImpl {
  /** Per operand, the index in its list. */
  readonly places: readonly number[];
}

/** Groups an operand's candidates by layout and by whether they are copies, in list order. */
export function classesOf(candidates: readonly InputCandidate[]): readonly CandidateClass[] {
  const classes = new Map<string, { candidate: InputCandidate; places: number[] }>();
  candidates.forEach((candidate, place) => {
    const key = `${candidate.layout}:${candidate.isReshard}`;
    classes.getOrInsertComputed(key, () => ({ candidate, places: [] })).places.push(place);
  });
  return [...classes.values()];
}

/** One class per operand: every combination, the last operand changing fastest, at most `most`. */
export function classCombinations(
  operands: readonly (readonly CandidateClass[])[],
  most: number,
): readonly (readonly CandidateClass[])[] {
  let found: (readonly CandidateClass[])[] = [[]];
  for (const classes of operands) {
    found = found.flatMap((combination) => classes.map((each) => [...combination, each])).slice(0, most);
  }
  return found;
}

/**
 * The best choices by tt-mlir's score, at most `width`. Ties follow the compiler's enumeration, in which the
 * hint varies fastest and the last operand next.
 */
export function bestChoices(rated: readonly RatedImpl[], width: number): readonly RankedChoice[] {
  const sorted = rated.toSorted((a, b) => COMPARE_SCORES.local(a.score, b.score));
  const kept: RankedChoice[] = [];
  for (let at = 0; at < sorted.length && kept.length < width;) {
    const first = sorted[at];
    let end = at;
    const equal: RankedChoice[] = [];
    for (; end < sorted.length; end++) {
      const next = sorted[end];
      if (first === undefined || next === undefined || COMPARE_SCORES.local(first.score, next.score) !== 0) {
        break;
      }
      equal.push(...choicesOf(next, width));
    }
    kept.push(...equal.toSorted(byPlace).slice(0, width - kept.length));
    at = end;
  }
  return kept;
}

/** The first choices of slots for an implementation. */
function choicesOf(rated: RatedImpl, most: number): readonly RankedChoice[] {
  let found: (readonly number[])[] = [[]];
  for (const { places } of rated.classes) {
    found = found.flatMap((chosen) => places.slice(0, most).map((place) => [...chosen, place])).slice(
      0,
      most,
    );
  }
  return found.map((places) => ({ ...rated, places }));
}

function byPlace(a: RankedChoice, b: RankedChoice): number {
  for (const [operand, place] of a.places.entries()) {
    const difference = place - (b.places[operand] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.hint - b.hint;
}
