// SPDX-License-Identifier: Apache-2.0
import { HOPED_FOR } from "../limits.ts";
import { eliminationOrder } from "./elimination_order.ts";
import { costOf, type Factor, type FactorProblem } from "./factor.ts";
import { MessageCache } from "./message_cache.ts";

/** Limits of {@linkcode eliminateVariables}. */
export interface EliminationLimits {
  /** Joint choices that all steps together may examine. */
  readonly work: number;
}

/** Result of {@linkcode eliminateVariables}. */
export interface EliminationResult {
  /** No choice costs less. `Infinity` if no choice is possible. */
  readonly bound: number;
  /** Value per variable; attains `bound` if no variable was split. */
  readonly choice: Int32Array;
  /** Cost of `choice`. */
  readonly cost: number;
  /**
   * Variables that each factor could choose independently, because the work would have exceeded the limit
   * otherwise.
   */
  readonly splitVariables: readonly number[];
  /** Most neighbours of a variable when it was eliminated. */
  readonly width: number;
  /**
   * Joint choices that the final elimination examined: without those of cached messages, of split variables and of an
   * attempt that exceeded the limit.
   */
  readonly work: number;
}

/** A step of elimination, kept for reading the choice back. */
interface EliminationStep {
  readonly variable: number;
  readonly scope: readonly number[];
  readonly best: Uint16Array;
}

/**
 * Least cost of a factor problem by variable elimination in the min-plus semiring: exact in one pass if the work is
 * within the limit, which is also tried if only cached messages may make it so. Otherwise variables are split until
 * the predicted work is: every factor may choose a split variable independently, which can only cost less, so the
 * result is still a lower bound (mini-buckets, derived:exact-layouts). The variable with most factors in the most
 * expensive step is split first; ties by index.
 *
 * @param cache messages of problems that share tables with this one
 */
export function eliminateVariables(
  problem: FactorProblem,
  limits: EliminationLimits,
  cache: MessageCache = new MessageCache(),
): EliminationResult {
  cache.begin();
  const { domains } = problem;
  let factors = problem.factors;
  const splitVariables: number[] = [];
  let plan = eliminationOrder(domains, scopesOf(factors));
  let eliminated: Eliminated | undefined;
  const mayRepeat = plan.work <= HOPED_FOR * limits.work && plan.dearest <= limits.work;
  if (plan.work > limits.work && mayRepeat && cache.repeats) {
    eliminated = eliminate(domains, factors, plan.order, cache, limits.work);
    cache.repeats = eliminated.isComplete;
  }
  let splitUs = 0;
  if (eliminated?.isComplete !== true) {
    while (plan.work > limits.work) {
      const hub = hubOf(factors, plan.dearestVariables);
      if (hub === undefined) break;
      splitVariables.push(hub);
      factors = factors.flatMap((factor) => {
        if (!factor.scope.includes(hub)) return factor;
        const message = cache.message([factor], hub, domains);
        splitUs += message.least;
        return message.factors;
      });
      plan = eliminationOrder(domains, scopesOf(factors));
    }
    eliminated = eliminate(domains, factors, plan.order, cache, Infinity);
  }
  const { steps } = eliminated;
  const bound = splitUs + eliminated.bound;
  const choice = new Int32Array(domains.length);
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index];
    if (step === undefined) continue;
    let offset = 0;
    for (const other of step.scope) offset = offset * (domains[other] ?? 1) + (choice[other] ?? 0);
    choice[step.variable] = step.best[offset] ?? 0;
  }
  for (const variable of splitVariables) choice[variable] = bestValue(problem, choice, variable);
  return {
    bound,
    choice,
    cost: costOf(problem, choice),
    splitVariables,
    width: plan.width,
    work: eliminated.work,
  };
}

/** Scopes that connect variables. */
function scopesOf(factors: readonly Factor[]): readonly (readonly number[])[] {
  return factors.flatMap(({ scope }) => scope.length > 1 ? [scope] : []);
}

/** The result of eliminating variables. */
interface Eliminated {
  readonly steps: readonly EliminationStep[];
  readonly bound: number;
  /** Whether all of them were eliminated. */
  readonly isComplete: boolean;
  /** As {@linkcode EliminationResult.work}. */
  readonly work: number;
}

/** @param most joint choices that new messages may examine before it stops */
function eliminate(
  domains: readonly number[],
  factors: readonly Factor[],
  order: readonly number[],
  cache: MessageCache,
  most: number,
): Eliminated {
  /**
   * Per variable all factors that ever contained it; factors already merged with another variable's are not
   * removed.
   */
  const byVariable = domains.map((): Factor[] => []);
  const isGone = new Uint8Array(domains.length);
  let bound = 0;
  const insert = (factor: Factor): void => {
    if (factor.scope.length === 0) bound += factor.table[0] ?? 0;
    for (const variable of factor.scope) byVariable[variable]?.push(factor);
  };
  factors.forEach(insert);
  const steps: EliminationStep[] = [];
  let done = 0;
  for (const variable of order) {
    const own = (byVariable[variable] ?? []).filter(({ scope }) =>
      scope.every((other) => isGone[other] === 0)
    );
    if (own.length === 0) continue;
    byVariable[variable] = [];
    isGone[variable] = 1;
    const { factors: left, scope, best, least, work } = cache.message(own, variable, domains);
    done += work;
    if (done > most) return { steps, bound, isComplete: false, work: done };
    steps.push({ variable, scope, best });
    bound += least;
    left.forEach(insert);
  }
  return { steps, bound, isComplete: true, work: done };
}

/** Among some variables, the one in most factors of several variables; `undefined` if none is in such a factor. */
function hubOf(factors: readonly Factor[], variables: readonly number[]): number | undefined {
  let hub: number | undefined;
  let most = 0;
  for (const variable of variables) {
    const count = factors.filter(({ scope }) => scope.length > 1 && scope.includes(variable)).length;
    if (count <= most) continue;
    most = count;
    hub = variable;
  }
  return hub;
}

/** The best value of a variable while all others stay. */
function bestValue(problem: FactorProblem, choice: Int32Array, variable: number): number {
  const { domains } = problem;
  const factors = problem.factors.filter(({ scope }) => scope.includes(variable));
  const trial = choice.slice();
  let best = 0;
  let least = Infinity;
  for (let value = 0; value < (domains[variable] ?? 1); value++) {
    trial[variable] = value;
    const cost = costOf({ domains, factors }, trial);
    if (cost >= least) continue;
    least = cost;
    best = value;
  }
  return best;
}
