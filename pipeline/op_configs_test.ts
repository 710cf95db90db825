// SPDX-License-Identifier: Apache-2.0
import {
  assert,
  assertAlmostEquals,
  assertArrayIncludes,
  assertEquals,
  assertNotEquals,
  assertThrows,
} from "@std/assert";
import fc from "fast-check";
import { join } from "@std/path";
import { opAt, valueAt } from "../lib/graph/graph.ts";
import { opSignatures } from "../lib/graph/signature.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { beforeConfigs, type Plan } from "../lib/plan/plan.ts";
import { parsePlan, planToJson } from "../lib/plan/plan_json.ts";
import { freedSettings, type FreeName, freeOf } from "../lib/policy/free.ts";
import { DEFAULT_POLICY_OPTIONS, readPolicyOptions } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { loadModule } from "./load_module.ts";
import { type Optimized, optimizeModule } from "./optimize.ts";
import { gapOfPlan } from "./plan_gap.ts";
import { randomPrograms } from "./testing/random_programs.ts";

/** Random programs; most of a run is deciding their layouts. */
const RUNS = 12;

function optimized(
  text: string,
  policy: string,
  free: readonly FreeName[] | undefined,
  device: string = "n150",
): Optimized {
  const module = loadModule(text, { device, passes: DEFAULT_PASS_OPTIONS });
  return optimizeModule(module, getPolicy(policy), { ...DEFAULT_POLICY_OPTIONS, free });
}

function model(name: string): string {
  return Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", `${name}.mlir`));
}

const withoutConfigs = (plan: Plan): Plan => ({ ...plan, functions: plan.functions.map(beforeConfigs) });

/** The reasons and bounds of decisions, which say who made them, aside. */
function decisionsOf({ functions }: Plan): unknown {
  return functions.map(({ decisions, conversions, results, schedule }) => ({
    decisions: decisions.map(({ outputLayouts, config, operands }) => ({ outputLayouts, config, operands })),
    conversions,
    results,
    schedule,
  }));
}

/** Both plans of `greedy`, which has the same layouts with and without configs, after checking what must hold of them. */
function compared(text: string): readonly [layouts: Optimized, configured: Optimized] {
  const layouts = optimized(text, "greedy", ["layouts"]);
  const configured = optimized(text, "greedy", ["layouts", "configs"]);
  const [before, after] = [layouts.timeline.inference.totalUs, configured.timeline.inference.totalUs];
  assert(after <= before + 1e-6, `${after} µs with configs, ${before} µs without`);
  assertEquals(configured.memory.verdict.status, layouts.memory.verdict.status);
  assertEquals(decisionsOf(withoutConfigs(configured.plan)), decisionsOf(layouts.plan));
  const savedUs = configured.plan.functions.reduce((sum, fn) => sum + (fn.configured?.savedUs ?? 0), 0);
  assertAlmostEquals(savedUs, before - after, 1e-6);
  return [layouts, configured];
}

Deno.test("op configs never make a plan slower, and change nothing else of it", () => {
  fc.assert(fc.property(randomPrograms(6), (text) => void compared(text)), { numRuns: RUNS });
});

Deno.test("op configs save time if the layouts leave them open, and the text states all of their fields", () => {
  const text = model("models/mnist");
  const [layouts, configured] = [
    optimized(text, "optimal", ["layouts"]),
    optimized(text, "optimal", undefined),
  ];
  assert(configured.timeline.inference.totalUs < 0.95 * layouts.timeline.inference.totalUs);
  assertEquals(configured.memory.verdict.status, "fits");
  const computeConfigs = configured.text.match(/device_compute_kernel_config<[^>]*>/g) ?? [];
  assert(computeConfigs.length > 0);
  for (const config of computeConfigs) assertEquals(config.split(",").length, 4, config);
  assertEquals(loadModule(configured.text, { device: "n150" }).remarks, []);
  assertEquals(parsePlan(planToJson(configured.plan), "plan.json"), configured.plan);
});

/** A product of DRAM tensors, and an argument of these columns that lies in L1 meanwhile. */
function besideColumns(columns: number): string {
  const typed = (memory: string, rows: number, width: number): string =>
    `tensor<${rows}x${width}xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, ` +
    `memref<${rows / 32}x${
      width / 32
    }x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${memory}>>, <interleaved>>>`;
  const [square, held] = [typed("dram", 2048, 2048), typed("l1", 16384, columns)];
  return `func.func @main(%a: ${square}, %b: ${square}, %held: ${held}) -> (${square}, ${held}) {
  %0 = "ttnn.matmul"(%a, %b) <{transpose_a = false, transpose_b = false}> : (${square}, ${square}) -> ${square}
  return %0, %held : ${square}, ${held}
}`;
}

Deno.test("a config uses only the L1 that is free beside live tensors", () => {
  const [alone, beside] = [32, 2048].map((columns) => {
    const { plan, memory } = optimized(besideColumns(columns), "greedy", ["configs"]);
    assertEquals(memory.verdict.status, "fits");
    return plan.functions.flatMap(({ configured, decisions }) =>
      configured === undefined ? [] : decisions.map(({ config }) => config)
    );
  });
  assert(alone !== undefined && alone.length > 0, "blocks that fit alone save time");
  assertNotEquals(beside, alone);
});

