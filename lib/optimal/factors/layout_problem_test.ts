// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import {
  buildRandomGraph,
  graphRecipes,
  randomRules,
  SMALL_CHIP,
} from "../../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import type { ValueId } from "../../graph/graph.ts";
import { Conversions } from "../exploration/conversions.ts";
import { LayoutProblem } from "./layout_problem.ts";
import type { Sharing } from "./sharing.ts";
import type { FactorProblem } from "../elimination/factor.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../limits.ts";

/** Every number of a problem; comparing a text is faster than comparing arrays. */
function textOf({ domains, factors }: FactorProblem): string {
  return [domains.join(), ...factors.map(({ scope, table }) => `${scope.join()}:${table.join()}`)].join("\n");
}

Deno.test("LayoutProblem is equal with and without factors reused from another one", () => {
  let changed = 0;
  fc.assert(
    fc.property(
      graphRecipes(8),
      fc.nat(9),
      fc.boolean(),
      fc.boolean(),
      (recipe, skew, pays, separatesBranches) => {
        const [fn] = buildRandomGraph(recipe).functions;
        assert(fn !== undefined);
        const opModel = new ToyOpModel(randomRules(recipe.legality), SMALL_CHIP);
        const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
        const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
        const region = l1Region(opModel.chip, 0.95, 0);
        const space = new LayoutSpace(evaluator, opRoles(evaluator), {
          combinations: DEFAULT_OPTIMIZER_LIMITS.combinations,
          l1Bytes: region.top - region.base,
          planKind: "confirmed",
        });
        const conversions = new Conversions(evaluator, region.budget);
        const earlier = new LayoutProblem(space, conversions);
        const sharings = new Map<ValueId, Sharing>();
        for (const { id, uses, returned } of fn.values) {
          const readers = uses.length + (returned > 0 ? 1 : 0);
          if (readers < 2) continue;
          const first = (1 + skew) / 11;
          const shares = Array.from(
            { length: readers },
            (_, reader) => reader === 0 ? first : (1 - first) / (readers - 1),
          );
          sharings.set(id, { separatesBranches, paid: pays ? space.layoutsOf(id).slice(0, 2) : [], shares });
        }
        const alone = new LayoutProblem(space, conversions, { sharings });
        const after = new LayoutProblem(space, conversions, { sharings }, earlier);
        const [text, ownText, earlierText] = [after, alone, earlier].map(({ problem }) => textOf(problem));
        assertEquals(text, ownText);
        if (ownText !== earlierText) changed++;
      },
    ),
    { numRuns: 14 },
  );
  assert(changed > 3, `the sharing must change problems, and changed ${changed}`);
});
