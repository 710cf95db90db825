// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_OPTIMIZER_LIMITS, DISPATCH_PATHS } from "./limits.ts";
import type { ValueId } from "../graph/graph.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import { isInputWithinBudget, type LayoutProgram } from "../search/layout_program.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { Assignment } from "../search/impls.ts";
import { ROUNDING } from "./elimination/factor.ts";
import { MessageCache } from "./elimination/message_cache.ts";
import { Conversions } from "./exploration/conversions.ts";
import { LayoutProblem } from "./factors/layout_problem.ts";
import { DispatchPaths, type WeighedPath } from "./dispatch/dispatch_paths.ts";
import { countReaders, type Sharing, wholeShares } from "./factors/sharing.ts";
import { AddressPlacer } from "./address_placer.ts";
import {
  leastInAnyOrder,
  type PlacedAssignment,
  type PlacementInput,
  type SolvePlacing,
  unplaced,
} from "./addresses/address_search.ts";
import { memoryOrders } from "../search/memory_schedule.ts";
import type { L1Caps } from "./l1/l1_caps.ts";
import type { ProblemTerms } from "./factors/problem_terms.ts";
import { LayoutSpace } from "./exploration/layout_space.ts";
import { tighten } from "./tighten.ts";
import type { PlanKind } from "./exploration/impl_table.ts";
import { eliminateVariables } from "./elimination/variable_elimination.ts";

/** Limits of the work on one function. They are counts, not times: the same input gives the same result. */
export interface OptimizerLimits {
  /** Combinations of operand layouts per op. */
  readonly combinations: number;
  /** Joint choices that elimination may examine. */
  readonly work: number;
  /** Asked before every op: whether to stop exploring. */
  readonly isSpent?: () => boolean;
  /** As {@linkcode ExplorationLimits.wideUs}. */
  readonly wideUs?: number;
}

/** The reason recorded for layouts of {@linkcode LayoutOptimizer.tighten}. */
export const WITHOUT_CAPACITY = "exact, L1 capacity ignored";

/** A solved layout problem. */
export interface Optimum {
  /** Lower bound in µs over all assignments in the space. */
  readonly bound: number;
  readonly assignment: Assignment;
  /** Number of ops whose readers choose a layout independently, to limit the work. */
  readonly splitOps: number;
}

/** Exact layout search for one function, L1 capacity optional. */
export class LayoutOptimizer {
  readonly #space: LayoutSpace;
  readonly #conversions: Conversions;
  /** The problem in which readers share copies in equal fractions. */
  readonly #loose: LayoutProblem;
  #sharings: ReadonlyMap<ValueId, Sharing> = new Map();
  /** The problem that was set up last; the next one differs little from it. */
  #last: LayoutProblem;
  readonly #messages: MessageCache = new MessageCache();
  readonly #limits: OptimizerLimits;
  /** Its budget is the bytes of L1 per core that plans may fill. */
  readonly #region: L1Region;

