// SPDX-License-Identifier: Apache-2.0
import { stripAnsiCode } from "@std/fmt/colors";
import { assert, assertEquals } from "@std/assert";
import { unicodeWidth } from "@std/cli/unicode-width";
import { advise } from "../../sim/timeline/advice.ts";
import type { SimulationOptions } from "../../sim/timeline/simulate.ts";
import { exampleTimeline } from "../../sim/testing/example_timeline.ts";
import { renderSimulation, type SimulationReportOptions } from "./simulation.ts";
import { ALL_ROWS } from "./row_selection.ts";
import { createStyle, type Style } from "./style.ts";
import { colourTest } from "../../testing/colours.ts";

function styled(when: "always" | "never", columns: number): Style {
  return createStyle(when, false, { write: () => {}, isTerminal: true, columns });
}

function report(
  width: number,
  colour: boolean,
  simulation: SimulationOptions = {},
  options: Partial<SimulationReportOptions> = {},
): string {
  const { timeline, graph, context } = exampleTimeline(simulation);
  return renderSimulation(timeline, styled(colour ? "always" : "never", width), {
    ...ALL_ROWS,
    input: "example.mlir",
    groupBy: undefined,
    advice: advise(graph, timeline, context),
    functionName: undefined,
    minPercentage: 0.5,
    idRange: undefined,
    workerCores: 64,
    ...options,
  });
}

for (const width of [60, 80, 120, 140]) {
  Deno.test(`renderSimulation() at width ${width}`, async (t) => {
    await t.assertSnapshot(report(width, false));
  });

  colourTest(`renderSimulation() at width ${width} in colour`, async (t) => {
    const text = report(width, true);
    assertEquals(stripAnsiCode(text), report(width, false));
    await t.assertSnapshot(text);
  });
}

Deno.test("renderSimulation() without a trace", async (t) => {
  await t.assertSnapshot(report(140, false, { traced: false }));
});

Deno.test("renderSimulation() in groups", async (t) => {
  const groups = (["op", "category", "bound"] as const).map((groupBy) =>
    report(80, false, {}, { groupBy, advice: undefined })
  );
  await t.assertSnapshot(groups.join("\n"));
});

Deno.test("renderSimulation() keeps tables within the width", () => {
  for (let width = 60; width <= 160; width += 5) {
    for (const line of report(width, false, {}, { advice: undefined }).split("\n")) {
      if (!line.includes("─") && !/^\s*\d/.test(line)) continue;
      assert(unicodeWidth(line) <= width, `${unicodeWidth(line)} > ${width}: ${line}`);
    }
  }
});

colourTest("renderSimulation() dims rows below the least percentage instead of dropping them", () => {
  const line = (minPercentage: number): string =>
    report(140, true, {}, { minPercentage }).split("\n").find((text) => text.includes("relu")) ?? "";
  assert(line(50).includes("\x1b[2mrelu 1024x1024"));
  assert(!line(0).includes("\x1b[2mrelu"));
  assertEquals(stripAnsiCode(line(50)), stripAnsiCode(line(0)));
});

Deno.test("renderSimulation() shows only ops of the range, with their sum", () => {
  const text = report(140, false, {}, { idRange: [1, 1], advice: undefined });
  assert(text.includes("relu 1024x1024"));
  assert(!text.includes("matmul 1024"));
  assert(/ [78]\.\d % +2 ops/.test(text));
});

Deno.test("renderSimulation() shows a chosen function in full", () => {
  const text = report(140, false, {}, { functionName: "main_const_eval_0" });
  assert(text.includes("@main_const_eval_0 (const_eval)"));
  assert(/@main +forward_device +every inference/.test(text));
});

Deno.test("renderSimulation() states which share of the time is extrapolated, and nothing where none is", () => {
  const { timeline } = exampleTimeline();
  const text = (extrapolatedUs: number) =>
    stripAnsiCode(renderSimulation(
      { ...timeline, inference: { ...timeline.inference, extrapolatedUs } },
      styled("never", 140),
      {
        ...ALL_ROWS,
        input: "example.mlir",
        groupBy: undefined,
        advice: undefined,
        functionName: undefined,
        minPercentage: 0.5,
        idRange: undefined,
        workerCores: 64,
      },
    ));
  assertEquals(text(0).includes("extrapolated"), false);
  assert(text(timeline.inference.totalUs / 4).includes("; 25.0 % extrapolated)"));
});
