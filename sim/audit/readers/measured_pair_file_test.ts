// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../../lib/diagnostics/diagnostic.ts";
import { getMeasuredDevice } from "../../microbenchmarks/measured_device.ts";
import { predictRow, readMeasurements } from "../audit_cost_model.ts";
import { intervalCoverage } from "../interval_coverage.ts";

/** A pair as `measured-pairs.json` spells it. */
function pair(id: string, given: Record<string, unknown>): Record<string, unknown> {
  const setting = { M: 32, K: 4096, N: 14336, weights: "bfp4", activations: "bf16", fidelity: "LoFi" };
  return {
    id,
    family: "in0_block_w (DS)",
    chip: "p150-harvested",
    op: "matmul 32x4096x14336",
    unit: "us",
    quantity: "device time",
    a: { setting: { ...setting, kernel: "ds", in0_cores: 8, in0_block_w: 8 }, measured: 100 },
    b: { setting: { in0_block_w: 2 }, measured: 125 },
    ...given,
  };
}

Deno.test("explicit pairs: the second setting states the difference, in full or as JSON", () => {
  const quoted = {
    a: {
      setting: {
        M: "32",
        K: "4096",
        N: "14336",
        weights: '"bfp4"',
        activations: '"bf16"',
        fidelity: '"LoFi"',
        kernel: '"ds"',
        in0_cores: "8",
        in0_block_w: "8",
      },
      measured: 100,
    },
  };
  const { pairs, models, unpaired } = readMeasurements("pairs.json", {
    pairs: [pair("plain", {}), pair("quoted", quoted)],
  });
  assertEquals(unpaired, []);
  assertEquals(models.length, 2);
  const times = pairs.map(({ a, b }) => [a, b].map((row) => predictRow(row, getMeasuredDevice)));
  assertEquals(times[0], times[1]);
  assertAlmostEquals(pairs[0]?.measuredRatio ?? 0, 0.8);
  // Narrow blocks take longer.
  assert((times[0]?.[0] ?? 0) < (times[0]?.[1] ?? 0));
});

Deno.test("explicit pairs that cannot be predicted are left out by their ids, and the file goes on", () => {
  const { pairs, unpaired } = readMeasurements("pairs.json", {
    pairs: [
      pair("words", { a: { setting: "no config", measured: 9 } }),
      pair("rate", { unit: "t/s/u" }),
      pair("no-value", { b: { setting: { in0_block_w: 2 }, measured: null } }),
      pair("other-op", { op: "conv split reader" }),
      pair("fine", {}),
    ],
  });
  assertEquals(pairs.length, 1);
  assertEquals(unpaired.map(({ reason }) => reason.split(":")[0]), ["words", "rate", "no-value", "other-op"]);
  assertThrows(() => readMeasurements("pairs.json", { pairs: [{}] }), DiagnosticError, "pair 0");
});

Deno.test("intervalCoverage() counts measurements inside of the intervals of their predictions", () => {
  const [row] = readMeasurements("pairs.json", { pairs: [pair("one", {})] }).models;
  assert(row !== undefined);
  const predicted = predictRow(row, getMeasuredDevice);
  const rows = [1, 1.0001, 5, 0.1].map((share) => ({ ...row, measured: predicted * share }));
  const coverage = intervalCoverage(rows, getMeasuredDevice, () => predicted);
  assertEquals(coverage, { rows: 4, narrow: 0.5, wide: 0.5 });
  assertEquals(intervalCoverage(rows, getMeasuredDevice, () => undefined), null);
});
