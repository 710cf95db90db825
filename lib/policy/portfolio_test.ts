// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { createWorkbench } from "../../pipeline/load.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { parseModule } from "../ir/mod.ts";
import { WorkAccount } from "../search/work_account.ts";
import { DEFAULT_POLICY_OPTIONS } from "./options.ts";
import { planByPasses } from "./plan_graph.ts";
import { BeamSearch } from "./policies/beam_cost.ts";
import { greedy } from "./policies/greedy.ts";
import { SAVED_BY_SPILLS, THOROUGH_OPS } from "./search_end.ts";

const TENSOR = "tensor<1024x1024xbf16>";

/** A row of ops that add up two earlier results each, so that some of them wait. */
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

/** All that beams find against a rival, and the work that this takes. */
function searchAgainst(rivalUs: number, ops: number) {
  const { binding, opModel, cost } = createWorkbench(parseModule(rowOf(ops), "row.mlir"), getDevice("n150"));
  const work = new WorkAccount(opModel);
  let foundUs: number | undefined;
  planByPasses(
    { graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS },
    "beam-cost",
    (fn, options) => {
      const beams = new BeamSearch(fn, options, Infinity, undefined, () => rivalUs);
      beams.goOn();
      const winner = beams.winner();
      foundUs = winner?.microseconds;
      return winner ?? greedy(fn, options);
    },
    work,
  );
  return { foundUs, spent: work.microseconds };
}

Deno.test("a long function's assignments that no spill can make undercut a rival are not made to fit", () => {
  const ops = THOROUGH_OPS + 20;
  const alone = searchAgainst(Infinity, ops);
  const { foundUs = 0 } = alone;
  assert(foundUs > 0);
  // One that they undercut changes nothing of what they find.
  assertEquals(searchAgainst(foundUs * 1.01, ops).foundUs, foundUs);
  // Nor does one within what spills may save; what is dearer than that is left out.
  const near = searchAgainst(foundUs * (1 - SAVED_BY_SPILLS.ofBeams / 2), ops);
  assertEquals(near.foundUs, foundUs);
  const lost = searchAgainst(foundUs / 2, ops);
  assertEquals(lost.foundUs, undefined);
  assert(lost.spent < alone.spent);
});

Deno.test("a shorter function's assignments are made to fit whatever the rival", () => {
  const ops = THOROUGH_OPS / 4;
  assertEquals(searchAgainst(0, ops), searchAgainst(Infinity, ops));
});
