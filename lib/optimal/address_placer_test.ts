// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { idAt, type ValueId } from "../graph/graph.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import {
  buildRandomGraph,
  graphRecipes,
  randomRules,
  SMALL_CHIP,
} from "../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import { AddressPlacer } from "./address_placer.ts";
import { type Placing, unplaced } from "./addresses/address_search.ts";
import { Conversions } from "./exploration/conversions.ts";
import { type L1Caps, NO_CAPS, withCaps, withMoves } from "./l1/l1_caps.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "./limits.ts";
import { LayoutProblem } from "./factors/layout_problem.ts";
import { LayoutSpace } from "./exploration/layout_space.ts";
import { eliminateVariables } from "./elimination/variable_elimination.ts";

/** Queries: an op or value and the bytes that it may take, and which of the queries is repeated afterwards. */
const QUESTIONS = fc.array(
  fc.record({ at: fc.nat(20), isOp: fc.boolean(), bytes: fc.nat(60_000), again: fc.nat(5) }),
  { minLength: 1, maxLength: 6 },
);

Deno.test("an AddressPlacer solves equal questions once, and answers and charges repeated ones alike", () => {
  let conflicts = 0;
  fc.assert(
    fc.property(graphRecipes(8), QUESTIONS, (recipe, questions) => {
      const [fn] = buildRandomGraph(recipe).functions;
      assert(fn !== undefined);
      const opModel = new ToyOpModel(randomRules(recipe.legality), SMALL_CHIP);
      const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
      const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
      const region = l1Region(opModel.chip, 0.95, 0);
      const roles = opRoles(evaluator);
      const { combinations, work } = DEFAULT_OPTIMIZER_LIMITS;
      const limits = { combinations, l1Bytes: region.top - region.base, planKind: "hinted" } as const;
      const space = new LayoutSpace(evaluator, roles, limits);
      const conversions = new Conversions(evaluator, region.budget);
      let solved = 0;
      const placer = (): AddressPlacer =>
        new AddressPlacer(evaluator, {
          solve(caps) {
            solved++;
            evaluator.work.charge("solvedOp", fn.ops.length);
            const layouts = new LayoutProblem(space, conversions, { caps });
            const { bound, choice } = eliminateVariables(layouts.problem, { work });
            return { layouts, bound, assignment: layouts.assignment(choice, "exact") };
          },
          conflict: (placed) => placed.conflict(region),
          waitsToSpill: (placed, share) => placed.waitsToSpill(share * region.budget),
          grounds: () => [space.repriced, conversions.repriced],
        });
      const capsOf = ({ at, isOp, bytes }: { at: number; isOp: boolean; bytes: number }): L1Caps => {
        if (isOp) return withCaps(NO_CAPS, [{ kind: "op", op: idAt(at % fn.ops.length), bytes }], 0);
        const value = idAt<ValueId>(at % fn.values.length);
        const caps = withCaps(NO_CAPS, [{ kind: "value", value, reader: 0, bytes }], 0);
        return bytes % 2 === 0 ? caps : withMoves(caps, [{ value, reader: 0 }]);
      };
      const placings = questions.map((question): Placing => ({
        ...unplaced(fn.ops.map(({ id }) => id)),
        caps: capsOf(question),
      }));
      const one = placer();
      const say = (by: AddressPlacer, placing: Placing): unknown => {
        const { microseconds, key, conflict, placed } = by.place(placing, false);
        if (conflict !== undefined) conflicts++;
        const copies = placed?.program.copies;
        return { microseconds, key, copies, conflict: { ...conflict, obstacles: conflict?.obstacles() } };
      };
      const order = [...placings, ...questions.flatMap(({ again }) => placings[again] ?? [])];
      const saidAlone = order.map((placing) => say(placer(), placing));
      const asked = solved;
      solved = 0;
      const said = order.map((placing) => say(one, placing));
      assertEquals(said, saidAlone);
      assertEquals(asked, order.length);
      assert(solved <= placings.length, `${solved} of ${placings.length} placings were solved`);
      const before = evaluator.work.microseconds;
      for (const placing of placings) one.place(placing, false);
      const solvedOps = placings.length * fn.ops.length;
      const charged = evaluator.work.microseconds - before;
      const other = evaluator.work.microseconds;
      evaluator.work.charge("solvedOp", solvedOps);
      assert(charged >= (evaluator.work.microseconds - other) * (1 - 1e-9), "what is known is charged for");
    }),
    { numRuns: 25 },
  );
  assert(conflicts > 5, `some placings must lack room, and ${conflicts} did`);
});
