// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parsePlan, planToJson } from "../lib/plan/plan_json.ts";
import { readPolicyOptions } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "./load_module.ts";
import { decidePlan } from "./optimize.ts";

// Layouts reach a plan from the text, from shards that are cut and from tables of equal layouts seen before.
Deno.test("a plan that is read back is written in the same bytes, for layouts of any origin", () => {
  const file = new URL("../testdata/models/segformer_block.mlir", import.meta.url);
  const options = readPolicyOptions(new Map());
  for (const name of ["greedy", "df-sharding-2", "bf-interleaved"]) {
    const workbench = loadModule(Deno.readTextFileSync(file), {});
    const json = planToJson(decidePlan(workbench, getPolicy(name), options));
    assertEquals(planToJson(parsePlan(json, "plan.json")), json, name);
  }
});
