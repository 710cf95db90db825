// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import { simulateL1Schedule } from "../memory/l1_timeline.ts";
import { type LayoutOptimizer, WITHOUT_CAPACITY } from "../optimal/layout_optimizer.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import type { Assignment, LayoutIds } from "../search/ways.ts";
import type { FunctionContext } from "./function_context.ts";
import type { Portfolio } from "./portfolio.ts";

/** Rounds of solving with rising L1 prices; each costs one elimination and one run of pass 2. */
const PRICE_ROUNDS = 12;

/** In long functions: rounds without a better plan after which the search stops. */
const PATIENCE = 3;

/** Adds exact assignments for rising L1 prices, as long as the assignments need more L1 than there is. */
export function raiseL1Prices(
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
      const name = round === 0 ? WITHOUT_CAPACITY : `exact, with L1 prices of round ${round}`;
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

/**
 * µs that L1 prices add to an op's results: bytes per core times the prices of the ops during which they are
 * live.
 */
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

/** Missing bytes of L1 per core, by the op that runs or that a copy is made for. */
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

export function lacksL1(fn: FunctionContext, assignment: Assignment): boolean {
  return shortageOf(fn, assignment).some((bytes) => bytes > 0);
}

/**
 * One step of the subgradient method with Polyak's step length: prices rise in proportion to what is missing,
 * just enough to close the distance between the best plan and the bound.
 */
function raisePrices(prices: Float64Array, shortage: Float64Array, distance: number): void {
  let square = 0;
  for (const bytes of shortage) square += bytes * bytes;
  if (square === 0) return;
  for (let op = 0; op < prices.length; op++) {
    prices[op] = (prices[op] ?? 0) + distance * (shortage[op] ?? 0) / square;
  }
}
