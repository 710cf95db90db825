// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../../lib/diagnostics/diagnostic.ts";
import { corpusTest, sharedData } from "../../../testing/corpus.ts";
import { auditCostModel, readMeasurements } from "../audit_cost_model.ts";
import { getMeasuredDevice } from "../../microbenchmarks/measured_device.ts";
import { readDeviceOpRows } from "./device_op_rows.ts";

const TENSOR = { shape: [1, 1, 32, 64], layout: "TILE", dtype: "bf16", memory: "dram interleaved" };

function row(id: string, measuredUs: number | null) {
  return {
    id,
    op: "BinaryNgDeviceOperation",
    deviceText: "n150 wormhole_b0, 64 worker cores, 1 chip",
    inputs: [TENSOR, TENSOR],
    output: TENSOR,
    extraOutputs: null,
    attributes: { op: "ADD" },
    cores: 2,
    measuredUs,
  };
}

Deno.test("rows of device ops are parts of the profiles that their ids name; one without a time is left out by name", () => {
  const rows = [row("decode-4", 2), row("prefill-9", 3), row("decode-7", 4), row("decode-8", null)];
  const { profiles } = readDeviceOpRows("f.json", rows);
  assertEquals(profiles.map(({ name, ops }) => [name, ops.map(({ order }) => order)]), [
    ["decode", [4, 7]],
    ["prefill", [9]],
  ]);
  const { exclusions, total } = readMeasurements("f.json", { rows });
  assertEquals([exclusions.map(({ reason }) => reason), total], [
    ["the value of decode-8 is not in the row"],
    4,
  ]);
  assertThrows(() => readDeviceOpRows("f.json", [{ id: "a-1", measuredUs: 1 }]), DiagnosticError, "row 0");
});

corpusTest("nine tenths of the third collection are predicted, half of them within 15 %", () => {
  const rows = readMeasurements("measured-ops-3.json", sharedData("measured-ops-3.json"));
  const configurations = rows.models.length + rows.exclusions.length;
  assert(rows.models.length >= 0.9 * configurations, `${rows.models.length} of ${configurations}`);
  const { points } = auditCostModel(rows, getMeasuredDevice);
  const errors = points.map(({ measured, predicted }) => Math.abs(predicted / measured - 1)).toSorted((
    a,
    b,
  ) => a - b);
  assert((errors[errors.length >> 1] ?? 1) <= 0.15, `${errors[errors.length >> 1]}`);
});
