// SPDX-License-Identifier: Apache-2.0
import { sameItems } from "../layout/same_items.ts";
import { assignmentMicroseconds } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { Assignment } from "../search/ways.ts";
import type { AddressConflict, Obstacles, Placed, Placing } from "./addresses/address_search.ts";
import type { L1Caps } from "./l1/l1_branching.ts";
import type { LayoutProblem } from "./factors/layout_problem.ts";
import type { PlacedProgram } from "./addresses/placed_program.ts";

/** How often a solution that is followed is solved again once its copies are priced with congestion. */
const CONGESTION_ROUNDS = 1;

const NO_OBSTACLES: Obstacles = { items: [], waits: [], copies: [], advances: [] };

/** The exact assignment under some caps. */
interface CappedAssignment {
  readonly layouts: LayoutProblem;
  /** `Infinity` where nothing keeps to the caps. */
  readonly bound: number;
  readonly assignment: Assignment;
}

/** A {@linkcode CappedAssignment} that was asked for, and what was made of it. */
interface Known extends CappedAssignment {
  /** Whether all that it does is priced with congestion. */
  isCongested: boolean;
  /** By order of ops and copies that are made early. */
  readonly placed: Map<string, Placed>;
}

/** What a placer asks. */
export interface PlacerQuestions {
  solve(caps: L1Caps): CappedAssignment;
  conflict(placed: PlacedProgram): AddressConflict | undefined;
  /** What solutions depend on beside caps: as long as they are the same items, a known solution holds. */
  grounds(): readonly unknown[];
}

/**
 * Solves a layout problem under what programs should keep to, and lays the solutions out by address. Searches by another
 * distance, and changes of nothing but times, come to the same solutions again: each is made once. It is charged for whenever
 * it is asked for, so that what a search finds within a budget does not depend on who asked before.
 */
export class AddressPlacer {
  readonly #evaluator: OpEvaluator;
  readonly #questions: PlacerQuestions;
  #grounds: readonly unknown[] = [];
  readonly #known: Map<string, Known> = new Map();
  /** The program that was laid out last. Of the others only what they come to is kept, as they take much memory. */
  #latest: { readonly of: Placed; readonly program: PlacedProgram } | undefined;

  constructor(evaluator: OpEvaluator, questions: PlacerQuestions) {
    this.#evaluator = evaluator;
    this.#questions = questions;
  }

  /** @param isFollowed whether copies are priced closely, with what their flows lose to each other */
  place(placing: Placing, isFollowed: boolean): Placed {
    for (let round = 0;; round++) {
      const known = this.#solution(placing.caps);
      if (known.bound === Infinity) {
        return { microseconds: Infinity, key: "", placed: undefined, conflict: undefined };
      }
      if (isFollowed && !known.isCongested) {
        known.isCongested = true;
        if (known.layouts.addCongestion(known.assignment) && round < CONGESTION_ROUNDS) continue;
        if (!this.#holds()) known.placed.clear();
      }
      const key = `${placing.schedule.join()}|${
        placing.early.map(({ value, layout }) => `${value}:${layout}`).join()
      }`;
      let placed = known.placed.get(key);
      if (placed === undefined) known.placed.set(key, placed = this.#laidOut(known, placing));
      return placed;
    }
  }

  #solution(caps: L1Caps): Known {
    if (!this.#holds()) {
      this.#grounds = this.#questions.grounds();
      this.#known.clear();
    }
    const key = keyOf(caps);
    let known = this.#known.get(key);
    if (known === undefined) {
      known = { ...this.#questions.solve(caps), isCongested: false, placed: new Map() };
      this.#known.set(key, known);
    } else {
      this.#evaluator.work.charge("solvedOp", this.#evaluator.fn.ops.length);
    }
    return known;
  }

  /** Whether what is known is what solving it again would come to. */
  #holds(): boolean {
    return sameItems(this.#questions.grounds(), this.#grounds);
  }

  #laidOut({ layouts, assignment }: CappedAssignment, placing: Placing): Placed {
    const questions = this.#questions;
    const first = layouts.placed(assignment, placing);
    const congestion = layouts.microseconds(assignment) - assignmentMicroseconds(this.#evaluator, assignment);
    const lay = (): PlacedProgram => {
      const latest = this.#latest?.of === placed ? this.#latest.program : layouts.placed(assignment, placing);
      // Who asks for a program may change it.
      this.#latest = undefined;
      return latest;
    };
    let conflict: { readonly found: AddressConflict | undefined } | undefined;
    const placed: Placed = {
      microseconds: first.program.microseconds() + congestion,
      key: first.key,
      get placed() {
        return { program: lay().program, placing };
      },
      // Of most solutions nobody asks that: they are dear, or known as what other changes led to.
      get conflict() {
        if (conflict === undefined) {
          const found = questions.conflict(lay());
          const obstacles = (): Obstacles => questions.conflict(lay())?.obstacles() ?? NO_OBSTACLES;
          conflict = { found: found && { ...found, obstacles } };
        }
        return conflict.found;
      },
    };
    this.#latest = { of: placed, program: first };
    return placed;
  }
}

/** Equal for caps that let the same through. */
function keyOf({ ops, values, moved, without }: L1Caps): string {
  const lists = (all: ReadonlyMap<number, Iterable<unknown>>): string =>
    [...all].map(([key, items]) => `${key}:${[...items].join(" ")}`).join();
  return `${[...ops].join()}|${lists(values)}|${lists(moved)}|${lists(without)}`;
}
