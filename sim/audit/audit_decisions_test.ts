// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { corpusTest, sharedData } from "../../testing/corpus.ts";
import { getMeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { readMeasurements } from "./audit_cost_model.ts";
import { auditDecisions, decide, type PredictedPair } from "./audit_decisions.ts";
import { DECISIONS_HEADING, decisionSection } from "./accuracy_report.ts";
import { replaceSection } from "./markdown_section.ts";
import { measuredPairs } from "./measured_pairs.ts";
import type { RowModel } from "./row_model.ts";

/** A made-up run that is predicted as told. */
function run(parameters: Record<string, string>, measured: number, predicted = measured): RowModel {
  return {
    status: "modelled",
    group: "pad",
    costClass: "permute",
    device: "n150",
    configuration: JSON.stringify(parameters),
    table: "test",
    measured,
    unit: "us",
    parameters,
    predict: () => predicted,
  };
}

Deno.test("measuredPairs() pairs runs that differ in one decision of a plan", () => {
  const rows = [
    run({ shape: "a", cores: "8", fidelity: "LoFi" }, 10),
    run({ shape: "a", cores: "16", fidelity: "LoFi" }, 6),
    // Two things differ; no plan decides shapes; labels do not count; what one does not say is no difference.
    run({ shape: "a", cores: "32", fidelity: "HiFi2" }, 6),
    run({ shape: "b", cores: "8", fidelity: "LoFi" }, 6),
    run({ shape: "c", cores: "8", gap_us: "1" }, 6),
    run({ shape: "c", cores: "4", gap_us: "2" }, 12),
    run({ shape: "c" }, 5),
  ];
  const pairs = measuredPairs(rows);
  assertEquals(pairs.map(({ a, b }) => [rows.indexOf(a), rows.indexOf(b)]), [[0, 1], [4, 5]]);
  assertAlmostEquals(pairs[1]?.measuredRatio ?? 0, 0.5);
});

Deno.test("measuredPairs() treats a row's cores as the difference, not as another chip", () => {
  const on = (cores: number, rest: Record<string, string>): RowModel => ({
    ...run(rest, cores),
    workerGrid: [cores, 1],
  });
  assertEquals(measuredPairs([on(9, { cores: "9" }), on(17, { cores: "17" })]).length, 1);
  assertEquals(measuredPairs([on(9, { dtype: "bf16" }), on(17, { dtype: "bfp8" })]), []);
});

Deno.test("measuredPairs() counts repeats once, at their median", () => {
  const repeats = [9, 10, 50].map((us) => run({ cores: "8" }, us));
  const [pair, ...rest] = measuredPairs([...repeats, run({ cores: "4" }, 20)]);
  assertEquals(rest, []);
  assertAlmostEquals(pair?.measuredRatio ?? 0, 0.5);
});

Deno.test("auditDecisions() distinguishes right, too close and confidently wrong, by family and in total", () => {
  const pairOf = (measured: readonly [number, number], predicted: readonly [number, number]) =>
    decide(
      {
        models: [
          run({ cores: "1" }, measured[0], predicted[0]),
          run({ cores: "2" }, measured[1], predicted[1]),
        ],
      },
      getMeasuredDevice,
    );
  const decisions: readonly PredictedPair[] = [
    ...pairOf([10, 100], [11, 90]),
    ...pairOf([10, 12], [10, 10]),
    ...pairOf([10, 12], [50, 1]),
    // Less than 10 % apart: counts for the calibration only.
    ...pairOf([10, 10.5], [10, 11]),
  ];
  const { summary, families, calibration } = auditDecisions(decisions);
  assertEquals(summary.pairs, 3);
  for (const [name, value] of [["right", 1 / 3], ["tooClose", 1 / 3], ["confidentlyWrong", 1 / 3]] as const) {
    assertAlmostEquals(summary[name], value);
  }
  assertAlmostEquals(summary.medianRatioError, Math.abs(11 / 90 / 0.1 - 1));
  assertEquals(families.map(({ name, pairs }) => [name, pairs]), [["pad", 3]]);
  // Predicted alike is no claim.
  assertEquals(calibration.reduce((sum, bin) => sum + bin.pairs, 0), 3);
});

Deno.test("auditDecisions() reports the reliability of claims with equal weights of families", () => {
  const pairs = (group: string, count: number, right: boolean) =>
    Array.from({ length: count }, (_, index) => {
      const one = (cores: string, measured: number, predicted: number): RowModel => ({
        ...run({ cores, shape: String(index) }, measured, predicted),
        group,
      });
      return decide({ models: [one("1", 10, 10), one("2", right ? 20 : 5, 20)] }, getMeasuredDevice);
    }).flat();
  const decisions = [...pairs("pad", 9, true), ...pairs("repeat", 1, false)];
  const bin = auditDecisions(decisions).calibration.find((each) => each.pairs > 0);
  assertEquals(bin?.pairs, 10);
  assertAlmostEquals(bin?.right ?? 0, 0.9);
  assertAlmostEquals(bin?.familiesAlike?.right ?? 0, 0.5);
});

Deno.test("a section of a page is replaced up to the next heading of its level, or appended", () => {
  const section = decisionSection(auditDecisions([]));
  const page = `# A\n\n${DECISIONS_HEADING}\n\nold\n\n### inside\n\n## Next\n\ntext\n`;
  const replaced = replaceSection(page, DECISIONS_HEADING, section);
  assert(!replaced.includes("old") && replaced.includes("\n## Next\n\ntext\n"));
  assertEquals(replaceSection(replaced, DECISIONS_HEADING, section), replaced);
  assert(replaceSection("# A\n", DECISIONS_HEADING, section).includes("| **all** |"));
});

corpusTest("claims about measured pairs are right as often as they say, and seldom confidently wrong", () => {
  const rows = ["measured-ops-2.json", "measured-perf.json"]
    .flatMap((file) => readMeasurements(file, sharedData(file)).models);
  const { summary, calibration } = auditDecisions(decide({ models: rows }, getMeasuredDevice));
  assert(summary.pairs > 1000 && summary.right > 0.95, `${summary.pairs} pairs, ${summary.right} right`);
  assert(summary.confidentlyWrong < 0.02, `${summary.confidentlyWrong} confidently wrong`);
  for (const { from, pairs, claimed, right, familiesAlike } of calibration) {
    if (pairs < 30) continue;
    assert(right > claimed - 0.05, `${from}: ${right} right of ${claimed} claimed`);
    const [equivalent, said] = [familiesAlike?.right ?? 0, familiesAlike?.claimed ?? 1];
    assert(equivalent > said - 0.05, `${from}: ${equivalent} right of ${said} claimed, families alike`);
    // What is too close to call, below that, is no claim.
    if (from >= 0.7) {
      assert(equivalent < said + 0.15, `${from}: ${equivalent} right of ${said} claimed, families alike`);
    }
  }
});
