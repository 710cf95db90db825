// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../policy/options.ts";
import { policy as optimal } from "../policy/policies/optimal.ts";
import {
  buildRandomGraph,
  type GraphRecipe,
  randomRules,
  SMALL_CHIP,
} from "../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../propagation/testing/toy_models.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import type { Device } from "../../sim/devices/device.ts";
import { createClock } from "../../sim/timeline/device_clock.ts";
import { simulateFunction } from "../../sim/timeline/simulate.ts";
import type { GraphFunction } from "../graph/graph.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "./limits.ts";
import { LayoutSpace } from "./exploration/layout_space.ts";
import { boundFunction } from "./lower_bound.ts";
import { leastPlan, type OracleAnswer } from "./testing/plan_oracle.ts";

/**
 * Number of graphs; `TILEWRIGHT_PROPERTY_RUNS` sets more. With 8, how often `optimal`'s plan is the best rests on six
 * graphs: 4 or 5 of them where it is 24 of 25 and of 26 with other seeds.
 */
const RUNS = Number(Deno.env.get("TILEWRIGHT_PROPERTY_RUNS") ?? 16);

/** Few layouts, so that everything can be tried; one order, because most plans keep the input's. */
const OPTIONS: PolicyOptions = {
  ...DEFAULT_POLICY_OPTIONS,
  maxReshardCandidatesPerType: 1,
  maxLegalLayouts: 4,
  schedule: "input",
};

const MOST_STATES = 4_000;

const KINDS = ["unary", "binary", "ternary", "split", "view", "sink"] as const;

/** Graphs of few large tensors, most of them read more than once, so that L1 is short. */
const recipes: fc.Arbitrary<GraphRecipe> = fc.record({
  argumentShapes: fc.array(fc.constantFrom(2, 3), { minLength: 1, maxLength: 2 }),
  ops: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      operands: fc.array(fc.nat({ max: 1000 }), { minLength: 4, maxLength: 4 }),
      shape: fc.constantFrom(2, 3),
    }),
    { minLength: 3, maxLength: 6 },
  ),
  returns: fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 2 }),
  legality: fc.nat({ max: 0xffff }),
});

/**
 * Graphs that once failed: fractions of copies that were NaN, production in DRAM for which no way was left, and
 * four whose best plan keeps, moves or recomputes something that no assignment with waits expresses.
 */
