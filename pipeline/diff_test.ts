// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { getDevice } from "../sim/device_registry.ts";
import { simulateGraph } from "../sim/simulate.ts";
import { corpusTest, sharedText } from "../testing/corpus.ts";
import { diffSides } from "./diff.ts";
import { type DiffOp, type DiffSide, sideOfTimeline } from "./diff_side.ts";
import { createWorkbench } from "./load.ts";

function op(name: string, change: Partial<DiffOp> = {}): DiffOp {
  return {
    key: name,
    function: "main",
    name,
    shape: "64x64",
    location: "",
    layouts: ["dram/interleaved"],
    config: "",
    us: 10,
    conversions: [],
    ...change,
  };
}

function side(ops: readonly DiffOp[]): DiffSide {
  const totalUs = ops.reduce((sum, entry) => sum + (entry.us ?? 0), 0);
  const band = { lowerUs: totalUs * 0.9, upperUs: totalUs * 1.1 };
  return { label: "x", device: "n150", ops, totalUs, band, peakL1Bytes: 0, counters: {} };
}

Deno.test("diffSides() matches through inserted ops and sorts by effect", () => {
  const a = side([op("add"), op("exp"), op("relu")]);
  const b = side([
    op("add", { layouts: ["l1/interleaved"], us: 9 }),
    op("tanh", { us: 3 }),
    op("exp"),
    op("relu", { layouts: ["l1/interleaved"], us: 4 }),
  ]);
  const report = diffSides(a, b);
  assertEquals(report.matched, 3);
  assertEquals(report.changes.map((change) => [(change.b ?? change.a)?.name, change.kinds, change.deltaUs]), [
    ["relu", ["layout"], -6],
    ["tanh", ["only_b"], 3],
    ["add", ["layout"], -1],
  ]);
  assertEquals([report.deltaUs, report.verdict], [-4, "too_close_to_call"]);
});

Deno.test("diffSides() pairs ops of one name and size that mean nearly the same", () => {
  const report = diffSides(
    side([op("conv2d", { key: "conv2d|raw" })]),
    side([op("conv2d", { key: "conv2d|prepared" })]),
  );
  assertEquals(report.changes.map((change) => change.kinds), [["attributes"]]);
});

Deno.test("diffSides() counts what feeds an op, by where it goes", () => {
  const conversions = [
    { from: "dram/interleaved", to: "l1/interleaved", us: 1 },
    { from: "l1/interleaved", to: "dram/interleaved", us: 2 },
  ];
  const report = diffSides(side([op("add")]), side([op("add", { conversions })]));
  assertEquals(report.conversionsB, { reshards: 1, toDram: 1, other: 0 });
  assertEquals(report.changes.map((change) => [change.kinds, change.deltaUs]), [[["conversions"], 3]]);
});

/** Every arbitrary name of a module replaced: values, aliases, locations. */
function renamed(text: string): string {
  return text
    .replace(/%(\d+)/g, "%v$1")
    .replace(/%arg(\d+)/g, "%input$1")
    .replace(/#ttnn_layout(\d*)\b/g, "#lay$1_x")
    .replace(/#loc(\d*)\b/g, "#place$1")
    .replace(/loc\("/g, 'loc("zz')
    .replace(/#dram\b/g, "#ddr");
}

corpusTest("a file does not differ from itself under other names", () => {
  const device = getDevice("n150");
  const file = "clipvision_opt2_b2_irs_ttnn_1764348539196.mlir";
  const text = sharedText("corpus", "dumps", "ttnn", file);
  const sides = [text, renamed(text)].map((source) => {
    const workbench = createWorkbench(parseModule(source, file), device);
    const { graph } = workbench.binding;
    return sideOfTimeline(file, graph, undefined, simulateGraph(graph, undefined, workbench));
  });
  const [a, b] = sides;
  if (a === undefined || b === undefined) throw new Error("two sides are needed");
  const report = diffSides(a, b);
  assertEquals([report.changes, report.matched > 900, report.deltaUs], [[], true, 0]);
});
