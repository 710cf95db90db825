// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { needsLowering } from "../lib/lowering/needs_lowering.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { planToJson } from "../lib/plan/plan_json.ts";
import { readPolicyOptions } from "../lib/policy/options.ts";
import { policies } from "../lib/policy/policies.ts";
import { corpusFiles, corpusTest } from "../testing/corpus.ts";
import { createWorkbench, type Workbench } from "./load.ts";
import { decidePlan } from "./optimize.ts";
import { prepareGraph } from "./load_module.ts";
import { targetOfModule } from "./target.ts";

/** So little time that searches are cut short: where depends on all work that is counted before. */
const OPTIONS = readPolicyOptions(new Map([["time-budget", 0.15]]));

/** A policy's plan is the same whatever its workbench has answered before. */
function assertForgetful(path: string | URL): void {
  const name = String(path);
  const module = parseModule(Deno.readTextFileSync(path), name);
  const { device } = targetOfModule(module);
  const passes = needsLowering(module) ? DEFAULT_PASS_OPTIONS : undefined;
  const prepared = prepareGraph(module, device, passes, { isStrict: false, meshShape: [] });
  const fresh = (): Workbench => createWorkbench(prepared.module, device, OPTIONS);
  const used = fresh();
  const first = policies.map((policy) => planToJson(decidePlan(fresh(), policy, OPTIONS)));
  for (const policy of policies.toReversed()) decidePlan(used, policy, OPTIONS);
  policies.forEach((policy, index) => {
    const again = planToJson(decidePlan(used, policy, OPTIONS));
    assertEquals(again, first[index], `${policy.name} on ${name}`);
  });
}

for (const model of ["mnist", "segformer_block"]) {
  Deno.test(`no policy decides ${model} otherwise where its workbench has answered others before`, () => {
    assertForgetful(new URL(`../testdata/models/${model}.mlir`, import.meta.url));
  });
}

corpusTest(
  "no policy decides files of the corpus otherwise where its workbench has answered others before",
  () => {
    const small = corpusFiles("upstream-level2").concat(corpusFiles("lowered"))
      .filter((path) => Deno.statSync(path).size < 60_000);
    const sample = small.filter((_, index) => index % Math.ceil(small.length / 11) === 0);
    for (const path of sample) assertForgetful(path);
  },
);
