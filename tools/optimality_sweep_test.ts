// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { MemoryVerdict } from "../lib/memory/memory_verdict.ts";
import { isBetter, sweepDocument, type SweptPlan } from "./optimality_sweep.ts";

interface PlanWords extends Partial<Pick<SweptPlan, "model" | "device" | "policy">> {
  readonly status?: MemoryVerdict["status"];
  readonly predictedUs?: number;
  readonly gap?: number | "unknown";
}

/** A plan that differs in these words from one that is proven optimal. */
function plan({ status = "fits", predictedUs = 100, gap = 0, ...place }: PlanWords = {}): SweptPlan {
  const model = "models/ttir/a.mlir";
  const bounded = gap === "unknown" ? {} : { gap };
  const summary = { predictedUs, ...bounded, verdict: { status } };
  return { model, device: "n150", policy: "auto", ...place, summary };
}

/** Figures of the only line of a family in the document, by column. */
function figures(
  plans: readonly SweptPlan[],
  files: readonly string[],
  family: string,
): Readonly<Record<string, string>> {
  const [head = "", , ...lines] = sweepDocument(plans, files).split("\n");
  const cells = (line: string): string[] => line.split("|").slice(1, -1).map((cell) => cell.trim());
  const line = lines.find((candidate) => cells(candidate)[0] === family) ?? "";
  return Object.fromEntries(cells(head).map((name, index) => [name, cells(line)[index] ?? ""]));
}

Deno.test("isBetter() prefers what fits, then what is known to fit, then what is quicker by more than rounding", () => {
  const order = [
    plan(),
    plan({ predictedUs: 200 }),
    plan({ status: "unchecked", predictedUs: 50 }),
    plan({ status: "does_not_fit", predictedUs: 10 }),
  ];
  for (const [place, one] of order.entries()) {
    for (const [other, row] of order.entries()) assertEquals(isBetter(one, row), place < other);
  }
  assertEquals(isBetter(plan({ predictedUs: 100 - 1e-10 }), plan()), false);
});

Deno.test("sweepDocument() counts runs of auto by family and chip, and compares within one chip", () => {
  const at = (name: string) => `models/ttir/${name}.mlir`;
  const plans = [
    plan(),
    plan({ model: at("b"), predictedUs: 104, gap: 0.04 }),
    plan({ model: at("b"), policy: "dram", predictedUs: 103 }),
    // Quicker, but on another chip.
    plan({ model: at("b"), policy: "dram", predictedUs: 1, device: "p150" }),
    plan({ model: at("c"), predictedUs: 106, gap: 0.06 }),
    plan({ model: at("c"), policy: "dram", predictedUs: 106 }),
    plan({ model: at("d"), gap: "unknown", status: "unchecked" }),
    plan({ model: at("e"), predictedUs: 0 }),
    plan({ model: at("f"), status: "does_not_fit", predictedUs: 10 }),
  ];
  const files = [..."abcdefg"].map(at);
  const found = figures(plans, [...files, "ops/ttir/h.mlir"], "models/ttir");
  assertEquals(found, {
    "files": "models/ttir",
    "chip": "n150",
    "runs": "7",
    "refused": "1",
    "take no time": "1",
    "proven optimal": "1",
    "within 1 %": "1",
    "within 5 %": "2",
    "above": "1",
    "no bound": "1",
    "unchecked": "1",
    "do not fit": "1",
    "another policy is better": "1 of 2",
  });
  assertEquals({ ...figures(plans, files, "all"), files: "models/ttir", chip: "n150" }, found);
});
