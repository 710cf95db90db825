// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { createWorkbench } from "../../pipeline/load.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { parseModule } from "../ir/mod.ts";
import { planToJson } from "../plan/plan_json.ts";
import { WorkAccount } from "../search/work_account.ts";
import { DEFAULT_POLICY_OPTIONS } from "./options.ts";
import { planByPasses } from "./plan_graph.ts";
import { searchExactly } from "./policies/optimal.ts";
import { WorkBudget } from "./work_budget.ts";

const path = join(PROJECT_ROOT, "testdata", "models", "segformer_block.mlir");
const module = parseModule(Deno.readTextFileSync(path), path);

/** A search that may spend some µs of work, from nothing known: what it spent and found. */
function search(microseconds: number) {
  const { binding, opModel, cost } = createWorkbench(module, getDevice("n150"));
  const work = new WorkAccount(opModel);
  let foundUs = 0;
  const plan = planByPasses(
    { graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS },
    "auto",
    (fn, options) => {
      const found = searchExactly(fn, options, new WorkBudget(work, microseconds));
      foundUs += found.microseconds;
      return found;
    },
    work,
  );
  const isBounded = plan.functions.some(({ lowerBoundUs }) => lowerBoundUs !== undefined);
  return { spent: work.microseconds, foundUs, isBounded, json: planToJson(plan) };
}

Deno.test("a search ends soon after its budget, with a plan, and a bound where exploring ended", () => {
  const all = search(Infinity);
  assert(all.isBounded);
  for (const [share, isExplored] of [[0, false], [0.1, false], [1.6, true]] as const) {
    const cut = search(share * all.spent);
    assert(cut.spent <= (share + 0.4) * all.spent, `${share}: ${cut.spent} of ${all.spent}`);
    assert(cut.foundUs >= all.foundUs);
    assertEquals(cut.isBounded, isExplored, `${share}`);
  }
});

Deno.test("the same budget gives the same plan, one that does not end the one without an end", () => {
  const all = search(Infinity);
  assertEquals(search(2 * all.spent).json, all.json);
  assertEquals(search(0.3 * all.spent).json, search(0.3 * all.spent).json);
});
