// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { lowerModule, needsLowering } from "../lib/lowering/lower_module.ts";
import { policies } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { corpusFiles, corpusName, corpusTest } from "../testing/corpus.ts";
import { createWorkbench, type Workbench } from "./load.ts";
import { lowerBoundOf } from "./lower_bound.ts";
import { targetOfModule } from "./target.ts";

/** `TILEWRIGHT_SWEEP=full` takes every model of the corpus and every policy on it. */
const FULL = Deno.env.get("TILEWRIGHT_SWEEP") === "full";

/** Policies that search, without the dear ones; all of them run on the zoo. */
const QUICK: readonly string[] = [
  "dram",
  "l1-interleaved",
  "beam",
  "df-sharding",
  "df-sharding-2",
  "bf-interleaved",
];

function workbenchOf(path: string | URL): Workbench {
  const name = String(path);
  const module = parseModule(Deno.readTextFileSync(path), name);
  const { device } = targetOfModule(module);
  if (!needsLowering(module)) return createWorkbench(module, device);
  return createWorkbench(parseModule(lowerModule(module, chipDescription(device)), name), device);
}

/**
 * Checks the bound against plans of policies as they are priced when they are finished: the bound knows what layout
 * changes pay for congestion. Host gaps only make plans dearer.
 */
function assertBelow(workbench: Workbench, names: readonly string[] | "all"): void {
  const options = DEFAULT_POLICY_OPTIONS;
  const { binding: { graph }, opModel, cost } = workbench;
  const bounds = {
    hinted: lowerBoundOf(workbench, options, "hinted"),
    confirmed: lowerBoundOf(workbench, options, "confirmed"),
  };
  assert(bounds.confirmed.microseconds <= bounds.hinted.microseconds * (1 + 1e-6));
  for (const { withoutConversionsUs, microseconds } of Object.values(bounds)) {
    assert(withoutConversionsUs <= microseconds * (1 + 1e-6));
  }
  for (const policy of policies) {
    if (names !== "all" && !names.includes(policy.name)) continue;
    const bound = bounds[policy.freedom];
    const plan = policy.decide({ graph, opModel, cost, options });
    const analytic = simulateGraph(graph, plan, workbench, { network: "analytic" }).inference.totalUs;
    const finished = simulateGraph(graph, plan, workbench).inference.totalUs;
    assert(
      bound.microseconds <= finished + 1e-6,
      `${policy.name} takes ${finished} µs, the bound is ${bound.microseconds}: the explored layouts are too few`,
    );
    assert(analytic <= finished + 1e-6);
  }
}

const ZOO = [
  "resnet50",
  "bert_base",
  "llama_3_2_1b_decode",
  "llama_3_2_1b_prefill",
  "mnist",
  "segformer_block",
]
  .concat(["unet", "vit_b"]);

for (const model of ZOO) {
  Deno.test(`lowerBoundOf() is below the plan of every policy on ${model}`, () => {
    assertBelow(workbenchOf(new URL(`../testdata/models/${model}.mlir`, import.meta.url)), "all");
  });
}

Deno.test("lowerBoundOf() gives the same bound before and after other questions", () => {
  const path = new URL("../testdata/models/segformer_block.mlir", import.meta.url);
  const workbench = workbenchOf(path);
  const first = lowerBoundOf(workbench, DEFAULT_POLICY_OPTIONS, "hinted");
  assertEquals(lowerBoundOf(workbench, DEFAULT_POLICY_OPTIONS, "hinted"), first);
  assertEquals(lowerBoundOf(workbenchOf(path), DEFAULT_POLICY_OPTIONS, "hinted"), first);
});

corpusTest("lowerBoundOf() is below the plans of policies on real files", async (t) => {
  const files = ["dumps/ttnn", "lowered/models"].flatMap((folder) => corpusFiles(folder));
  for (const file of files.filter((_, index) => FULL || index % 14 === 3)) {
    await t.step(corpusName(file), () => {
      let workbench: Workbench;
      try {
        workbench = workbenchOf(file);
      } catch (error) {
        // What cannot be read is the business of the tests of the readers.
        if (error instanceof DiagnosticError) return;
        throw error;
      }
      assertBelow(workbench, FULL ? "all" : QUICK);
    });
  }
});
