// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { needsLowering } from "../lib/lowering/needs_lowering.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { planToJson } from "../lib/plan/plan_json.ts";
import { DEFAULT_POLICY_OPTIONS, readPolicyOptions } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import { policy as auto } from "../lib/policy/policies/auto.ts";
import type { Policy } from "../lib/policy/policy.ts";
import type { OptionInput } from "../lib/policy/policy_option.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import { corpusFiles, corpusTest, sharedPath } from "../testing/corpus.ts";
import { createWorkbench } from "./load.ts";
import { loadModule, prepareGraph } from "./load_module.ts";
import { decidePlan, optimizeModule } from "./optimize.ts";
import { gapOfPlan, type PlanGap } from "./plan_gap.ts";
import { targetOfModule } from "./target.ts";

interface Decided {
  readonly json: string;
  readonly timeline: Timeline;
  readonly gap: PlanGap;
}

function decide(
  path: string | URL,
  policy: Policy,
  given: Readonly<Record<string, OptionInput>> = {},
  chip?: string,
): Decided {
  const name = String(path);
  const module = parseModule(Deno.readTextFileSync(path), name);
  const device = chip === undefined ? targetOfModule(module).device : getDevice(chip);
  const passes = needsLowering(module) ? DEFAULT_PASS_OPTIONS : undefined;
  const prepared = prepareGraph(module, device, passes, { isStrict: false, meshShape: [] });
  const options = readPolicyOptions(new Map(Object.entries(given)));
  const workbench = createWorkbench(prepared.module, device, options);
  const plan = decidePlan(workbench, policy, options);
  const timeline = simulateGraph(workbench.binding.graph, plan, workbench);
  return { json: planToJson(plan), timeline, gap: gapOfPlan(plan, timeline) };
}

/** @param seconds of `--time-budget`, for every policy that reads it */
function assertNeverDearer(path: string | URL, seconds?: number): void {
  const given = seconds === undefined ? {} : { "time-budget": seconds };
  const best = decide(path, auto, given);
  const { certificate, gap = 0 } = best.gap;
  for (const policy of policies.filter(({ name }) => name !== auto.name)) {
    const other = decide(path, policy, given);
    if (best.timeline.verdict.status === "does_not_fit") {
      assertEquals(other.timeline.verdict.status, "does_not_fit", `${policy.name} fits`);
    } else if (other.timeline.verdict.status === "does_not_fit") continue;
    const { totalUs } = other.timeline.inference;
    const bestUs = best.timeline.inference.totalUs;
    assert(bestUs <= totalUs + 1e-6, `${policy.name} takes ${totalUs} µs, auto ${bestUs}`);
    if (policy.planKind === "confirmed" || certificate === "none") continue;
    assert(totalUs * (1 + gap) * (1 + 1e-6) >= bestUs, `${policy.name} is below the bound`);
  }
}

const zoo = (name: string): URL => new URL(`../testdata/models/${name}.mlir`, import.meta.url);

Deno.test("auto is never slower than any other policy on mnist, nor another below the bound", () => {
  assertNeverDearer(zoo("mnist"));
});

for (const name of ["spill2", "concat_mm", "d2m", "views", "twofn"]) {
  corpusTest(`auto is never dearer than any other policy on the case ${name}`, () => {
    assertNeverDearer(sharedPath("cases", `${name}.mlir`));
  });
}

for (const seconds of [0.01, 0.15]) {
  Deno.test(`auto is never slower than any other policy, also within ${seconds} s`, () => {
    assertNeverDearer(zoo("segformer_block"), seconds);
  });

  corpusTest(`auto is never dearer than any other policy on cases, in ${seconds} s either`, () => {
    for (const name of ["spill2", "views", "twofn"]) {
      assertNeverDearer(sharedPath("cases", `${name}.mlir`), seconds);
    }
  });
}

corpusTest(
  "auto takes what the beams find where nobody can vouch for the cheapest plan by exact layouts",
  () => {
    const path = corpusFiles("upstream-level2").find((file) => file.endsWith("/phi_1_decode_block.mlir"));
    assert(path !== undefined);
    const best = decide(path, auto, {}, "p150").timeline;
    const beams = decide(path, getPolicy("beam-cost"), {}, "p150").timeline;
    // Its attention reads one key per head, which no plan can change.
    assertEquals([best.verdict.status, beams.verdict.status], ["does_not_run", "does_not_run"]);
    assert(best.inference.totalUs <= beams.inference.totalUs + 1e-6);
  },
);

Deno.test("auto gives equal bytes on every run, with a bound of its plan's distance from the best", () => {
  const runs = Array.from({ length: 3 }, () => decide(zoo("mnist"), auto));
  assertEquals(new Set(runs.map(({ json }) => json)).size, 1);
  const { gap, timeline } = decide(zoo("mnist"), auto);
  assert(gap.lowerBoundUs !== undefined && gap.gap !== undefined);
  const layoutsUs = timeline.inference.totalUs + (gap.configsSavedUs ?? 0);
  assert(gap.lowerBoundUs <= layoutsUs && gap.gap < 0.05);
});

Deno.test("auto with a tiny budget reports a weaker certificate, and its plan fits", () => {
  const hurried = decide(zoo("segformer_block"), auto, { "time-budget": 0.001 });
  assert(hurried.gap.certificate === "none" || hurried.gap.certificate === "bound");
  assertEquals(hurried.timeline.verdict.status, "fits");
  const usual = decide(zoo("segformer_block"), auto);
  assert(usual.timeline.inference.totalUs < hurried.timeline.inference.totalUs);
});

Deno.test("auto knows the best plan of a module with a function that takes no time", () => {
  const text = `module {
  func.func @view(%x: tensor<1x64x32xbf16>) -> tensor<64x32xbf16> {
    %0 = "ttir.reshape"(%x) <{shape = [64 : i32, 32 : i32]}> : (tensor<1x64x32xbf16>) -> tensor<64x32xbf16>
    return %0 : tensor<64x32xbf16>
  }
  func.func @exp(%x: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
    %0 = "ttir.exp"(%x) : (tensor<64x32xbf16>) -> tensor<64x32xbf16>
    return %0 : tensor<64x32xbf16>
  }
}`;
  const { plan, timeline } = optimizeModule(
    loadModule(text, { device: "n150" }),
    auto,
    DEFAULT_POLICY_OPTIONS,
  );
  assertEquals(timeline.functions.map(({ totalUs }) => totalUs > 0), [false, true]);
  assertEquals(gapOfPlan(plan, timeline).certificate, "exact");
});
