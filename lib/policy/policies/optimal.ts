// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import { simulateL1Schedule } from "../../memory/l1_timeline.ts";
import { DEFAULT_OPTIMIZER_LIMITS, LayoutOptimizer, type Optimum } from "../../optimal/layout_optimizer.ts";
import { type SearchStep, steppedProgram } from "../../optimal/stepped_program.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import type { Assignment, LayoutIds } from "../../search/ways.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions, TIME_BUDGET } from "../options.ts";
import type { FinishedProgram } from "../pass_pipeline.ts";
import type { FunctionContext } from "../function_context.ts";
import { type FunctionBudget, planWithinBudget } from "../plan_within_budget.ts";
import type { Policy } from "../policy.ts";
import type { Portfolio } from "../portfolio.ts";
import { enoughBehindBound, ROUNDING } from "../search_end.ts";
import { BeamSearch, openPortfolio } from "./beam_cost.ts";
import { greedy } from "./greedy.ts";

/** The exact assignment without L1 capacity, made to fit, against everything that `beam-cost` finds. */
export const policy: Policy = {
  name: "optimal",
  summary:
    "Exact layouts without L1 capacity, then priced and spilled until they fit; never dearer than beam-cost",
  place: 6,
  freedom: "hinted",
  options: [TIME_BUDGET, BEAM_WIDTH, ...PASS_OPTIONS],
  tellsGap: true,
  decide: (context) => planWithinBudget(context, policy.name, searchExactly),
};

/** Why ops are as the exact assignments have them that take least where programs wait to be sent. */
const SENT = "exact as programs are sent";

/** Rounds of solving with dearer L1; each costs one elimination and one run of pass 2. */
const PRICE_ROUNDS = 12;

/**
 * Solutions of a function that lacks L1 that are placed by address before its bound is raised, which may take all there is to
 * spend: until one fits, and after it.
 */
const FIRST_PLACED = { untilFits: 160, afterwards: 24 } as const;

/** Of a long function: rounds without a better plan after which no more are tried. */
const PATIENCE = 3;

/**
 * µs of work after which what may take long makes way, once, for what is cheap and often finds the better plan. No shares of
 * the budget: a larger one does the same in the same order, and more behind it.
 */
const MAKES_WAY_AFTER = {
  /** Exploring for the exact assignment; without all of it there is neither that nor a bound, and beams are all there is. */
  exploring: 1_050_000,
  /** Raising the bound, and looking for exact assignments that fit L1. */
  bounding: 525_000,
} as const;

/** µs of work that exploring a function may take whatever is left: one of many gets little, and without it there is no bound. */
const EXPLORED_ANYWAY = 100_000;

/**
 * The cheapest program of exact assignments and of everything that `beam-cost` finds, with a lower bound of the
 * predicted time. The exact assignment comes first: where it fits and takes no longer than the bound, nothing can be
 * better, and the search ends.
 *
 * Of a long function that lacks L1 the beams come before the exact assignments that fit it: one of these costs as much as a
 * beam, and where many layers lack L1 few of them fit.
 *
 * @param budget where it runs short before every op is explored, there is no bound and no exact assignment; when it is
 * spent but for what is kept for beams, these go on, and the best program so far is the answer: never a dearer one than
 * that of a smaller budget, or of `beam-cost` with the same one
 */
