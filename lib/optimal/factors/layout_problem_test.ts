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
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { idAt, type OpId, type ValueId } from "../../graph/graph.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { Conversions } from "../exploration/conversions.ts";
import { LayoutProblem } from "./layout_problem.ts";
import type { Sharing } from "./sharing.ts";
import type { FactorProblem } from "../elimination/factor.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../layout_optimizer.ts";
import { MAX_ENTRIES } from "../limits.ts";
import { eliminateVariables } from "../elimination/variable_elimination.ts";

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
          freedom: "confirmed",
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

Deno.test("copies charged in full lower no bound if they would make a reader's factor too wide", () => {
  const builder = new GraphBuilder();
  const tensor = { shape: [1024, 768], dataType: "bf16" } as const;
  const stream = builder.op("ttnn.relu", [builder.argument(tensor)], tensor);
  const branch = builder.op("ttnn.softmax", [stream], tensor, {
    attributes: { dimension: { kind: "integer", value: 1n, type: "si32" } },
  });
  builder.return(builder.op("ttnn.add", [stream, builder.op("ttnn.exp", [branch], tensor)], tensor));
  const { opModel, cost } = realModels();
  const options = { ...DEFAULT_POLICY_OPTIONS, maxReshardCandidatesPerType: 32 };
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, options);
  const region = l1Region(opModel.chip, 0.95, 0);
  const space = new LayoutSpace(evaluator, opRoles(evaluator), {
    combinations: DEFAULT_OPTIMIZER_LIMITS.combinations,
    l1Bytes: region.budget,
    freedom: "hinted",
  });
  const conversions = new Conversions(evaluator, region.budget);
  // The layout in which the stream is produced is fixed, so a reader that does not know it pays too little.
  const producedIn = space.producedLayouts(stream).find((layout) =>
    layout !== undefined && !evaluator.facts(layout).isL1
  );
  const first = idAt<OpId>(0);
  const table = Float64Array.from(space.table(first).outputs, ([made]) => made === producedIn ? 0 : 1000);
  const boundOf = (sharing: Sharing): { readonly us: number; readonly choices: number } => {
    const { problem } = new LayoutProblem(space, conversions, { sharings: new Map([[stream, sharing]]) });
    const { bound } = eliminateVariables(
      { domains: problem.domains, factors: [...problem.factors, { scope: [first], table }] },
      DEFAULT_OPTIMIZER_LIMITS,
    );
    return { us: bound, choices: problem.domains[evaluator.fn.ops.length] ?? 1 };
  };
  for (const shares of [[0.5, 0.5], [0.9, 0.1]]) {
    const without = boundOf({ separatesBranches: false, paid: [], shares });
    const apart = boundOf({ separatesBranches: true, paid: [], shares });
    assert(apart.us >= without.us * (1 - 1e-9), `${apart.us} µs told apart, ${without.us} µs without`);
    const paid = space.layoutsOf(stream);

    const { us, choices } = boundOf({ separatesBranches: true, paid, shares });

    const sum = space.table(idAt<OpId>(evaluator.fn.ops.length - 1));
    const others = space.table(idAt<OpId>(evaluator.fn.ops.length - 2));
    assert(choices * sum.outputs.length * others.outputs.length > MAX_ENTRIES, `${choices} choices are few`);
    assert(us >= without.us * (1 - 1e-9), `${us} µs with paid copies, ${without.us} µs without`);
  }
});
