// SPDX-License-Identifier: Apache-2.0

/** Bounds and plans where a part of the plan is fixed by hand. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import type { OpId } from "../lib/graph/graph.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { parseConv2dConfigOverrides } from "../lib/overrides/conv_config_override.ts";
import {
  NO_OVERRIDES,
  type OptimizerOverrides,
  type OutputLayoutOverride,
} from "../lib/overrides/overrides.ts";
import type { Plan } from "../lib/plan/plan.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { IS_FULL_SWEEP } from "../testing/corpus.ts";
import type { Workbench } from "./load.ts";
import { freeLowerBoundOf, lowerBoundOf } from "./lower_bound.ts";
import { decidePlan } from "./optimize.ts";
import { gapOfPlan } from "./plan_gap.ts";
import { loadModule } from "./load_module.ts";

/** Sums of the same times in another order differ by less. */
const ROUNDING = 1e-6;

function held(
  { bufferType, memoryLayout, gridShape: [rows = 1, columns = 1] }: TtnnLayout,
): OutputLayoutOverride {
  return { bufferType, grid: [rows, columns], ...(memoryLayout === undefined ? {} : { memoryLayout }) };
}

/** Overrides that hold every fourth result or so as one of some plans has it. */
function heldAs({ binding: { graph } }: Workbench, plans: readonly Plan[], seed: number): OptimizerOverrides {
  const numbers = fc.sample(fc.nat(4 * plans.length - 1), { seed, numRuns: 1000 }).values();
  const heldLayouts = new Map(graph.functions.map((fn, index) => {
    const ops = new Map<OpId, OutputLayoutOverride>();
    for (const { id } of fn.ops) {
      // The other numbers hold nothing.
      const plan = plans[numbers.next().value ?? plans.length];
      const layout = plan?.functions[index]?.decisions[id]?.outputLayouts[0];
      if (layout !== undefined) ops.set(id, held(layout));
    }
    return [fn.name, ops];
  }));
  return { ...NO_OVERRIDES, heldLayouts };
}

function decide(workbench: Workbench, name: string, options: PolicyOptions) {
  const plan = decidePlan(workbench, getPolicy(name), options);
  return { plan, timeline: simulateGraph(workbench.binding.graph, plan, workbench) };
}

for (const [name, device] of [["mnist", "p150"], ["segformer_block", "n150"]] as const) {
  Deno.test(`no plan that follows overrides undercuts their bound, auto's least of all: ${name}, ${device}`, () => {
    const url = new URL(`../testdata/models/${name}.mlir`, import.meta.url);
    const workbench = loadModule(Deno.readTextFileSync(url), { device, passes: "none" });
    const free = ["dram", "greedy", "df-sharding"].map((policy) =>
      decide(workbench, policy, DEFAULT_POLICY_OPTIONS).plan
    );
    let compared = 0;
    for (let run = 0; run < (IS_FULL_SWEEP ? 6 : 2); run++) {
      // The bounds are of layouts.
      const overrides = heldAs(workbench, free, run);
      const options: PolicyOptions = { ...DEFAULT_POLICY_OPTIONS, overrides, free: ["layouts"] };
      const bounds = {
        hinted: lowerBoundOf(workbench, options, "hinted").microseconds,
        confirmed: lowerBoundOf(workbench, options, "confirmed").microseconds,
      };
      const auto = tried(() => decide(workbench, "auto", options));
      for (const policy of policies) {
        const other = tried(() => decide(workbench, policy.name, options));
        if (other === undefined || auto === undefined) continue;
        const { totalUs } = other.timeline.inference;
        assert(
          totalUs >= bounds[policy.name === "auto" ? "confirmed" : policy.planKind] * (1 - ROUNDING),
          policy.name,
        );
        if (other.timeline.verdict.status !== "fits") continue;
        assert(auto.timeline.inference.totalUs <= totalUs * (1 + ROUNDING), `${policy.name} is cheaper`);
        compared++;
      }
      if (auto === undefined) continue;
      const { certificate } = gapOfPlan(auto.plan, auto.timeline);
      assert(certificate === "exact" || certificate === "bound");
      const best = freeLowerBoundOf(workbench, options, "hinted").microseconds;
      assert(best <= bounds.hinted * (1 + ROUNDING));
    }
    assert(compared > 10, `${compared} plans compared`);
  });
}

const CONV = `
func.func @main(%x: tensor<1x32x32x64xbf16>, %w: tensor<64x64x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x32x32x64xbf16> {
  %0 = "ttir.conv2d"(%x, %w) <{stride = array<i32: 1, 1>, padding = array<i32: 1, 1>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x32x32x64xbf16> loc("conv")
  %1 = "ttir.relu"(%0) : (tensor<1x32x32x64xbf16>) -> tensor<1x32x32x64xbf16>
  return %1 : tensor<1x32x32x64xbf16>
}`;

for (const { name } of policies) {
  Deno.test(`${name} runs a convolution with the fields that an override fixes, wherever it lies`, () => {
    const workbench = loadModule(CONV, { device: "n150" });
    const conv2dConfigs = parseConv2dConfigOverrides(
      "conv=act_block_h_override#32:enable_act_double_buffer#false",
    );
    const options = { ...DEFAULT_POLICY_OPTIONS, overrides: { ...NO_OVERRIDES, conv2dConfigs } };
    const { plan } = decide(workbench, name, options);
    const configs = workbench.binding.graph.functions.flatMap((fn, index) =>
      fn.ops.flatMap((op) =>
        op.name === "ttnn.conv2d" ? [plan.functions[index]?.decisions[op.id]?.config] : []
      )
    );
    assertEquals(configs.length, 1);
    for (const config of configs) {
      assert(config?.kind === "conv2d");
      assertEquals(config.conv2dConfig?.actBlockHOverride, 32);
      assertEquals(config.conv2dConfig?.enableActDoubleBuffer, false);
    }
  });
}

/** `undefined` where no plan of the kind can follow the overrides. */
function tried<Result>(decide: () => Result): Result | undefined {
  try {
    return decide();
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}
