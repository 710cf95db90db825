// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { lowerModule, needsLowering } from "../lib/lowering/mod.ts";
import { type Graph, valueAt } from "../lib/graph/graph.ts";
import { beforeConfigs, type Plan } from "../lib/plan/plan.ts";
import type { LowerBound } from "../lib/optimal/lower_bound.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { corpusFiles, corpusName, corpusTest, IS_FULL_SWEEP, someOf } from "../testing/corpus.ts";
import { createWorkbench, type Workbench } from "./load.ts";
import { lowerBoundOf } from "./lower_bound.ts";
import { decidePlan } from "./optimize.ts";
import { gapOfPlan } from "./plan_gap.ts";
import { targetOfModule } from "./target.ts";

/** Policies whose layouts are tried as hints, without the dear ones. */
const QUICK_HINTED: readonly string[] = ["dram", "l1-interleaved", "beam"];

/** Policies that search, without the dear ones. */
const QUICK: readonly string[] = [...QUICK_HINTED, "df-sharding-2", "bf-interleaved"];

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
  // Searches that choose op configs as well explore more, and have bounds of their own.
  const asked = policies.filter(({ name }) => names === "all" || names.includes(name));
  const groups = Map.groupBy(asked, ({ free }) => free?.includes("configs") === true);
  for (const [choosesConfigs, members] of groups) {
    const free: PolicyOptions["free"] = choosesConfigs ? ["layouts", "configs"] : ["layouts"];
    let leastUs = Infinity;
    for (const planKind of ["hinted", "confirmed"] as const) {
      const those = members.filter((policy) => policy.planKind === planKind);
      if (those.length === 0) continue;
      const bound = lowerBoundOf(workbench, { ...DEFAULT_POLICY_OPTIONS, free }, planKind);
      assert(bound.microseconds <= leastUs * (1 + 1e-6), "more freedom, no higher bound");
      assert(bound.withoutConversionsUs <= bound.microseconds * (1 + 1e-6));
      leastUs = bound.microseconds;
      for (const policy of those) assertPlanAbove(workbench, policy, bound);
    }
  }
}

/** Checks one policy's plan against the bound for what the policy is free to choose. */
function assertPlanAbove(workbench: Workbench, policy: Policy, bound: LowerBound): void {
  const { graph } = workbench.binding;
  const { functions, ...decided } = decidePlan(workbench, policy, DEFAULT_POLICY_OPTIONS);
  const plan = { ...decided, functions: functions.map(beforeConfigs) };
  const analytic = simulateGraph(graph, plan, workbench, { network: "analytic" }).inference.totalUs;
  const finished = simulateGraph(graph, plan, workbench).inference.totalUs;
  assert(
    bound.microseconds <= finished + 1e-6,
    `${policy.name} takes ${finished} µs, the bound is ${bound.microseconds}: the explored layouts are too few`,
  );
  assert(analytic <= finished + 1e-6);
}

const ZOO = ["llama_3_2_1b_decode", "llama_3_2_1b_prefill", "mnist", "segformer_block"];

/**
 * Models on which the searches for the best plan take several seconds, with the policies of the normal run: on CNNs the
 * bound of confirmed layouts takes longer than all else.
 */
const LARGE: Readonly<Record<string, readonly string[]>> = {
  bert_base: QUICK,
  resnet50: QUICK_HINTED,
  unet: QUICK_HINTED,
  vit_b: QUICK_HINTED,
};

for (const model of [...ZOO, ...Object.keys(LARGE)]) {
  const names = IS_FULL_SWEEP ? "all" : LARGE[model] ?? "all";
  const whose = names === "all" ? "every policy" : names.join(", ");
  Deno.test(`lowerBoundOf() is below the plan of ${whose} on ${model}`, () => {
    assertBelow(workbenchOf(new URL(`../testdata/models/${model}.mlir`, import.meta.url)), names);
  });
}

Deno.test("lowerBoundOf() gives the same bound before and after other questions", () => {
  const path = new URL("../testdata/models/segformer_block.mlir", import.meta.url);
  const workbench = workbenchOf(path);
  const first = lowerBoundOf(workbench, DEFAULT_POLICY_OPTIONS, "hinted");
  assertEquals(lowerBoundOf(workbench, DEFAULT_POLICY_OPTIONS, "hinted"), first);
  assertEquals(lowerBoundOf(workbenchOf(path), DEFAULT_POLICY_OPTIONS, "hinted"), first);
});

