// SPDX-License-Identifier: Apache-2.0
import { CONGESTION_ROUNDS } from "./limits.ts";
import { sameItems } from "../layout/extents.ts";
import { assignmentMicroseconds } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { Assignment } from "../search/impls.ts";
import {
  type AddressConflict,
  NO_OBSTACLES,
  type Obstacles,
  type PlacedAssignment,
  type Placing,
} from "./addresses/address_search.ts";
import type { PlacedProgram } from "./addresses/placed_program.ts";
import type { LayoutProblem } from "./factors/layout_problem.ts";
import type { L1Caps } from "./l1/l1_caps.ts";
import type { WaitingItem } from "./l1/waits_to_spill.ts";

/** The exact assignment under some caps. */
interface CappedAssignment {
  readonly layouts: LayoutProblem;
  /** `Infinity` if no assignment satisfies the caps. */
  readonly bound: number;
  readonly assignment: Assignment;
}

/** A solved {@linkcode CappedAssignment} with its outcome. */
interface CachedSolution extends CappedAssignment {
  /** Whether everything in it is priced with congestion. */
  isCongested: boolean;
  /** Its programs placed in L1; the key names the order of ops and the detours. */
  readonly placed: Map<string, PlacedAssignment>;
}

/** The functions that a placer calls. */
export interface PlacerQuestions {
  /** The least assignment under some caps. */
  solve(caps: L1Caps): CappedAssignment;
  /** The obstacles to the first step without room; `undefined` if everything fits. */
  conflict(placed: PlacedProgram): AddressConflict | undefined;
  /** @param share of L1 that may be filled */
  waitsToSpill(placed: PlacedProgram, share: number): readonly WaitingItem[] | undefined;
  /** Inputs of a solution beside the caps: a cached solution is valid while these are the same objects. */
  grounds(): readonly unknown[];
}

/**
 * Solves a layout problem under restrictions and places the solutions in L1 by address. Changes of the order and
 * of detours leave the caps as they are, and several searches reach the same caps, so solutions are
 * cached by caps. The work of a cached solution is charged on every request: otherwise the result of a search within
 * a budget would depend on earlier searches.
 */
export class AddressPlacer {
  readonly #evaluator: OpEvaluator;
  readonly #questions: PlacerQuestions;
  #grounds: readonly unknown[] = [];
  readonly #cached: Map<string, CachedSolution> = new Map();
  /** The program that was placed last. For the others only the outcome is kept, because programs take much memory. */
  #latest: { readonly of: PlacedAssignment; readonly program: PlacedProgram } | undefined;

  constructor(evaluator: OpEvaluator, questions: PlacerQuestions) {
    this.#evaluator = evaluator;
    this.#questions = questions;
  }

  /**
   * The least assignment under restrictions, placed in L1; it takes `Infinity` µs if no assignment satisfies them.
   *
   * @param isFollowed as in {@linkcode SolvePlacing}
   */
  place(placing: Placing, isFollowed: boolean): PlacedAssignment {
    for (let round = 0;; round++) {
      const cached = this.#solution(placing.caps);
      if (cached.bound === Infinity) {
        return {
          microseconds: Infinity,
          key: "",
          placed: undefined,
          conflict: undefined,
          waitsToSpill: () => undefined,
        };
      }
      if (isFollowed && !cached.isCongested) {
        cached.isCongested = true;
        if (cached.layouts.addCongestion(cached.assignment) && round < CONGESTION_ROUNDS) continue;
        if (!this.#holds()) cached.placed.clear();
      }
      const detours = placing.detours.map(({ value, layout, via }) => `${value}:${layout}:${via}`);
      const key = [placing.schedule, detours].map((list) => list.join()).join("|");
      let placed = cached.placed.get(key);
      if (placed === undefined) cached.placed.set(key, placed = this.#laidOut(cached, placing));
      return placed;
    }
  }

  #solution(caps: L1Caps): CachedSolution {
    if (!this.#holds()) {
      this.#grounds = this.#questions.grounds();
      this.#cached.clear();
    }
    const key = keyOf(caps);
    let cached = this.#cached.get(key);
    if (cached === undefined) {
      cached = { ...this.#questions.solve(caps), isCongested: false, placed: new Map() };
      this.#cached.set(key, cached);
    } else {
      this.#evaluator.work.charge("solvedOp", this.#evaluator.fn.ops.length);
    }
    return cached;
  }

  /** Whether cached solutions are still what solving again would give. */
  #holds(): boolean {
    return sameItems(this.#questions.grounds(), this.#grounds);
  }

  #laidOut({ layouts, assignment }: CappedAssignment, placing: Placing): PlacedAssignment {
    const questions = this.#questions;
    const first = layouts.placed(assignment, placing);
    const congestion = layouts.microseconds(assignment) - assignmentMicroseconds(this.#evaluator, assignment);
    const lay = (): PlacedProgram => {
      const latest = this.#latest?.of === placed ? this.#latest.program : layouts.placed(assignment, placing);
      // The caller may change the program that it gets.
      this.#latest = undefined;
      return latest;
    };
    let conflict: { readonly found: AddressConflict | undefined } | undefined;
    const placed: PlacedAssignment = {
      microseconds: first.program.microseconds() + congestion,
      key: first.key,
      get placed() {
        return { program: lay().program, placing };
      },
      // Lazy, because most solutions are too expensive, or known from other changes, and never need it.
      get conflict() {
        if (conflict === undefined) {
          const found = questions.conflict(lay());
          const obstacles = (): Obstacles => questions.conflict(lay())?.obstacles() ?? NO_OBSTACLES;
          conflict = { found: found && { ...found, obstacles } };
        }
        return conflict.found;
      },
      waitsToSpill: (share) => questions.waitsToSpill(lay(), share),
    };
    this.#latest = { of: placed, program: first };
    return placed;
  }
}

/** Caps with equal keys allow the same. */
function keyOf({ ops, values, moved }: L1Caps): string {
  const lists = (all: ReadonlyMap<number, Iterable<unknown>>): string =>
    [...all].map(([key, items]) => `${key}:${[...items].join(" ")}`).join();
  return `${[...ops].join()}|${lists(values)}|${lists(moved)}`;
}
