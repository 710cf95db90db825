// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { GapRegion } from "../../pipeline/explain/gap_regions.ts";
import type { GapReport } from "../../pipeline/explain/gap_report.ts";
import { gapParts, opsText, optimumText, resultsText, tellingRegions } from "./gap_table.ts";

/** A region of a norm, and the next op, that loses some µs. */
function region(op: number, lostUs: number, optimum = "l1/block_sharded/8x8"): GapRegion {
  const worst = { op, name: "ttnn.rms_norm", plan: "l1/interleaved", optimum };
  return { function: "forward", ops: [op, op + 1], lostUs, limit: "search", shortBytes: 0, worst };
}

function report(regions: readonly GapRegion[], congestionUs = 0): GapReport {
  return {
    predictedUs: 110,
    lowerBoundUs: 100,
    gap: 0.1,
    certificate: "bound",
    congestionUs,
    slackUs: 0,
    waitsUs: 0,
    unavoidableUs: 0,
    regions,
    wouldHelp: [],
  };
}

Deno.test("equal regions of repeated layers share a row, and invisible ones have none", () => {
  const rows = tellingRegions(
    report([
      region(30, 0.5),
      region(1, 2),
      region(20, 1, "dram/interleaved"),
      region(40, 0.004),
      region(10, 2),
    ]),
  );
  assertEquals(rows.map(({ lostUs }) => lostUs), [4.5, 1]);
  assertEquals(rows.map(opsText), ["1-2, 10-11, 30-31", "20-21"]);
});

Deno.test("a region that wins time does not hide in one that loses it", () => {
  assertEquals(tellingRegions(report([region(1, 3), region(5, -3)])).map(({ lostUs }) => lostUs), [3, -3]);
});

Deno.test("equal layouts of several results are counted", () => {
  assertEquals(resultsText("dram/interleaved, dram/interleaved"), "2 × dram/interleaved");
  assertEquals(resultsText("dram/interleaved, l1/interleaved"), "dram/interleaved, l1/interleaved");
  assertEquals(resultsText("l1/interleaved"), "l1/interleaved");
});

Deno.test("an op with equal results in both is reported as running differently", () => {
  assertEquals(optimumText(region(1, 1)), "l1/block_sharded/8x8");
  assertEquals(optimumText(region(1, 1, "l1/interleaved")), "same layout, other operands or config");
});

Deno.test("less congestion than the optimum's is reported as less", () => {
  const network = (us: number) => new Map(gapParts(report([], us))).get("Network") ?? "";
  assertStringIncludes(network(-3), "3.00 µs less congestion");
  assertStringIncludes(network(3), "3.00 µs more congestion");
});

Deno.test("a plan whose op configs save time is not told to be below its own bound", () => {
  const told = (configsSavedUs: number) =>
    new Map(gapParts({ ...report([]), predictedUs: 95, configsSavedUs })).get("Predicted");
  assertEquals(told(15), "95.0 µs, 110.0 µs before op configs; lower bound 100.0 µs");
  assertEquals(new Map(gapParts(report([]))).get("Predicted"), "110.0 µs; lower bound 100.0 µs");
});