/** One op on each of two chips, and what it makes sent to the other one. */
const EXCHANGED = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @main(%x: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: 0, 1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2>, shard_type = #ttcore.shard_type<devices>}> : (tensor<512x1024xbf16>) -> tensor<512x512xbf16>
    %1 = "ttir.relu"(%0) : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
    %2 = "ttir.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
    %3 = "ttir.mesh_shard"(%2) <{shard_dims = array<i64: 0, 1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 2>, shard_type = #ttcore.shard_type<devices>}> : (tensor<512x512xbf16>) -> tensor<512x1024xbf16>
    return %3 : tensor<512x1024xbf16>
  }
}`;

Deno.test("ops that no policy moves read L1 in plans of every kind, and in the bound", () => {
  const text = lowerModule(parseModule(EXCHANGED, "exchanged.mlir"), chipDescription(getDevice("n150")));
  const workbench = createWorkbench(parseModule(text, "exchanged.mlir"), getDevice("n150"));
  assertBelow(workbench, "all");
  const { graph } = workbench.binding;
  const plan = decidePlan(workbench, getPolicy("optimal"), DEFAULT_POLICY_OPTIONS);
  const inL1 = readFromL1(graph, plan);
  assert(inL1.includes("ttnn.point_to_point"), `read from L1: ${inL1.join()}`);
  assertEquals(gapOfPlan(plan, simulateGraph(graph, plan, workbench)).certificate, "exact");
});

Deno.test("a plan with an op that does not run has no certificate", () => {
  const module = parseModule(
    `#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#in = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#low = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x4>, memref<2x1x!ttcore.tile<32x32, bf16>, #l1>, <width_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (3,0)>]>>
func.func @main(%x: tensor<128x128xbf16, #in>) -> tensor<128x128xbf16, #low> {
  %0 = "ttnn.relu"(%x) : (tensor<128x128xbf16, #in>) -> tensor<128x128xbf16, #low>
  return %0 : tensor<128x128xbf16, #low>
}
`,
    "low.mlir",
  );
  const workbench = createWorkbench(module, getDevice("n150"));
  const plan = decidePlan(workbench, getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
  const timeline = simulateGraph(workbench.binding.graph, plan, workbench);
  assertEquals(timeline.verdict.status, "does_not_run");
  assertEquals(gapOfPlan(plan, timeline), { certificate: "none" });
});

/** A product whose operands lie as no op of this release makes them, then a sum of all that is returned in rows. */
const AS_WRITTEN = `
#dram = #ttnn.buffer_type<dram>
#odd = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0, d1, d2), <1x1>, memref<1x4x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#rows = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 + d1, d2), <1x1>, memref<1x1xbf16, #dram>, <interleaved>>
module {
  func.func @main(%x: tensor<1x128x256xbf16, #odd>) -> (tensor<1x128x256xbf16, #odd>, tensor<1x1x1xbf16, #rows>) {
    %0 = "ttnn.relu"(%x) : (tensor<1x128x256xbf16, #odd>) -> tensor<1x128x256xbf16, #odd>
    %1 = "ttnn.sum"(%0) <{dim_list = [1 : i32, 2 : i32], keep_dim = true}> : (tensor<1x128x256xbf16, #odd>) -> tensor<1x1x1xbf16, #rows>
    return %0, %1 : tensor<1x128x256xbf16, #odd>, tensor<1x1x1xbf16, #rows>
  }
}`;

Deno.test("if every plan has refused ops, there is no gap, and all other ops are decided", () => {
  const workbench = createWorkbench(parseModule(AS_WRITTEN, "as_written.mlir"), getDevice("n150"));
  const { graph } = workbench.binding;
  const { microseconds } = lowerBoundOf(workbench, DEFAULT_POLICY_OPTIONS, "hinted");
  assert(microseconds < Infinity);
  for (const name of ["optimal", "auto"]) {
    const plan = decidePlan(workbench, getPolicy(name), DEFAULT_POLICY_OPTIONS);
    const timeline = simulateGraph(graph, plan, workbench);
    assertEquals(
      timeline.verdict.uncheckedOps.map(({ name }) => name),
      ["ttnn.relu"],
      "the sum gets rows by a copy",
    );
    assertEquals(gapOfPlan(plan, timeline).gap, undefined, name);
  }
});

/** Names of ops that read an operand from L1. */
function readFromL1({ functions }: Graph, plan: Plan): readonly string[] {
  return functions.flatMap((fn, index) =>
    fn.ops.filter(({ id, operands }) =>
      operands.some((value, operand) => {
        const functionPlan = plan.functions[index];
        const source = functionPlan?.decisions[id]?.operands[operand];
        const { definition } = valueAt(fn, value);
        const layout = source?.kind === "conversion"
          ? functionPlan?.conversions[source.conversion]?.layout
          : definition.kind === "result"
          ? functionPlan?.decisions[definition.op]?.outputLayouts[definition.index]
          : valueAt(fn, value).layout;
        return layout?.bufferType === "l1";
      })
    ).map(({ name }) => name)
  );
}

corpusTest("lowerBoundOf() is below the plans of policies on real files", async (t) => {
  const files = ["dumps/ttnn", "lowered/models"].flatMap((folder) => corpusFiles(folder));
  for (const file of someOf(files.filter((_, index) => IS_FULL_SWEEP || index % 14 === 3))) {
    await t.step(corpusName(file), () => {
      let workbench: Workbench;
      try {
        workbench = workbenchOf(file);
      } catch (error) {
        // What cannot be read is the business of the tests of the readers.
        if (error instanceof DiagnosticError) return;
        throw error;
      }
      assertBelow(workbench, IS_FULL_SWEEP ? "all" : QUICK);
    });
  }
});