Deno.test("convolutions get both buffers where both fit, of the blocks that they have", () => {
  const [, configured] = compared(model("ttir/mobile_block"));
  const buffers = configured.plan.functions.flatMap(({ decisions }) =>
    decisions.flatMap(({ config }) => config?.kind === "conv2d" ? [config.conv2dConfig ?? {}] : [])
  );
  assert(
    buffers.some(({ enableActDoubleBuffer, enableWeightsDoubleBuffer }) =>
      enableActDoubleBuffer === true && enableWeightsDoubleBuffer === true
    ),
  );
});

Deno.test("auto and optimal choose op configs by default, copies of upstream's policies do not", () => {
  const choosing = policies.filter(({ free }) => free !== undefined);
  const own = ["layouts", "configs"] as const;
  assertEquals(choosing.map(({ name, free }) => [name, free]), [["auto", own], ["optimal", own]]);
  const text = model("models/mnist");
  for (const [policy, free] of [["optimal", own], ["greedy", ["layouts"]]] as const) {
    const plans = [undefined, free].map((given) => planToJson(optimized(text, policy, given).plan));
    assertEquals(plans[0], plans[1], policy);
  }
});

for (const device of ["n150", "p150"]) {
  Deno.test(`${device}: with layouts alone a product has the config that upstream writes, or the backend takes`, () => {
    const { graph, plan, timeline, workbench } = optimized(
      model("models/mnist"),
      "auto",
      ["layouts"],
      device,
    );
    const { opModel } = workbench.planning();
    const idOf = (layout: TtnnLayout | undefined) =>
      layout === undefined ? undefined : opModel.layouts.intern(layout);
    let count = 0;
    for (const [index, fn] of graph.functions.entries()) {
      const signatures = opSignatures(fn);
      const planned = plan.functions[index];
      assertEquals(planned?.configured, undefined);
      for (const { kind, id, inputLayouts, outputLayouts } of timeline.functions[index]?.steps ?? []) {
        const signature = signatures[id];
        const config = planned?.decisions[id]?.config;
        const output = idOf(outputLayouts[0]);
        if (kind !== "op" || config?.kind !== "matmul" || signature === undefined || output === undefined) {
          continue;
        }
        const { primary, fallback } = opModel.outputHints(signature, [output]);
        const own = opModel.queryOpConstraints(signature, inputLayouts.map(idOf), output, undefined);
        const known = [
          ...[...primary, ...fallback].map(({ config }) => config),
          own.status === "valid" ? own.config : undefined,
        ]
          .flatMap((config) => config?.kind === "matmul" ? config.programConfig ?? [] : []);
        assertArrayIncludes(known, [config.programConfig]);
        count++;
      }
    }
    assert(count > 0);
  });
}

Deno.test("a gap refers to layouts, and lists the saving of op configs separately", () => {
  const { plan, timeline } = optimized(model("models/llama_3_2_1b_prefill"), "optimal", undefined);
  const { configsSavedUs = 0, gap = NaN, lowerBoundUs = NaN } = gapOfPlan(plan, timeline);
  assert(configsSavedUs > 0 && gap >= 0);
  assertAlmostEquals(timeline.inference.totalUs + configsSavedUs, lowerBoundUs * (1 + gap), 1e-6);
  const { gap: before, configsSavedUs: saved } = gapOfPlan(withoutConfigs(plan), timeline);
  assertEquals([before === gap, saved], [false, undefined]);
});

Deno.test("without free layouts a plan leaves them as they are", () => {
  const text = model("models/mnist");
  const { graph, plan, timeline } = optimized(text, "greedy", ["configs"]);
  assertEquals(plan.functions.flatMap(({ conversions }) => conversions), []);
  for (const [index, fn] of graph.functions.entries()) {
    for (const { op, outputLayouts } of plan.functions[index]?.decisions ?? []) {
      assertEquals(outputLayouts, opAt(fn, op).results.map((result) => valueAt(fn, result).layout));
    }
  }
  assert(timeline.inference.totalUs > 0);
});

Deno.test("--free takes names of changeable parts, or what to add to the policy's own and to take from it", () => {
  const freed = (text: string) =>
    freeOf({ free: ["layouts", "configs"] }, readPolicyOptions(new Map([["free", text]])));
  assertEquals(freed(""), ["layouts", "configs"]);
  assertEquals(freed("weights, layouts"), ["layouts", "weights"]);
  assertEquals(freed("+weights,-configs"), ["layouts", "weights"]);
  assertThrows(() => freed("weight"), RangeError, "choose from layouts, configs, weights");
});

Deno.test("formats and fidelities go as far as --allow says", () => {
  assertEquals(freedSettings(["+formats", "-fidelity"]), { "experimental-weight-dtype": "bfp_bf8" });
  assertEquals(freedSettings(["formats", "fidelity"], "bfp8,bfp4,hifi2"), {
    "experimental-weight-dtype": "bfp_bf4",
    "math-fidelities": "hifi2",
  });
  assertEquals(freedSettings(["layouts", "configs", "weights", "inputs"]), {});
  assertThrows(() => freedSettings([], "bfp2"), RangeError, "choose from bfp8, bfp4, hifi2, lofi");
});
