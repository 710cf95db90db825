// SPDX-License-Identifier: Apache-2.0
import { costOf, type Factor, type FactorProblem, type Message } from "./factor.ts";
import { KnownMessages } from "./known_messages.ts";

/** Limits of {@linkcode eliminateVariables}. */
export interface EliminationLimits {
  /** Joint choices that all steps together may look at. */
  readonly work: number;
}

/** Result of {@linkcode eliminateVariables}. */
export interface EliminationResult {
  /** No choice costs less. `Infinity` when no choice is possible. */
  readonly bound: number;
  /** Value per variable; attains `bound` when no variable was split. */
  readonly choice: Int32Array;
  /** Cost of `choice`. */
  readonly cost: number;
  /** Variables that every factor was allowed to choose for itself, because the work would have been too much. */
  readonly splitVariables: readonly number[];
  /** Most neighbours of a variable when it was eliminated. */
  readonly width: number;
}

/** A step of elimination, kept to read the choice back. */
interface Step {
  readonly variable: number;
  readonly scope: readonly number[];
  readonly best: Uint16Array;
}

/**
 * Least cost of a factor problem by variable elimination in the min-plus semiring: exact in one pass when the order's
 * predicted work is within the limit. Otherwise variables are split until it is: every factor may choose a split
 * variable for itself, which can only cost less, so that the result is still a lower bound (mini-buckets,
 * derived:exact-layouts). The variable with most factors in the dearest step is split first, equals by index.
 *
 * @param known messages of problems that share tables with this one
 */
export function eliminateVariables(
  problem: FactorProblem,
  limits: EliminationLimits,
  known: KnownMessages = new KnownMessages(),
): EliminationResult {
  known.begin();
  const { domains } = problem;
  let factors = problem.factors;
  let bound = factors.reduce((sum, { scope, table }) => scope.length === 0 ? sum + (table[0] ?? 0) : sum, 0);
  const eliminated = (own: readonly Factor[], variable: number): Message => {
    const message = known.message(own, variable, domains);
    bound += message.least;
    return message;
  };
  const splitVariables: number[] = [];
  let plan = known.order(domains, scopesOf(factors));
  while (plan.work > limits.work) {
    const hub = hubOf(factors, plan.dearestVariables);
    if (hub === undefined) break;
    splitVariables.push(hub);
    factors = factors.map((factor) => factor.scope.includes(hub) ? eliminated([factor], hub).factor : factor);
    plan = known.order(domains, scopesOf(factors));
  }
  const steps = eliminate(factors, plan.order, eliminated);
  const choice = new Int32Array(domains.length);
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index];
    if (step === undefined) continue;
    let offset = 0;
    for (const other of step.scope) offset = offset * (domains[other] ?? 1) + (choice[other] ?? 0);
    choice[step.variable] = step.best[offset] ?? 0;
  }
  for (const variable of splitVariables) choice[variable] = bestValue(problem, choice, variable);
  return { bound, choice, cost: costOf(problem, choice), splitVariables, width: plan.width };
}

/** Scopes that join variables. */
function scopesOf(factors: readonly Factor[]): readonly (readonly number[])[] {
  return factors.flatMap(({ scope }) => scope.length > 1 ? [scope] : []);
}

function eliminate(
  factors: readonly Factor[],
  order: readonly number[],
  eliminated: (own: readonly Factor[], variable: number) => Message,
): readonly Step[] {
  const byVariable = new Map(order.map((variable) => [variable, new Set<Factor>()]));
  const insert = (factor: Factor): void => {
    for (const variable of factor.scope) byVariable.get(variable)?.add(factor);
  };
  factors.forEach(insert);
  const steps: Step[] = [];
  for (const variable of order) {
    const own = [...byVariable.get(variable) ?? []];
    if (own.length === 0) continue;
    for (const factor of own) for (const other of factor.scope) byVariable.get(other)?.delete(factor);
    const { factor, best } = eliminated(own, variable);
    steps.push({ variable, scope: factor.scope, best });
    insert(factor);
  }
  return steps;
}

/** The variable among some that most factors have, as long as that is more than one factor with another variable. */
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

/** The best value of a variable when all others stay. */
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
