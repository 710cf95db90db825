// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import { policies } from "../policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions, TIME_BUDGET } from "../policy/options.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import {
  buildRandomGraph,
  type GraphRecipe,
  graphRecipes,
  randomRules,
  SMALL_CHIP,
} from "../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../propagation/testing/toy_models.ts";
import type { OptimizerLimits } from "./layout_optimizer.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "./limits.ts";
import type { PlanKind } from "./exploration/impl_table.ts";
import { boundFunction, type FunctionBound } from "./lower_bound.ts";

function bench(recipe: GraphRecipe, options: Partial<PolicyOptions> = {}) {
  const graph = buildRandomGraph(recipe);
  // Toy rules, because the property must hold for any rules.
  const opModel = new ToyOpModel(randomRules(recipe.legality), SMALL_CHIP);
  const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
  return { graph, opModel, cost, options: { ...DEFAULT_POLICY_OPTIONS, ...options } };
}

function bound(
  { graph, opModel, cost, options }: ReturnType<typeof bench>,
  planKind: PlanKind,
  limits: OptimizerLimits = DEFAULT_OPTIMIZER_LIMITS,
): FunctionBound {
  const [fn] = graph.functions;
  assert(fn !== undefined);
  const evaluator = new OpEvaluator(fn, opModel, cost, options);
  return boundFunction(evaluator, opRoles(evaluator), l1Region(opModel.chip, 0.95, 0), planKind, limits);
}

/** A budget with which the policies that search find nearly always the same plans for graphs of ten ops. */
const BRIEF: PolicyOptions["given"] = new Map([[TIME_BUDGET.name, "0.25"]]);

Deno.test("boundFunction() is below the plan of every policy, on random graphs with random rules", () => {
  let exact = 0;
  fc.assert(
    fc.property(graphRecipes(8), fc.constantFrom(0.1, 0.5, 0.95), (recipe, tensorL1UsageCap) => {
      const context = bench(recipe, { tensorL1UsageCap, given: BRIEF });
      const wide = bound(context, "confirmed");
      const tight = bound(context, "hinted");
      for (const { microseconds, withoutConversionsUs, assignmentUs } of [wide, tight]) {
        assert(withoutConversionsUs <= microseconds * (1 + 1e-6), "conversions cannot make it cheaper");
        assert(
          microseconds <= assignmentUs * (1 + 1e-9),
          "the assignment cannot be better than the bound",
        );
      }
      assert(wide.microseconds <= tight.microseconds * (1 + 1e-6), "more freedom cannot cost more");
      if (tight.status === "exact") exact++;
      for (const policy of policies) {
        const [plan] = policy.decide(context).functions;
        const [fn] = context.graph.functions;
        assert(plan !== undefined && fn !== undefined);
        const { microseconds } = policy.planKind === "confirmed" ? wide : tight;
        const us = planMicroseconds(fn, plan, context.opModel, context.cost);
        assert(microseconds <= us, `${policy.name} takes ${us} µs, the bound is ${microseconds}`);
      }
    }),
    { numRuns: 6, seed: 21 },
  );
  assert(exact > 1, `only ${exact} of 6 bounds are exact`);
});

Deno.test("boundFunction() stays a lower bound under a small work limit", () => {
  let weaker = 0;
  fc.assert(
    fc.property(graphRecipes(14), (recipe) => {
      const context = bench(recipe);
      const full = bound(context, "hinted");
      for (const limits of [{ combinations: 20_000, work: 50 }, { combinations: 3, work: 1e6 }]) {
        const { microseconds, relaxedOps, splitOps } = bound(context, "hinted", limits);
        if (relaxedOps + splitOps > 0 && microseconds < full.microseconds) weaker++;
        assert(microseconds <= full.assignmentUs * (1 + 1e-9));
        assert(microseconds <= full.microseconds * (1 + 1e-6), `${microseconds} above ${full.microseconds}`);
      }
    }),
    { numRuns: 8, seed: 22 },
  );
  assert(weaker > 2, `the limits bind in ${weaker} of 16 runs only`);
});

Deno.test("boundFunction() gives the same bound on every run", () => {
  for (const recipe of fc.sample(graphRecipes(12), { numRuns: 3, seed: 23 })) {
    const first = bound(bench(recipe), "hinted");
    assertEquals(bound(bench(recipe), "hinted"), first);
  }
});