export function searchExactly(
  fn: FunctionContext,
  options: PolicyOptions,
  { whole, beamsUs }: FunctionBudget,
): FinishedProgram {
  const beams = new BeamSearch(fn, options, beamsUs, () => whole.leftUs === 0);
  let ofBeams: FinishedProgram | undefined;
  const tryBeams = (): void => {
    beams.goOn();
    const winner = beams.winner();
    if (winner !== undefined && winner !== ofBeams) portfolio.offer(ofBeams = winner);
  };
  // Beams may need less than is kept for them, so that the search goes on behind them.
  const isSpent = (): boolean => {
    if (whole.leftUs <= beams.leftUs) tryBeams();
    return whole.leftUs <= beams.leftUs;
  };
  const isAllSpent = (): boolean => whole.leftUs === 0;
  const portfolio = openPortfolio(fn, options, isSpent);
  // Overrides bind ops to layouts and configs that the exact assignment knows nothing of. What is explored in part is of no
  // use, so that exploring may take what is kept for beams: they have their turn behind it all the same.
  let optimizer = fn.evaluator.hasOverrides
    ? undefined
    : explore(fn, makingWay(fn, MAKES_WAY_AFTER.exploring, tryBeams, isAllSpent));
  const place = optimizer === undefined ? () => {} : placingByAddress(optimizer, portfolio, fn, options);
  const placeFirst = once(() => {
    if (portfolio.isThorough) place(orEnough(isSpent));
  });
  const tryCheaply = (): void => {
    if (portfolio.isThorough) tryBeams();
    placeFirst();
    if (optimizer !== undefined) raiseL1Prices(optimizer, portfolio, fn, isSpent);
  };
  const isSpentOnBounds = makingWay(fn, MAKES_WAY_AFTER.bounding, tryCheaply, isSpent);
  const exact = optimizer === undefined ? undefined : solveOnce(optimizer, portfolio, fn, (isShort) =>
    // Where nothing is short, a long function's bound may end the search and leave no beams to keep anything for.
    portfolio.isThorough || isShort ? isSpentOnBounds() : isAllSpent());
  let lowerBoundUs = exact?.bound ?? Infinity;
  // No bound is infinite but where no assignment is possible: then nothing that is explored fits.
  if (lowerBoundUs === Infinity) optimizer = undefined;
  let isLeftForLater = false;
  let isFitted = false;
  if (optimizer !== undefined && exact !== undefined) {
    let proven = portfolio.provenBy(lowerBoundUs);
    if (proven === undefined) {
      lowerBoundUs = Math.max(lowerBoundUs, solveAsSent(optimizer, portfolio, fn, exact, isSpent));
      proven = portfolio.provenBy(lowerBoundUs);
    }
    if (proven === undefined && (portfolio.isThorough || !isSpent())) addAll(exact.cheaper, portfolio);
    if (proven === undefined && portfolio.isNear(lowerBoundUs)) {
      // No beams come behind it for which anything would have to be kept.
      lowerBoundUs = Math.max(lowerBoundUs, solveWithinL1(optimizer, portfolio, isAllSpent));
      proven = portfolio.winner();
    }
    isLeftForLater = exact.isShort && !portfolio.isThorough;
    if (proven === undefined && !isLeftForLater && !isSpent()) {
      isFitted = true;
      lowerBoundUs = Math.max(
        lowerBoundUs,
        fitL1(optimizer, portfolio, place, isSpentOnBounds),
      );
      proven = portfolio.provenBy(lowerBoundUs);
    }
    if (proven !== undefined) return { ...proven, lowerBoundUs };
  }
  if (optimizer === undefined || !portfolio.isTooGoodForBeams(lowerBoundUs)) tryBeams();
  if (optimizer !== undefined && !isSpent()) {
    // What is kept for beams may leave time that there was none of before them.
    if (!isFitted) {
      placeFirst();
      lowerBoundUs = Math.max(lowerBoundUs, fitL1(optimizer, portfolio, place, isSpent));
    }
    raiseL1Prices(optimizer, portfolio, fn, isSpent);
  }
  portfolio.spillThoroughly();
  portfolio.readPresent();
  if (optimizer !== undefined && !isSpent()) {
    lowerBoundUs = searchByStep(optimizer, portfolio, fn, options, { lowerBoundUs, isSpent });
  }
  const winner = portfolio.winner() ?? greedy(fn, options);
  return lowerBoundUs === Infinity ? winner : { ...winner, lowerBoundUs };
}