const FOUND: [GraphRecipe, number][] = [
  [{
    argumentShapes: [3, 2],
    ops: [
      { kind: "unary", operands: [930, 7, 905, 9], shape: 3 },
      { kind: "binary", operands: [461, 632, 911, 789], shape: 3 },
      { kind: "ternary", operands: [374, 674, 387, 677], shape: 3 },
    ],
    returns: [129, 22],
    legality: 20195,
  }, 256],
  [{
    argumentShapes: [3],
    ops: [
      { kind: "unary", operands: [713, 222, 725, 248], shape: 2 },
      { kind: "binary", operands: [530, 892, 415, 360], shape: 3 },
      { kind: "ternary", operands: [376, 412, 945, 948], shape: 3 },
      { kind: "binary", operands: [623, 306, 504, 749], shape: 3 },
      { kind: "ternary", operands: [322, 385, 846, 684], shape: 3 },
      { kind: "view", operands: [922, 152, 112, 906], shape: 3 },
    ],
    returns: [911],
    legality: 15900,
  }, 320],
  [{
    argumentShapes: [3],
    ops: [
      { kind: "unary", operands: [1, 991, 844, 5], shape: 2 },
      { kind: "sink", operands: [355, 322, 288, 498], shape: 2 },
      { kind: "unary", operands: [500, 205, 788, 967], shape: 3 },
      { kind: "binary", operands: [5, 322, 902, 995], shape: 3 },
      { kind: "binary", operands: [895, 396, 47, 204], shape: 3 },
      { kind: "split", operands: [5, 993, 9, 2], shape: 3 },
    ],
    returns: [72],
    legality: 12643,
  }, 384],
  [{
    argumentShapes: [3],
    ops: [
      { kind: "ternary", operands: [884, 806, 659, 272], shape: 3 },
      { kind: "view", operands: [572, 421, 68, 223], shape: 2 },
      { kind: "split", operands: [321, 676, 83, 115], shape: 2 },
      { kind: "view", operands: [755, 796, 656, 978], shape: 2 },
      { kind: "unary", operands: [456, 270, 76, 611], shape: 3 },
      { kind: "ternary", operands: [398, 534, 284, 578], shape: 3 },
    ],
    returns: [743],
    legality: 65520,
  }, 384],
  [{
    argumentShapes: [2, 3],
    ops: [
      { kind: "view", operands: [189, 151, 863, 928], shape: 3 },
      { kind: "sink", operands: [760, 904, 454, 42], shape: 2 },
      { kind: "binary", operands: [52, 216, 76, 299], shape: 3 },
      { kind: "sink", operands: [215, 64, 721, 159], shape: 2 },
      { kind: "binary", operands: [309, 281, 598, 259], shape: 2 },
      { kind: "ternary", operands: [993, 48, 342, 831], shape: 2 },
    ],
    returns: [234],
    legality: 48933,
  }, 320],
  [{
    argumentShapes: [2, 2],
    ops: [
      { kind: "ternary", operands: [82, 985, 94, 619], shape: 3 },
      { kind: "view", operands: [281, 220, 234, 183], shape: 3 },
      { kind: "binary", operands: [609, 65, 369, 230], shape: 2 },
      { kind: "binary", operands: [66, 262, 826, 128], shape: 3 },
      { kind: "ternary", operands: [895, 531, 650, 809], shape: 3 },
    ],
    returns: [861],
    legality: 15,
  }, 384],
];

/** A graph with its bound, the plan of `optimal`, and faster plans. */
interface Study {
  readonly boundUs: number;
  /** The bound that comes with the plan. */
  readonly certifiedUs: number;
  readonly planUs: number;
  /** The best plan by byte sums that beats the plan of `optimal`. */
  readonly byBytes: OracleAnswer;
  /** The best such plan that fits by address; the bound must not exceed it. */
  readonly byAddress: OracleAnswer;
}

function study(
  recipe: GraphRecipe,
  l1Size: number,
  keepsOrder: boolean,
  dispatch?: Device["dispatch"],
): Study {
  const graph = buildRandomGraph(recipe);
  const chip = { ...SMALL_CHIP, workerGrid: { rows: 2, columns: 2 }, l1Size };
  // Toy rules, because the property must hold for any rules.
  const opModel = new ToyOpModel(randomRules(recipe.legality), chip);
  const device = { ...getDevice("n150"), ...(dispatch === undefined ? {} : { dispatch }) };
  const waits = dispatch === undefined ? undefined : {
    dispatchMicroseconds: dispatch.programSend,
    readyPrograms: dispatch.launchSlots,
    gapMicroseconds: dispatch.tracedGap,
    leadMicroseconds: dispatch.tracedGap + (dispatch.launchSlots - 1) * dispatch.programSend,
  };
  const cost = new ToyCostModel(opModel.layouts, chip, waits);
  const [fn] = graph.functions;
  const simulated = (of: GraphFunction, plan: FunctionPlan): number =>
    simulateFunction(of, plan, { device, opModel, cost }, { network: "analytic" }).totalUs;
  const detailedCost = waits === undefined ? undefined : simulated;
  const [plan] = optimal.decide({ graph, opModel, cost, options: OPTIONS, detailedCost }).functions;
  assert(fn !== undefined && plan !== undefined);
  const evaluator = new OpEvaluator(fn, opModel, cost, OPTIONS);
  const roles = opRoles(evaluator);
  const region = l1Region(chip, OPTIONS.tensorL1UsageCap, 0);
  const space = new LayoutSpace(evaluator, roles, {
    combinations: DEFAULT_OPTIMIZER_LIMITS.combinations,
    l1Bytes: region.budget,
    planKind: "hinted",
  });
  const planUs = detailedCost?.(fn, plan) ?? planMicroseconds(fn, plan, opModel, cost);
  const question = {
    region,
    keepsOrder,
    limit: planUs * (1 - 1e-6),
    mostStates: MOST_STATES,
    ...(waits === undefined ? {} : { clock: () => createClock(true, device) }),
  };
  const byBytes = leastPlan(space, { ...question, byAddress: false });
  const boundUs = boundFunction(evaluator, roles, region, "hinted").microseconds;
  // What does not fit by bytes does not fit by address; and if the bound is below the best plan by bytes,
  // addresses need not be checked.
  const byAddress = byBytes.microseconds !== undefined && (keepsOrder || boundUs > byBytes.microseconds)
    ? leastPlan(space, { ...question, byAddress: true })
    : byBytes;
  return {
    planUs,
    certifiedUs: plan.lowerBoundUs ?? 0,
    byBytes,
    byAddress,
    boundUs,
  };
}

