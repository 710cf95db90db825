// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseModule } from "../../lib/ir/mod.ts";
import { createWorkbench } from "../../pipeline/load.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { pairRun, predictedSteps } from "../audit/run/pair_run.ts";
import { parseProfilerCsv } from "../audit/run/profiler_csv.ts";
import type { Device } from "../devices/device.ts";
import { getDevice, loadDevice } from "../devices/device_registry.ts";
import { perfCsv } from "../export/perf_csv.ts";
import { simulateGraph } from "../timeline/simulate.ts";
import { fitToRun } from "./fit_to_run.ts";

const MODEL = Deno.readTextFileSync(`${PROJECT_ROOT}/testdata/models/mnist.mlir`);

function simulated(device: Device) {
  const workbench = createWorkbench(parseModule(MODEL, "mnist.mlir"), device);
  const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
  return { timeline, csv: perfCsv(timeline, { tool: "test", device }) };
}

const N150 = getDevice("n150");
const { timeline: TIMELINE, csv: CSV } = simulated(N150);

Deno.test("fitToRun() finds a chip whose DRAM is slower, and writes a device that extends the bundled one", () => {
  const slower = loadDevice("slow.json", {
    schema: "tilewright.device/1",
    name: "slow",
    architecture: "wormhole_b0",
    summary: "An n150 with slow DRAM",
    extends: "n150",
    constants: {
      dram: {
        interleavedReadShare: {
          value: N150.dram.interleavedReadShare * 0.25,
          unit: "ratio",
          source: "test",
          kind: "guess",
        },
        interleavedMixedShare: {
          value: N150.dram.interleavedMixedShare * 0.5,
          unit: "ratio",
          source: "test",
          kind: "guess",
        },
      },
    },
  });
  const steps = parseProfilerCsv("p.csv", simulated(slower).csv);
  const run = pairRun(steps, predictedSteps(TIMELINE));
  const { file, before, after } = fitToRun(N150, run, { name: "mine", base: "n150", source: "p.csv" });
  assert(before.mape > 0.03 && after.mape < before.mape / 2, `${before.mape} before, ${after.mape} fitted`);
  const mine = loadDevice("mine.json", JSON.parse(JSON.stringify(file)));
  assertEquals(mine.name, "mine");
  assertEquals(file.extends, "n150");
  for (const constants of Object.values(file.constants)) {
    for (const { kind, prior, value } of Object.values(constants)) {
      assert(kind === "fitted" && prior !== value);
    }
  }
});

Deno.test("fitToRun() changes nothing for a run as predicted, and refuses one without paired ops", () => {
  const run = pairRun(parseProfilerCsv("p.csv", CSV), predictedSteps(TIMELINE));
  const { file } = fitToRun(N150, run, { name: "mine", base: "n150", source: "p.csv" });
  const { dispatch: _, ...others } = file.constants;
  assertEquals(others, {});
  assertThrows(() => fitToRun(N150, pairRun([], []), { name: "x", base: "n150", source: "p" }), RangeError);
});

Deno.test("fitToRun() takes the median gap as the launch time, unaffected by a few pauses of the host", () => {
  const run = pairRun(parseProfilerCsv("p.csv", CSV), predictedSteps(TIMELINE));
  const gaps = run.pairs.map((_, index) => index === 0 ? 500 : 2.5);
  const pairs = run.pairs.map((pair, index) => ({
    ...pair,
    measured: { ...pair.measured, gapUs: gaps[index] ?? 0 },
  }));
  const { file } = fitToRun(N150, { ...run, pairs }, { name: "mine", base: "n150", source: "p.csv" });
  assertEquals(file.constants.dispatch?.tracedGap?.value, 2.5);
  const silent = pairs.map((pair) => ({ ...pair, measured: { ...pair.measured, gapUs: undefined } }));
  const kept = fitToRun(N150, { ...run, pairs: silent }, { name: "mine", base: "n150", source: "p.csv" });
  assertEquals(kept.file.constants.dispatch, undefined);
});

Deno.test("fitToRun() publishes the half-width of the 68 % interval of the errors that are left", () => {
  const run = pairRun(parseProfilerCsv("p.csv", CSV), predictedSteps(TIMELINE));
  const pair = run.pairs.find(({ predicted }) => predicted.step.name === "ttnn.relu");
  assert(pair !== undefined);
  // No constant explains runs of one program that differ: 6 of 10 are as predicted, 4 take a third less.
  const pairs = Array.from({ length: 10 }, (_, index) => ({
    ...pair,
    measured: { ...pair.measured, us: pair.measured.us * (index < 6 ? 1 : 2 / 3) },
  }));
  const { file } = fitToRun(N150, { ...run, pairs }, { name: "mine", base: "n150", source: "p.csv" });
  const published = file.constants.accuracy?.eltwise?.value ?? 0;
  assert(published > 0.25 && published < 0.5, `${published}`);
});
