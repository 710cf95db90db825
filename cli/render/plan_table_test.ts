// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { gapOf } from "../../pipeline/plan_document.ts";
import { SHARDED_DOCUMENT } from "../testing/example_documents.ts";
import { renderSummary } from "./plan_table.ts";
import { createStyle } from "./style.ts";

const BOUND = { withoutConversionsUs: 600, status: "bound", relaxedOps: 0, splitOps: 0 } as const;

Deno.test("renderSummary() says how far the plan is from the bound, and only where there is one", () => {
  const { summary } = SHARDED_DOCUMENT;
  const plain = createStyle("never", true, { write: () => {}, isTerminal: false, columns: 120 });
  assertEquals(renderSummary(summary, plain).includes("Gap"), false);
  const gap = gapOf({ ...BOUND, microseconds: 649.8 }, summary.predictedUs);
  assertEquals(gap.lowerBoundUs, 649.8);
  assertStringIncludes(
    renderSummary({ ...summary, ...gap }, plain),
    "\nGap        at most 25.0 % above the best assignment of the explored layouts (bound, L1 capacity ignored)\n",
  );
});

Deno.test("gapOf() is 0 for a module without work", () => {
  assertEquals(gapOf({ ...BOUND, microseconds: 0, status: "exact" }, 0), {
    lowerBoundUs: 0,
    gap: 0,
    boundStatus: "exact",
  });
});
