// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { l1Region, simulateL1Schedule } from "../memory/l1_timeline.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { randomRules, SMALL_CHIP } from "../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../propagation/testing/toy_models.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import { LayoutOptimizer } from "./layout_optimizer.ts";
import { layeredFunction, type LayerOp } from "./testing/layered_functions.ts";

const LAYERS = 9;

const layerOps: fc.Arbitrary<readonly LayerOp[]> = fc.array(
  fc.record({ operands: fc.constantFrom(1, 2), readsShared: fc.boolean() }),
  { minLength: 2, maxLength: 5 },
);

const never = () => false;

Deno.test("what equal layers share is solved in one of them: a bound all the same, and room where there is little", () => {
  const count = { parts: 0, before: 0, after: 0 };
  fc.assert(
    fc.property(layerOps, fc.boolean(), fc.nat({ max: 0xffff }), (layer, returnsInner, legality) => {
      const { fn } = layeredFunction(LAYERS, layer, returnsInner);
      const opModel = new ToyOpModel(randomRules(legality), SMALL_CHIP);
      const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
      const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
      const roles = opRoles(evaluator);
      const region = l1Region(SMALL_CHIP, 0.5, 0);
      const [byParts, asOne] = [0, 1].map(() => new LayoutOptimizer(evaluator, roles, region, "hinted"));
      assert(byParts !== undefined && asOne !== undefined);
      byParts.tightenParts("exact in its part", roles, { region, mayReorder: true }, never);
      if (!byParts.knowsParts) return;
      count.parts++;
      // The first round alone, so that what the parts know is all there is.
      const first = byParts.tighten("exact", () => true);
      const all = asOne.tighten("exact");
      const bestUs = asOne.microseconds(all.assignment);
      assert(first.bound <= bestUs * (1 + 1e-9), `${first.bound}, but one takes ${bestUs}`);
      const lacking = (program: LayoutProgram): number =>
        simulateL1Schedule(program.l1Schedule(program.steps()), region, undefined, "failures").failures
          .length;
      const before = lacking(LayoutProgram.fromAssignment(evaluator, first.assignment));
      const search = byParts.solveByAddress("exact by address", roles, { region, mayReorder: true });
      let together: LayoutProgram | undefined;
      for (const found of search) if ((together = found) !== undefined) break;
      assert(together !== undefined, "the parts make no program");
      assertEquals(together.faults(roles), 0);
      if (before === 0) return;
      const after = lacking(together);
      count.before += before;
      count.after += after;
      const us = together.microseconds();
      assert(after > 0 || us >= first.bound * (1 - 1e-9), `${us} µs, the bound is ${first.bound}`);
    }),
    { numRuns: Number(Deno.env.get("TILEWRIGHT_PROPERTY_RUNS") ?? 12), seed: 41 },
  );
  assert(count.parts > 8, `layers were found in ${count.parts} functions only`);
  assert(
    count.after < 0.8 * count.before,
    `${count.after} steps find no room of ${count.before} without parts`,
  );
});
