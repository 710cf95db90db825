// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { createWorkbench } from "../../pipeline/load.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { present } from "../../testing/present.ts";
import { opId } from "../graph/graph.ts";
import { parseModule } from "../ir/mod.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import { ToyCostModel } from "../propagation/testing/toy_models.ts";
import { ITSELF } from "../search/program.ts";
import { WorkAccount } from "../search/work_account.ts";
import { DEFAULT_POLICY_OPTIONS } from "./options.ts";
import { planByPasses } from "./plan_graph.ts";
import { BeamSearch, openPortfolio } from "./policies/beam_cost.ts";
import { greedy } from "./policies/greedy.ts";
import { SIZE_CLASSES } from "../search/limits.ts";
import { CLOSE, ON_BOUND, SAVED_BY_OTHER_BEAMS, SAVED_BY_SPILLS } from "./search_limits.ts";

const TENSOR = "tensor<1024x1024xbf16>";

/** Ops that each add up two earlier results, so that some results have to wait. */
function rowOf(ops: number): string {
  const lines = Array.from(
    { length: ops },
    (_, op) =>
      `  %${op} = "ttnn.add"(${op < 1 ? "%x" : `%${op - 1}`}, ${
        op < 9 ? "%x" : `%${op - 9}`
      }) : (${TENSOR}, ${TENSOR}) -> ${TENSOR}`,
  );
  return `func.func @row(%x: ${TENSOR}) -> ${TENSOR} {\n${lines.join("\n")}\n  return %${
    ops - 1
  } : ${TENSOR}\n}`;
}

/** What beams find against an incumbent, and the work this takes. */
function searchAgainst(incumbentUs: number, ops: number) {
  const { binding, opModel, cost } = createWorkbench(parseModule(rowOf(ops), "row.mlir"), getDevice("n150"));
  const work = new WorkAccount(opModel);
  let foundUs: number | undefined;
  planByPasses(
    { graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS },
    { name: "beam-cost" },
    (fn, options) => {
      const beams = new BeamSearch(fn, options, Infinity, undefined, () => incumbentUs);
      beams.goOn();
      const winner = beams.winner();
      foundUs = winner?.microseconds;
      return winner ?? greedy(fn, options);
    },
    work,
  );
  return { foundUs, spent: work.microseconds };
}

Deno.test("assignments of a larger function that cannot undercut the incumbent after any spill are not spilled", () => {
  const ops = SIZE_CLASSES.small + 20;
  const alone = searchAgainst(Infinity, ops);
  const { foundUs = 0 } = alone;
  assert(foundUs > 0);
  // An incumbent that they beat does not change what they find.
  assertEquals(searchAgainst(foundUs * 1.01, ops).foundUs, foundUs);
  // Nor does one within the possible savings of spills; anything slower than that is skipped.
  const near = searchAgainst(foundUs * (1 - SAVED_BY_SPILLS.ofBeams / 2), ops);
  assertEquals(near.foundUs, foundUs);
  const lost = searchAgainst(foundUs / 2, ops);
  assertEquals(lost.foundUs, undefined);
  assert(lost.spent < alone.spent);
});

Deno.test("beams of a larger function end once the widest one is too far from the incumbent", () => {
  const ops = SIZE_CLASSES.small + 20;
  const { foundUs = 0, spent } = searchAgainst(Infinity, ops);
  const share = SAVED_BY_SPILLS.ofBeams + SAVED_BY_OTHER_BEAMS;
  // Everything is tried within the possible savings of other beams and spills, little beyond.
  const near = searchAgainst(foundUs * (1 - share / 2), ops);
  const far = searchAgainst(foundUs * (1 - 2 * share), ops);
  assert(far.spent < near.spent / 2, `${far.spent} of ${near.spent}, alone ${spent}`);
});

Deno.test("assignments of a shorter function are spilled regardless of the incumbent", () => {
  const ops = SIZE_CLASSES.small / 4;
  assertEquals(searchAgainst(0, ops), searchAgainst(Infinity, ops));
});

Deno.test("equal programs are priced exactly once, programs of equal time once each", () => {
  const builder = new GraphBuilder();
  const tensor = { shape: [64, 64], dataType: "bf16" } as const;
  builder.return(
    builder.op("ttnn.relu", [builder.op("ttnn.abs", [builder.argument(tensor)], tensor)], tensor),
  );
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const cost = new ToyCostModel(opModel.layouts);
  const looks: number[] = [];
  let asked = 0;
  const detailedCost = () => {
    asked++;
    return Infinity;
  };
  const context = {
    graph: builder.buildGraph(),
    opModel,
    cost,
    options: DEFAULT_POLICY_OPTIONS,
    detailedCost,
  };
  planByPasses(context, { name: "test" }, (fn, options) => {
    const made = greedy(fn, options);
    const other = { ...made, program: made.program.clone() };
    const value = present(fn.fn.ops[0]?.results[0]);
    other.program.addCopy({
      value,
      source: ITSELF,
      layout: present(other.program.layoutOf(value, ITSELF)),
      before: opId(fn.fn, 1),
      reason: "reshard",
      note: "test",
    });
    for (const programs of [[made, { ...made, program: made.program.clone() }], [made, other]]) {
      const portfolio = openPortfolio(fn, options);
      for (const program of programs) portfolio.offer(program);
      const before = asked;
      portfolio.winner();
      looks.push(asked - before);
    }
    return made;
  });
  // The first one takes part without a copy that it can do without as well.
  assertEquals(looks, [2, 3]);
});

Deno.test("a winner is within a share of a bound by the detailed cost model, and never without one", () => {
  const builder = new GraphBuilder();
  const tensor = { shape: [64, 64], dataType: "bf16" } as const;
  builder.return(builder.op("ttnn.relu", [builder.argument(tensor)], tensor));
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const context = {
    graph: builder.buildGraph(),
    opModel,
    cost: new ToyCostModel(opModel.layouts),
    options: DEFAULT_POLICY_OPTIONS,
  };
  const answers = [() => 100.19, undefined].map((detailedCost) => {
    let found: readonly boolean[] = [];
    planByPasses({ ...context, detailedCost }, { name: "test" }, (fn, options) => {
      const portfolio = openPortfolio(fn, options);
      const made = greedy(fn, options);
      portfolio.offer(made);
      found = [CLOSE, ON_BOUND].map((share) => portfolio.isWithin(share, 100));
      return made;
    });
    return found;
  });
  assertEquals(answers, [[true, false], [false, false]]);
});