  /**
   * @param planKind `hinted` for an assignment that pass 2 can finish, `confirmed` for a bound that holds for
   * every policy
   */
  constructor(
    evaluator: OpEvaluator,
    roles: OpRoles,
    region: L1Region,
    planKind: PlanKind,
    limits: OptimizerLimits = DEFAULT_OPTIMIZER_LIMITS,
  ) {
    this.#limits = limits;
    // Plans may fill the allowed share of L1, or everything if the input itself exceeds that share.
    const budget = isInputWithinBudget(evaluator, region) ? region.budget : region.top - region.base;
    this.#region = { ...region, budget };
    this.#space = new LayoutSpace(evaluator, roles, {
      combinations: limits.combinations,
      l1Bytes: this.#region.budget,
      planKind,
      ...(limits.isSpent === undefined ? {} : { isSpent: limits.isSpent }),
      ...(limits.wideUs === undefined ? {} : { wideUs: limits.wideUs }),
    });
    this.#conversions = new Conversions(evaluator, this.#region.budget);
    this.#loose = new LayoutProblem(this.#space, this.#conversions);
    this.#last = this.#loose;
  }

  #problem(terms: ProblemTerms): LayoutProblem {
    return this.#last = new LayoutProblem(this.#space, this.#conversions, terms, this.#last);
  }

  /** Number of ops with too many combinations of operand layouts; in bounds they take 0 µs. */
  get relaxedOps(): number {
    return this.#space.relaxedOps;
  }

  /** Whether {@linkcode OptimizerLimits.wideUs} left layouts unexplored. */
  get isNarrowed(): boolean {
    return this.#space.isNarrowed;
  }

  /**
   * Whether {@linkcode OptimizerLimits.isSpent} ended the exploration: bounds are then weak, and assignments
   * meaningless.
   */
  get isCut(): boolean {
    return this.#space.isCut;
  }

  /** Sum of the least µs of every op over its implementations, if it has any: conversions are free. */
  get withoutConversionsUs(): number {
    const least = this.#space.evaluator.fn.ops.map((op) => this.#space.table(op.id).least);
    return least.reduce((sum, us) => us === Infinity ? sum : sum + us, 0) * (1 - ROUNDING);
  }

  /** Predicted µs of a finished assignment by the prices of the bound; every shared conversion counts once. */
  microseconds(assignment: Assignment): number {
    return this.#loose.microseconds(assignment);
  }

  /**
   * Solves the problem in rounds, each of which charges shared copies more fully or prices congestion.
   * Returns the highest bound and the fastest assignment.
   *
   * @param isSpent asked after every round, with the optimum found and its assignment's µs: whether to stop
   * @param slack ends at fastest µs ≤ bound · (1 + slack)
   */
  tighten(
    reason: string,
    isSpent: (found: Optimum & { readonly assignmentUs: number }) => boolean = () => false,
    slack: number = 3 * ROUNDING,
  ): Optimum {
    let highestUs = 0;
    const { highest, cheapest } = tighten(
      (sharings) => {
        const layouts = this.#problem({ sharings });
        const optimum = this.#solve(layouts, reason);
        const undercharged = layouts.undercharged(optimum.choice, optimum.assignment);
        const isCongested = layouts.addCongestion(optimum.assignment);
        const assignmentUs = this.microseconds(optimum.assignment);
        if (optimum.bound > highestUs) [highestUs, this.#sharings] = [optimum.bound, sharings];
        return { ...optimum, sharings, assignmentUs, undercharged, isCongested };
      },
      (bound, leastUs) => leastUs <= bound * (1 + slack),
      (found) => isSpent(found),
    );
    this.#sharings = highest.sharings;
    return { ...highest, assignment: cheapest.assignment };
  }

  /**
   * Optima with waits for the dispatcher. A plan takes at least its longest path of programs ({@linkcode
   * DispatchPaths}). Round n adds the longest path of the last optimum and solves the problem with the mean
   * prices of all n paths. Call it after {@linkcode tighten}.
   *
   * @param found the optimum without waits
   * @param isSpent asked after every solution: whether to stop
   * @returns solutions with bounds in µs, the highest first; empty if nothing waits
   */
  solveWithDispatch(
    reason: string,
    roles: OpRoles,
    found: Optimum,
    isSpent: () => boolean = () => false,
  ): readonly Optimum[] {
    const dispatchPaths = DispatchPaths.of(this.#space, roles);
    const solved: Optimum[] = [];
    if (dispatchPaths === undefined) return solved;
    let paths: readonly WeighedPath[] = [];
    let last = found;
    for (let round = 1; round <= DISPATCH_PATHS; round++) {
      const path = dispatchPaths.longestPath(last.assignment);
      const [only, ...others] = paths;
      const isSame = others.length === 0 && only?.path.join() === path.join();
      if (isSame || (round === 1 && path.length === 0)) break;
      // The mean of all paths so far; the newest one replaces the solution without waits.
      paths = [...paths, { path, weight: 0 }].map((each) => ({ ...each, weight: 1 / round }));
      const lead = paths.reduce((sum, each) => sum + each.weight * dispatchPaths.leadOf(each.path), 0);
      const optimum = this.#solve(
        this.#problem({ sharings: this.#sharings, prices: dispatchPaths.prices(paths) }),
        reason,
      );
      last = { ...optimum, bound: optimum.bound - lead };
      solved.push(last);
      if (isSpent()) break;
    }
    return solved.sort((a, b) => b.bound - a.bound);
  }

  /**
   * Programs that fit L1 by address, each faster than the last, from a limited search: exact assignments with
   * {@linkcode Obstacles} shrunk, moved or run at another time. Call it after or during {@linkcode tighten}.
   *
   * @returns one item per solution; `undefined` for one that does not fit or is not faster
   */
  *solveByAddress(
    reason: string,
    roles: OpRoles,
    placement: PlacementInput,
  ): Generator<LayoutProgram | undefined, void, void> {
    const from = unplaced(this.#space.evaluator.fn.ops.map(({ id }) => id));
    const solve = this.#placer(reason, placement.region);
    const program = solve(from, true).placed?.program;
    const orders = program && placement.mayReorder ? memoryOrders(program, roles) : [];
    for (const found of leastInAnyOrder(from, solve, orders)) yield found?.placed?.program;
  }

  /** Solves the problem under restrictions and places the solution by address. */
  #placer(reason: string, region: L1Region): SolvePlacing<PlacedAssignment> {
    const { evaluator } = this.#space;
    const placer = new AddressPlacer(evaluator, {
      solve: (caps) => {
        const layouts = this.#problem({ sharings: this.#sharingsUnder(caps), caps });
        const { bound, assignment } = this.#solve(layouts, reason);
        return { layouts, bound, assignment };
      },
      conflict: (placed) => placed.conflict(region),
      waitsToSpill: (placed, share) => placed.waitsToSpill(share * this.#region.budget),
      grounds: () => [this.#sharings, this.#space.repriced, this.#conversions.repriced],
    });
    return (placing, isFollowed) => placer.place(placing, isFollowed);
  }

  /** How readers share copies if some values must wait in other layouts: these charge every reader its whole path. */
  #sharingsUnder(caps: L1Caps): ReadonlyMap<ValueId, Sharing> {
    const sharings = new Map(this.#sharings);
    for (const value of new Set([...caps.values.keys(), ...caps.moved.keys()])) {
      sharings.set(value, wholeShares(countReaders(this.#space.evaluator, value)));
    }
    return sharings;
  }

  /** The assignment of least µs in a problem. */
  #solve(
    layouts: LayoutProblem,
    reason: string,
  ): Optimum & { readonly choice: ArrayLike<number>; readonly work: number } {
    const { problem } = layouts;
    const account = this.#space.evaluator.work;
    account.charge("solvedOp", this.#space.evaluator.fn.ops.length);
    const { bound, choice, splitVariables, work } = eliminateVariables(
      problem,
      this.#limits,
      this.#messages,
    );
    account.charge("jointChoice", work);
    return {
      bound: bound * (1 - ROUNDING),
      choice,
      assignment: layouts.assignment(choice, reason),
      splitOps: splitVariables.length,
      work,
    };
  }
}
