// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseModule } from "../../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS, readPolicyOptions } from "../../lib/policy/options.ts";
import { getPolicy } from "../../lib/policy/policies.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { createWorkbench } from "../load.ts";
import { lowerBoundOf } from "../lower_bound.ts";
import { decidePlan } from "../optimize.ts";
import { targetOfModule } from "../target.ts";
import { type GapReport, gapReport } from "./gap_report.ts";

const SEGFORMER = new URL("../../testdata/models/segformer_block.mlir", import.meta.url);

function explain(policy: string, cap: number): GapReport {
  const module = parseModule(Deno.readTextFileSync(SEGFORMER), "segformer_block.mlir");
  const { device } = targetOfModule(module);
  const options = readPolicyOptions(new Map([["tensor-l1-usage-cap", cap]]));
  const workbench = createWorkbench(module, device, options);
  const plan = decidePlan(workbench, getPolicy(policy), options);
  const report = gapReport(workbench, plan, options);
  const { inference } = simulateGraph(workbench.binding.graph, plan, workbench, { tensorL1UsageCap: cap });
  assertEquals(report.predictedUs, inference.totalUs);
  assertAlmostEquals(report.lowerBoundUs ?? 0, lowerBoundOf(workbench, options, "hinted").microseconds, 1e-6);
  return report;
}

const lost = ({ regions }: GapReport): number => regions.reduce((sum, { lostUs }) => sum + lostUs, 0);

Deno.test("gapReport() accounts for all of the gap: congestion, slack of the bound, and regions", () => {
  for (const policy of ["dram", "greedy"]) {
    const report = explain(policy, 0.95);
    const { predictedUs, lowerBoundUs = 0, congestionUs, slackUs, unavoidableUs, regions } = report;
    const parts = congestionUs + slackUs + lost(report) - unavoidableUs;
    assertAlmostEquals(parts, predictedUs - lowerBoundUs, 1e-6);
    assert(slackUs >= -1e-6 && unavoidableUs >= 0);
    assert(regions.length > 0 && lost(report) > 0);
    assert(regions.every(({ ops }) => new Set(ops).size === ops.length));
    const named = regions.flatMap((region) => region.ops);
    assertEquals(new Set(named).size, named.length, "an op is in one region");
  }
});

Deno.test("gapReport() names L1 if the optimum does not fit, with the missing bytes", () => {
  const tight = explain("greedy", 0.01);
  const short = tight.regions.filter(({ limit }) => limit === "l1_capacity");
  assert(short.length > 0 && short.every(({ shortBytes }) => shortBytes > 0));
  const more = tight.wouldHelp.filter(({ kind }) => kind === "l1");
  assert(more.length > 0 && more.every(({ us, amount }) => us > 0 && amount > 0));
  assert(tight.wouldHelp.length <= 5);
  const wide = explain("greedy", 0.95);
  assert(wide.regions.every(({ limit, shortBytes }) => limit === "search" && shortBytes === 0));
});

Deno.test("gapReport() has figures where nothing fits: a tensor is returned in L1 that is larger", () => {
  const layout = (memory: string, grid: string, rows: number, columns: number): string =>
    `tensor<16384x16384xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${grid}>, ` +
    `memref<${rows}x${columns}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${memory}>>, <interleaved>>>`;
  const [given, returned] = [layout("dram", "1x1", 512, 512), layout("l1", "8x8", 1, 4096)];
  const text = `func.func @main(%x: ${given}) -> ${returned} {\n` +
    `  %0 = "ttnn.relu"(%x) : (${given}) -> ${returned}\n  return %0 : ${returned}\n}\n`;
  const workbench = createWorkbench(
    parseModule(text, "large.mlir"),
    getDevice("n150"),
    DEFAULT_POLICY_OPTIONS,
  );
  const plan = decidePlan(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
  const report = gapReport(workbench, plan, DEFAULT_POLICY_OPTIONS);
  // The op is refused in the only layout that is explored, so that no bound is known.
  assertEquals([report.certificate, report.lowerBoundUs], ["none", undefined]);
  const { congestionUs, slackUs, unavoidableUs } = report;
  assertEquals([congestionUs, slackUs, unavoidableUs].filter((us) => !Number.isFinite(us)), []);
});

Deno.test("gapReport() has no losses and no helps if the op model confirms no layouts", () => {
  const layout = (map: string, memref: string, place: string): string =>
    `#ttnn.ttnn_layout<${map}, <1x1>, memref<${memref}>, ${place}>`;
  const given = `tensor<64x32xui32, ${
    layout("(d0, d1) -> (d0, d1)", "2x1x!ttcore.tile<32x32, u32>, #ttnn.buffer_type<dram>", "<interleaved>")
  }>`;
  // Kernels of softmax compute floats only, in any layout.
  const text = `func.func @main(%x: ${given}) -> ${given} {
    %0 = "ttnn.softmax"(%x) <{dimension = 1 : si32}> : (${given}) -> ${given}
    return %0 : ${given}
  }\n`;
  const workbench = createWorkbench(parseModule(text, "softmax.mlir"), getDevice("n150"));
  const plan = decidePlan(workbench, getPolicy("dram"), DEFAULT_POLICY_OPTIONS);
  const report = gapReport(workbench, plan, DEFAULT_POLICY_OPTIONS);
  assertEquals([report.certificate, report.regions, report.wouldHelp], ["none", [], []]);
});
