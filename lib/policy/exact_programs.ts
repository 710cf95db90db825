// SPDX-License-Identifier: Apache-2.0
import { LayoutOptimizer, type Optimum, WITHOUT_CAPACITY } from "../optimal/layout_optimizer.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../optimal/limits.ts";
import type { Assignment } from "../search/impls.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import type { FunctionContext } from "./function_context.ts";
import type { PolicyOptions } from "./options.ts";
import type { Portfolio } from "./portfolio.ts";
import { CLOSE } from "./search_limits.ts";

/** Reason given for layouts of assignments that are fastest when programs wait for the dispatcher. */
const DISPATCHED = "exact with waits for the dispatcher";

/**
 * Explores the layouts of a function for exact assignments; `undefined` if the budget ends before the last
 * op.
 *
 * @param wideUs as {@linkcode ExplorationLimits.wideUs}
 */
export function explore(
  fn: FunctionContext,
  wideUs: number,
  isSpent: () => boolean,
): LayoutOptimizer | undefined {
  const limits = { ...DEFAULT_OPTIMIZER_LIMITS, wideUs, isSpent };
  const optimizer = new LayoutOptimizer(fn.evaluator, fn.roles, fn.region, "hinted", limits);
  return optimizer.isCut ? undefined : optimizer;
}

/** Whether some step of an assignment does not fit L1 by address before pass 2. */
function lacksL1({ evaluator, region }: FunctionContext, assignment: Assignment): boolean {
  const { failures } = LayoutProgram.fromAssignment(evaluator, assignment).l1Failures(region);
  return failures.some(({ shortBytes }) => shortBytes > 0);
}

/** A round of solving without L1 capacity. */
export interface SolvedRound {
  /** Whether the first assignment needs more L1 than there is. */
  readonly isShort: boolean;
  /** The gap between the round's assignment and its bound, as a share of the bound. */
  readonly gap: number;
}

/** The exact assignment without L1 capacity, with its bound. */
export interface SolvedOnce extends Optimum {
  /** Whether the exact assignment needs more L1 than there is. */
  readonly isShort: boolean;
}

/**
 * Adds the exact assignment without L1 capacity to a portfolio.
 *
 * @param isSpent asked after every round: whether to stop
 */
export function solveOnce(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  fn: FunctionContext,
  isSpent: (round: SolvedRound) => boolean,
): SolvedOnce {
  let isShort: boolean | undefined;
  // In a small function only a finished program ends the search.
  const enough = portfolio.isSmall ? undefined : CLOSE;
  const optimum = optimizer.tighten(
    WITHOUT_CAPACITY,
    ({ assignment, bound, assignmentUs }) => {
      isShort ??= lacksL1(fn, assignment);
      return isSpent({ isShort, gap: assignmentUs / bound - 1 });
    },
    enough,
  );
  const { assignment } = optimum;
  isShort ??= lacksL1(fn, assignment);
  if (
    !isShort && enough !== undefined && optimizer.microseconds(assignment) <= optimum.bound * (1 + enough)
  ) {
    portfolio.offer(portfolio.pipeline.finish(WITHOUT_CAPACITY, assignment));
    if (portfolio.isWithin(enough, optimum.bound)) return { ...optimum, isShort };
  }
  portfolio.add(WITHOUT_CAPACITY, assignment);
  const round = { isShort, gap: 0 };
  portfolio.settle(() => isSpent(round));
  return { ...optimum, isShort };
}

/**
 * Adds assignments that are optimal with waits for the dispatcher. Returns a bound in µs; 0 if no program waits. This
 * takes a tenth of a second and, in functions with waits, raises the bound more than anything else, so its first
 * results are tried even if the budget is spent.
 */
export function solveWithDispatch(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  fn: FunctionContext,
  exact: Optimum,
  isSpent: () => boolean,
): number {
  const { pipeline } = portfolio;
  const solved = optimizer.solveWithDispatch(DISPATCHED, fn.roles, exact, isSpent);
  const boundUs = Math.max(0, ...solved.map(({ bound }) => bound));
  const assignments = [exact.assignment, ...solved.map(({ assignment }) => assignment)];
  for (const assignment of new Map(assignments.map((each) => [pipeline.key(each), each])).values()) {
    const reordered = pipeline.finishWithDispatch(DISPATCHED, assignment);
    // The exact assignment in the input's order is already in the portfolio.
    const inOrder = assignment === exact.assignment ? undefined : pipeline.finish(DISPATCHED, assignment);
    for (const program of [reordered, inOrder]) if (program !== undefined) portfolio.offer(program);
    if (isSpent()) break;
  }
  return boundUs;
}

/**
 * Continues the search for exact assignments that fit L1 by address until `isEnough` returns true; it receives how many
 * solutions in a row gave no faster one.
 */
export type PlaceByAddress = (isEnough: (inVain: number) => boolean) => void;

/**
 * Adds exact assignments that fit L1 by address, each faster than the one before. Each call continues where the
 * last one stopped.
 */
export function placingByAddress(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  { region, roles }: FunctionContext,
  { schedule }: PolicyOptions,
): PlaceByAddress {
  const { pipeline } = portfolio;
  const search = optimizer.solveByAddress("exact, placed by address", roles, {
    region,
    mayReorder: schedule !== "input",
  });
  let inVain = 0;
  return (isEnough) => {
    while (!isEnough(inVain)) {
      const { done, value: placed } = search.next();
      if (done === true) return;
      inVain++;
      if (placed === undefined) continue;
      inVain = 0;
      portfolio.offer(pipeline.finishProgram("exact, placed by address", placed));
    }
  };
}
