// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { getPolicy } from "../policy/policies.ts";
import {
  buildRandomGraph,
  graphRecipes,
  randomRules,
  SMALL_CHIP,
} from "../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import { DEFAULT_OPTIMIZER_LIMITS, LayoutOptimizer } from "./layout_optimizer.ts";
import { boundWithRefusedOps } from "./refused_ops.ts";

/** The kind of ops for which no layouts are legal. */
const REFUSED = "ttnn.toy_binary";

Deno.test("boundWithRefusedOps() is below every plan of functions with ops without legal layouts", () => {
  const count = { refused: 0, met: 0 };
  fc.assert(
    fc.property(graphRecipes(6), (recipe) => {
      const graph = buildRandomGraph(recipe);
      const [fn] = graph.functions;
      assert(fn !== undefined);
      const refused = fn.ops.filter(({ name }) => name === REFUSED).length;
      // Toy rules, because no real op is refused in all layouts.
      const rules = { ...randomRules(recipe.legality), [REFUSED]: { legal: () => false } };
      const opModel = new ToyOpModel(rules, SMALL_CHIP);
      const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
      const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
      const roles = opRoles(evaluator);
      const region = l1Region(opModel.chip, 0.95, 0);
      const limits = DEFAULT_OPTIMIZER_LIMITS;
      const optimizerWith = (refusedUs: number): LayoutOptimizer =>
        new LayoutOptimizer(evaluator, roles, region, "hinted", { ...limits, refusedUs });
      const found = boundWithRefusedOps(evaluator, optimizerWith, "as written");
      assert(found !== undefined && found.bound < Infinity);
      const unrefused = new LayoutOptimizer(evaluator, roles, region, "hinted", limits).tighten("").bound;
      if (refused === 0) {
        // Then it is the bound of all plans.
        assert(Math.abs(found.bound - unrefused) <= 1e-6 * unrefused);
        return;
      }
      count.refused++;
      for (const name of ["dram", "optimal"]) {
        const [plan] = getPolicy(name).decide({ graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS })
          .functions;
        assert(plan !== undefined);
        const us = planMicroseconds(fn, plan, opModel, cost);
        assert(found.bound <= us * (1 + 1e-6), `${name} takes ${us} µs, the bound is ${found.bound}`);
        if (name === "optimal" && us <= found.bound * (1 + 1e-6)) count.met++;
      }
    }),
    { numRuns: 16, seed: 61 },
  );
  assert(count.refused > 3 && count.met > 0.5 * count.refused, JSON.stringify(count));
});