/**
 * Adds assignments of a bound that was raised step by step, each of which a smaller budget may end with: all of them, but for
 * those of a long function that has no time left, where pass 2 takes longest.
 */
function addAll(cheaper: readonly Assignment[], portfolio: Portfolio): void {
  for (const assignment of cheaper) portfolio.add("exact without L1 capacity", assignment);
  portfolio.settle(portfolio.isThorough ? () => false : undefined);
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

/** `isSpent`, or asked often enough since a solution fits, or as long as none does. */
function orEnough(isSpent: () => boolean): (fits: boolean) => boolean {
  let [untilFits, left] = [FIRST_PLACED.untilFits, FIRST_PLACED.afterwards];
  return (fits) => (fits ? left-- : untilFits--) <= 0 || isSpent();
}

/** `isSpent`, which lets something else be done once, as soon as so many µs of work were done since. */
function makingWay(
  { evaluator: { work } }: FunctionContext,
  microseconds: number,
  act: () => void,
  isSpent: () => boolean,
): () => boolean {
  const start = work.microseconds;
  const actOnce = once(act);
  return () => {
    if (!isSpent() && work.microseconds - start >= microseconds) actOnce();
    return isSpent();
  };
}

/** The explored layouts of a function; `undefined` where the budget ends before the last op. */
function explore(fn: FunctionContext, isSpent: () => boolean): LayoutOptimizer | undefined {
  const { work } = fn.evaluator;
  const start = work.microseconds;
  const limits = {
    ...DEFAULT_OPTIMIZER_LIMITS,
    isSpent: () => work.microseconds - start >= EXPLORED_ANYWAY && isSpent(),
  };
  const optimizer = new LayoutOptimizer(fn.evaluator, fn.roles, fn.region, "hinted", limits);
  return optimizer.isCut ? undefined : optimizer;
}

/** What solving without L1 capacity says of a function. */
interface SolvedOnce extends Optimum {
  /** Whether the exact assignment lacks L1. */
  readonly isShort: boolean;
  /** Assignments that were cheaper than all before them, the one that was added last. */
  readonly cheaper: readonly Assignment[];
}

/**
 * Adds the exact assignment without L1 capacity to a portfolio.
 *
 * @param isSpent asked after every round, and told whether the first assignment lacks L1: whether it is the last one
 */
function solveOnce(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  fn: FunctionContext,
  isSpent: (isShort: boolean) => boolean,
): SolvedOnce {
  let isShort: boolean | undefined;
  const cheaper: Assignment[] = [];
  const enough = enoughBehindBound(fn.fn.ops.length);
  const optimum = optimizer.tighten(
    "exact without L1 capacity",
    (found) => {
      isShort ??= lacksL1(fn, found);
      return isSpent(isShort);
    },
    (found) => void cheaper.push(found),
    enough,
  );
  const { assignment } = optimum;
  isShort ??= lacksL1(fn, assignment);
  if (
    !isShort && enough !== undefined && optimizer.microseconds(assignment) <= optimum.bound * (1 + enough)
  ) {
    portfolio.offer(portfolio.pipeline.finish("exact without L1 capacity", assignment));
    if (portfolio.provenBy(optimum.bound) !== undefined) return { ...optimum, isShort, cheaper };
  }
  portfolio.add("exact without L1 capacity", assignment);
  // Refined, others may come closer to the bound; of long functions that spares the rest of the search.
  const isDone = (): boolean => isSpent(isShort === true);
  if (!portfolio.isThorough && !isDone()) {
    for (const layouts of optimizer.problems) {
      portfolio.add(
        "exact without L1 capacity",
        optimizer.solve(layouts, "exact without L1 capacity").assignment,
      );
    }
  }
  const exact = portfolio.settle(isDone);
  // It is priced with congestion, which the prices that rank programs leave out.
  if (exact !== undefined) portfolio.offer(exact);
  return { ...optimum, isShort, cheaper };
}

/**
 * Adds the exact assignments that take least where programs wait to be sent; returns a bound in µs, 0 where none waits. The
 * finer model alone knows what programs wait for. It takes a tenth of a second, and where they do wait, nothing else comes
 * near the bound or raises it as much: what is found first is tried even when the budget is spent.
 */
function solveAsSent(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  fn: FunctionContext,
  exact: Optimum,
  isSpent: () => boolean,
): number {
  if (fn.judge === undefined) return 0;
  const { pipeline } = portfolio;
  const solved = optimizer.solveAsSent(SENT, fn.roles, exact, isSpent);
  const assignments = [
    exact.assignment,
    pipeline.refine(exact.assignment),
    ...solved.map(({ assignment }) => assignment),
  ];
  for (const assignment of new Map(assignments.map((each) => [pipeline.key(each), each])).values()) {
    const reordered = pipeline.finishAsSent(SENT, assignment);
    if (reordered !== undefined) portfolio.offer(reordered);
    if (assignment !== exact.assignment) portfolio.offer(pipeline.finish(SENT, assignment));
    if (isSpent()) break;
  }
  return Math.max(0, ...solved.map(({ bound }) => bound));
}

/** Adds exact assignments that fit L1, by sums of bytes and by address; returns a bound in µs, 0 where none is known. */
function fitL1(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  place: PlaceByAddress,
  isSpent: () => boolean,
): number {
  const bound = solveWithinL1(optimizer, portfolio, isSpent);
  place(isSpent);
  return bound;
}

/** Adds the exact assignment that fits L1 by sums of bytes, where the one without capacity does not; returns its bound. */
function solveWithinL1(optimizer: LayoutOptimizer, portfolio: Portfolio, isSpent: () => boolean): number {
  if (isSpent()) return 0;
  const withinL1 = optimizer.solveWithinL1("exact within L1", isSpent);
  if (withinL1 === undefined) return 0;
  // A search for it that was cut short has a bound, and an assignment that a larger budget does not come to.
  if (isSpent()) return withinL1.bound;
  portfolio.add("exact within L1", withinL1.assignment);
  const exact = portfolio.settle(isSpent);
  if (exact !== undefined) portfolio.offer(exact);
  return withinL1.bound;
}

/** Looks on for exact assignments that fit L1 by address, until it is told that what it has is enough. */
type PlaceByAddress = (isEnough: (fits: boolean) => boolean) => void;

/** Adds exact assignments that fit L1 by address, cheaper and cheaper ones; each call goes on where the last one ended. */
function placingByAddress(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  { region, roles }: FunctionContext,
  { schedule }: PolicyOptions,
): PlaceByAddress {
  const { pipeline } = portfolio;
  const search = optimizer.solveByAddress("exact by address", region, roles, schedule !== "input");
  let fits = false;
  return (isEnough) => {
    while (!isEnough(fits)) {
      const { done, value: placed } = search.next();
      if (done === true) return;
      if (placed === undefined) continue;
      fits = true;
      const finished = pipeline.finishProgram("exact by address", placed);
      portfolio.offer(finished);
      const better = pipeline.readingPresent(finished);
      if (better !== undefined) portfolio.offer(better);
    }
  };
}

/** States and problems that {@linkcode LayoutOptimizer.searchSteps} looks at, whatever time is left. */
const STEP_LIMITS = { mostStates: 1500, mostBounds: 4000 } as const;

/** Adds the best plans of a function of few ops that are found step by step; returns the bound, which that may raise. */
function searchByStep(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  { evaluator, roles, region }: FunctionContext,
  { schedule }: PolicyOptions,
  { lowerBoundUs, isSpent }: { readonly lowerBoundUs: number; isSpent(): boolean },
): number {
  const best = portfolio.winner();
  const limitUs = best === undefined ? Infinity : portfolio.priceOf(best);
  if (limitUs <= lowerBoundUs * (1 + ROUNDING)) return lowerBoundUs;
  const { pipeline } = portfolio;
  const offer = (steps: readonly SearchStep[]): number => {
    const finished = pipeline.finishProgram("exact by step", steppedProgram(evaluator, steps));
    portfolio.offer(finished);
    return finished.usable ? portfolio.priceOf(finished) : Infinity;
  };
  const answer = optimizer.searchSteps(roles, schedule !== "input", {
    region,
    limitUs,
    ...STEP_LIMITS,
    isSpent,
    offer,
  });
  return Math.max(lowerBoundUs, answer?.boundUs ?? 0);
}

/** Adds exact assignments with dearer and dearer L1, as long as one needs more than there is. */
function raiseL1Prices(
  optimizer: LayoutOptimizer,
  portfolio: Portfolio,
  fn: FunctionContext,
  isSpent: () => boolean,
): void {
  for (const layouts of optimizer.problems) {
    const prices = new Float64Array(fn.fn.ops.length);
    let { best } = portfolio;
    let inVain = 0;
    for (let round = 0; round < PRICE_ROUNDS && !isSpent(); round++) {
      const name = round === 0 ? "exact without L1 capacity" : `exact at the L1 prices of round ${round}`;
      const { bound, assignment } = optimizer.solve(
        layouts,
        name,
        (op, outputs) => chargeOf(fn, prices, op, outputs),
      );
      portfolio.add(name, assignment);
      portfolio.settle(isSpent);
      inVain = portfolio.best === best ? inVain + 1 : 0;
      best = portfolio.best;
      if (!portfolio.isThorough && inVain >= PATIENCE) break;
      const shortage = shortageOf(fn, assignment);
      if (shortage.every((bytes) => bytes === 0)) break;
      const target = portfolio.best?.microseconds ?? 2 * bound;
      raisePrices(prices, shortage, Math.max(0, target - bound));
    }
  }
}

/** µs that the L1 prices add to an op's results: bytes per core times the prices of the ops during their life. */
function chargeOf(
  { evaluator }: FunctionContext,
  prices: Float64Array,
  op: OpId,
  outputs: LayoutIds,
): number {
  let charge = 0;
  evaluator.op(op).results.forEach((value, index) => {
    const layout = outputs[index];
    if (layout === undefined) return;
    const { l1Bytes } = evaluator.facts(layout);
    if (l1Bytes === 0) return;
    const last = evaluator.value(value).uses.at(-1)?.op ?? op;
    for (let at = op; at <= last; at++) charge += l1Bytes * (prices[at] ?? 0);
  });
  return charge;
}

/** Bytes per core that are missing in L1, by the op that runs or that a copy is made for. */
function shortageOf({ fn, evaluator, region }: FunctionContext, assignment: Assignment): Float64Array {
  const program = LayoutProgram.fromAssignment(evaluator, assignment);
  const steps = program.steps();
  const { failures } = simulateL1Schedule(program.l1Schedule(steps), region, undefined, "failures");
  const shortage = new Float64Array(fn.ops.length);
  for (const { position, shortBytes } of failures) {
    const step = steps[position];
    if (step === undefined) continue;
    const op = step.kind === "op" ? step.op : program.copies[step.copy]?.before ?? 0;
    if (op < shortage.length) shortage[op] = Math.max(shortage[op] ?? 0, shortBytes);
  }
  return shortage;
}

function lacksL1(fn: FunctionContext, assignment: Assignment): boolean {
  return shortageOf(fn, assignment).some((bytes) => bytes > 0);
}

/**
 * A step of the subgradient method with Polyak's step length: prices rise with what is missing, so far that the distance
 * between the best plan and the bound would be paid for.
 */
function raisePrices(prices: Float64Array, shortage: Float64Array, distance: number): void {
  let square = 0;
  for (const bytes of shortage) square += bytes * bytes;
  if (square === 0) return;
  for (let op = 0; op < prices.length; op++) {
    prices[op] = (prices[op] ?? 0) + distance * (shortage[op] ?? 0) / square;
  }
}
