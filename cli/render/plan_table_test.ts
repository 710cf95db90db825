// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { gapAbove, type PlanGap } from "../../pipeline/plan_gap.ts";
import { SHARDED_DOCUMENT } from "../testing/example_documents.ts";
import { renderSummary } from "./plan_table.ts";
import { createStyle } from "./style.ts";

Deno.test("renderSummary() shows the distance from the bound only on request", () => {
  const { summary } = SHARDED_DOCUMENT;
  const plain = createStyle("never", true, { write: () => {}, isTerminal: false, columns: 120 });
  const gapLine = (gap: PlanGap): string | undefined =>
    renderSummary({ ...summary, ...gap }, plain).split("\n").find((line) => line.startsWith("Gap"));
  assertEquals(gapLine({}), undefined);
  const { predictedUs } = summary;
  assertEquals(
    gapLine(gapAbove(predictedUs / 1.25, predictedUs)),
    "Gap        at most 25.0 % above the best plan of the explored layouts that the op model of ttnn 0.81.1 allows (certificate: bound)",
  );
  assertEquals(
    gapLine(gapAbove(predictedUs, predictedUs)),
    "Gap        none: no plan of the explored layouts that the op model of ttnn 0.81.1 allows is faster (certificate: exact)",
  );
  assertStringIncludes(
    gapLine({ ...gapAbove(predictedUs, predictedUs), uncheckedOps: 1 }) ?? "",
    "is faster; 1 op could not be checked (certificate: exact)",
  );
  assertEquals(
    gapLine(gapAbove(0, predictedUs)),
    "Gap        unknown: no bound holds for this plan (certificate: none)",
  );
});

Deno.test("renderSummary() marks a baseline that cannot run", () => {
  const { summary } = SHARDED_DOCUMENT;
  const plain = createStyle("never", true, { write: () => {}, isTerminal: false, columns: 120 });
  const predicted = (given: typeof summary): string | undefined =>
    renderSummary(given, plain).split("\n").find((line) => line.startsWith("In DRAM"));
  assertEquals(predicted(summary)?.includes("which"), false);
  assertStringIncludes(
    predicted({ ...summary, baselineStatus: "unchecked" }) ?? "",
    "(which is not checked): ",
  );
  const baselineOp = {
    function: "main",
    op: 1,
    name: "ttnn.add",
    location: "",
    rule: "operand/host",
    reason: "operand 0 is in host memory",
  };
  assertStringIncludes(
    predicted({ ...summary, baselineStatus: "unchecked", baselineOp }) ?? "",
    "(which is not checked: operand 0 is in host memory): ",
  );
  assertStringIncludes(
    predicted({ ...summary, baselineStatus: "does_not_run", baselineOp }) ?? "",
    "(which does not run: operand 0 is in host memory): ",
  );
});

Deno.test("gapAbove() is exact for a module without work", () => {
  assertEquals(gapAbove(0, 0), { lowerBoundUs: 0, gap: 0, certificate: "exact" });
  assertEquals(gapAbove(Infinity, 0), { certificate: "none" });
});