Deno.test("no plan over the explored candidates, copies and positions undercuts the bounds", () => {
  const count = { tried: 0, best: 0 };
  const property = fc.property(recipes, fc.constantFrom(256, 320, 384, 512), (recipe, kib) => {
    const { boundUs, certifiedUs, planUs, byBytes, byAddress } = study(recipe, kib * 1024, true);
    const least = byAddress.microseconds ?? planUs;
    for (const bound of [boundUs, certifiedUs]) {
      assert(bound <= least * (1 + 1e-9), `a bound is ${bound} µs, a plan takes ${least}`);
    }
    if (byBytes.states >= MOST_STATES || byAddress.states >= MOST_STATES) return;
    count.tried++;
    if (byAddress.microseconds === undefined) count.best++;
  });
  fc.assert(property, { numRuns: FOUND.length, endOnFailure: true, examples: FOUND });
  // Random graphs alone are counted: most of those found have a best plan that `optimal` cannot express.
  Object.assign(count, { tried: 0, best: 0 });
  fc.assert(property, { numRuns: RUNS, seed: 11, endOnFailure: true });
  assert(count.tried > 0.6 * RUNS, `${count.tried} of ${RUNS} graphs were small enough to try everything`);
  assert(count.best > 0.7 * count.tried, `optimal's plan was the best in ${count.best} of ${count.tried}`);
});

Deno.test("no plan in any order of ops undercuts the bound", () => {
  fc.assert(
    fc.property(recipes, fc.constantFrom(256, 320, 384), (recipe, kib) => {
      const { boundUs, planUs, byAddress } = study(recipe, kib * 1024, false);
      const least = byAddress.microseconds ?? planUs;
      assert(boundUs <= least * (1 + 1e-9), `the bound is ${boundUs} µs, a plan takes ${least}`);
    }),
    { numRuns: RUNS / 2, seed: 12, endOnFailure: true },
  );
});

/**
 * A dispatcher for which already the second short program waits, so that graphs of a few ops show all of its
 * effects.
 */
const SLOW_DISPATCH: Device["dispatch"] = {
  ...getDevice("n150").dispatch,
  programSend: 4,
  launchSlots: 2,
  tracedGap: 0.5,
};

Deno.test("no plan's simulated time, dispatch waits included, undercuts a bound", () => {
  let tried = 0;
  fc.assert(
    fc.property(recipes, fc.constantFrom(256, 384, 512), (recipe, kib) => {
      const { certifiedUs, planUs, byAddress } = study(recipe, kib * 1024, true, SLOW_DISPATCH);
      const least = byAddress.microseconds ?? planUs;
      assert(certifiedUs <= least * (1 + 1e-6), `a bound is ${certifiedUs} µs, a plan takes ${least}`);
      if (byAddress.states < MOST_STATES) tried++;
    }),
    { numRuns: RUNS / 2, seed: 13, endOnFailure: true },
  );
  assert(tried > 0.3 * RUNS, `${tried} of ${RUNS / 2} graphs were small enough to try everything`);
});
