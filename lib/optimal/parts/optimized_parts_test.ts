// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { l1Region, simulateL1Schedule } from "../../memory/l1_timeline.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { randomRules, SMALL_CHIP } from "../../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { DEFAULT_OPTIMIZER_LIMITS, LayoutOptimizer } from "../layout_optimizer.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";
import { OptimizedParts } from "./optimized_parts.ts";
import { layeredFunction, type LayerOp } from "../testing/layered_functions.ts";

const LAYERS = 9;

/** So many that a few of them are hardly any of all ops. */
const MANY_LAYERS = 400;

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
      byParts.tightenParts("exact, layer by layer", roles, { region, mayReorder: true }, never);
      if (!byParts.knowsParts) return;
      count.parts++;
      // Only the first round, so that everything comes from the parts.
      const first = byParts.tighten("exact", () => true);
      const all = asOne.tighten("exact");
      const bestUs = asOne.microseconds(all.assignment);
      assert(first.bound <= bestUs * (1 + 1e-9), `${first.bound}, but one takes ${bestUs}`);
      const lacking = (program: LayoutProgram): number =>
        simulateL1Schedule(program.l1Schedule(program.steps()), region, undefined, "failures").failures
          .length;
      const before = lacking(LayoutProgram.fromAssignment(evaluator, first.assignment));
      const search = byParts.solveByAddress("exact, placed by address", roles, { region, mayReorder: true });
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
    { numRuns: Number(Deno.env.get("TILEWRIGHT_PROPERTY_RUNS") ?? 20), seed: 41 },
  );
  assert(count.parts > 14, `layers were found in ${count.parts} functions only`);
  assert(
    count.after < 0.8 * count.before,
    `${count.after} steps find no room of ${count.before} without parts`,
  );
});

/** By border: the most ops of a part that was solved for how the borders of equal layers share copies. */
function solvedWith(layers: number): readonly number[] {
  const { fn, borders } = layeredFunction(layers, [{ operands: 1, readsShared: false }], false);
  const opModel = new ToyOpModel(randomRules(1), SMALL_CHIP);
  const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
  const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
  const roles = opRoles(evaluator);
  const { combinations } = DEFAULT_OPTIMIZER_LIMITS;
  const space = new LayoutSpace(evaluator, roles, { combinations, l1Bytes: 64 * 1024, freedom: "hinted" });
  const { sharings } = new OptimizedParts(evaluator, roles, space, ({ fn: { ops, values } }) => ({
    sharings: new Map(
      values.map(({ id }) => [id, { tellsApart: false, paid: [], parts: [ops.length] }]),
    ),
    *placements() {},
  }), never);
  return borders.map((border) => sharings.get(border)?.parts[0] ?? 0);
}

Deno.test("where a few layers are hardly any of all, one is solved between two others, and all do as it does", () => {
  // The first and the last layers differ from all others.
  const [few, many] = [solvedWith(9), solvedWith(MANY_LAYERS)].map((solved) => new Set(solved.slice(2, -2)));
  // The producer of the layer's input, and its two ops.
  assertEquals(few, new Set([3]));
  assertEquals(many, new Set([7]));
});

Deno.test("with layers solved between others the first bound is one all the same", () => {
  fc.assert(
    fc.property(layerOps, fc.nat({ max: 0xffff }), (layer, legality) => {
      const { fn } = layeredFunction(MANY_LAYERS, layer, false);
      const opModel = new ToyOpModel(randomRules(legality), SMALL_CHIP);
      const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
      const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
      const roles = opRoles(evaluator);
      const region = l1Region(SMALL_CHIP, 0.5, 0);
      const [byParts, asOne] = [0, 1].map(() => new LayoutOptimizer(evaluator, roles, region, "hinted"));
      assert(byParts !== undefined && asOne !== undefined);
      byParts.tightenParts("exact, layer by layer", roles, { region, mayReorder: true }, never);
      const first = byParts.tighten("exact", () => true);
      const bestUs = asOne.microseconds(asOne.tighten("exact").assignment);
      assert(first.bound <= bestUs * (1 + 1e-9), `${first.bound}, but one takes ${bestUs}`);
      assert(!byParts.knowsParts || first.bound >= 0.99 * bestUs, `${first.bound} is far below ${bestUs}`);
    }),
    { numRuns: 3, seed: 41 },
  );
});
