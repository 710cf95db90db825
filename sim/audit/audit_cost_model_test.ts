// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { getMeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { accuracyReport } from "./accuracy_report.ts";
import { auditCostModel, splitRows } from "./audit_cost_model.ts";
import { auditDecisions } from "./audit_decisions.ts";
import { parseMeasuredRows } from "./measured_row.ts";
import { hostFloors } from "./rows.ts";
import { errorStatistics } from "./statistics.ts";

/** A row of the GEMM tables, as the data file spells it. Times are of no real chip. */
function gemm(fields: { us: number; tuning?: string; trace?: boolean; deviceUs?: number; size?: number }) {
  const { us, tuning = "tuned", trace = true, deviceUs, size = 2048 } = fields;
  return {
    source: "test",
    device: "n150",
    op: "matmul",
    shapes: { M: size, K: size, N: size },
    dtype: "bfloat8_b",
    fidelity: "HiFi2",
    grid: "8x8",
    layouts: { in0: "DRAM_interleaved", in1: "DRAM_interleaved", out: "DRAM_interleaved", layout: "TILE" },
    config: { tuning, trace },
    measured: { us, ...(deviceUs === undefined ? {} : { device_us_derived: deviceUs }) },
    basis: "test",
    group: "gemm",
  };
}

function audit(rows: readonly unknown[]) {
  return auditCostModel(splitRows(parseMeasuredRows("test.json", rows)), getMeasuredDevice);
}

Deno.test("errorStatistics() gives mean, median, 90th percentile and signed bias", () => {
  const statistics = errorStatistics([-0.1, 0.1, 0.2, 0.4]);
  assert(statistics !== undefined);
  assertEquals(
    Object.values(statistics).map((value) => Number(value.toFixed(4))),
    [0.2, 0.15, 0.34, 0.15],
  );
  assertEquals(errorStatistics([]), undefined);
});

Deno.test("auditCostModel() reports known and derived configs apart and the file's group as a whole", () => {
  const { audit: report, points } = audit([
    gemm({ us: 180, deviceUs: 155 }),
    gemm({ us: 200, deviceUs: 160, tuning: "oob" }),
  ]);
  const rows = Object.fromEntries(report.groups.map((group) => [group.group, group.covered]));
  assertEquals(rows, {
    gemm: 2,
    gemm_known_config: 1,
    gemm_known_config_wall: 1,
    gemm_out_of_box: 1,
    gemm_out_of_box_wall: 1,
  });
  assertEquals(points.length, 4);
  for (const group of report.groups) assert((group.mape ?? 1) < 0.3, group.group);
});

Deno.test("auditCostModel() counts omitted rows, with the reason", () => {
  const { audit: report } = audit([
    { ...gemm({ us: 100 }), device: "n42" },
    { source: "test", device: "Galaxy", op: "Matmul_0", group: "llm_decode_op", measured: { us: 9 } },
    { source: "test", device: "x", op: "y", group: "unheard_of", measured: {} },
  ]);
  const of = (name: string) => report.groups.find((group) => group.group === name);
  assertEquals(of("gemm_known_config")?.excluded, [{ reason: "the chip is not modelled", rows: 1 }]);
  assertEquals(of("llm_decode_op")?.covered, 0);
  assertEquals(of("llm_decode_op")?.mape, null);
  assertEquals(of("unheard_of")?.rows, 1);
});

Deno.test("hostFloors() takes the host's time from the other rows of the set, never from the row itself", () => {
  const rows = parseMeasuredRows(
    "t",
    [300, 301, 299, 302, 900, 5000].map((us) => gemm({ us, trace: false })),
  );
  const floor = hostFloors(rows);
  for (const row of rows) {
    const value = floor(row) ?? 0;
    assert(value >= 299 && value <= 302, `${value}`);
  }
});

Deno.test("hostFloors() needs three other rows of the set", () => {
  for (const [others, floor] of [[[301, 299, 302], 301], [[301, 299], undefined]] as const) {
    const rows = parseMeasuredRows("t", [300, ...others].map((us) => gemm({ us, trace: false })));
    assertEquals(rows.slice(0, 1).map(hostFloors(rows)), [floor]);
  }
});

Deno.test("bounds of NoC bandwidth are bytes per cycle, not GB/s", () => {
  const { points } = audit([{
    source: "test",
    device: "wormhole_b0",
    op: "one_to_one write",
    group: "noc_bw",
    measured: { bytes_per_cycle: 30 },
  }]);
  assertEquals(points.map(({ unit, measured }) => [unit, measured]), [["bytes/cycle", 30]]);
});

Deno.test("parseMeasuredRows() reports the row and its error", () => {
  assertThrows(() => parseMeasuredRows("f.json", { rows: [] }), DiagnosticError, "one JSON array");
  assertThrows(
    () => parseMeasuredRows("f.json", [gemm({ us: 1 }), { source: "s", device: 3, op: "o", group: "g" }]),
    DiagnosticError,
    'row 1: "device"',
  );
});

Deno.test("accuracyReport() draws every group of ten rows and gives the same bytes twice", () => {
  const { audit: report, points } = audit([
    ...Array.from({ length: 10 }, (_, index) => gemm({ us: 180, deviceUs: 150 + index })),
    ...Array.from({ length: 10 }, (_, index) => gemm({ us: 200 + index, tuning: "oob" })),
    gemm({ us: 300, deviceUs: 280, tuning: "oob" }),
  ]);
  const decisions = auditDecisions([]);
  const origin = { data: ["rows.json", "layers"], folds: 5 };
  const files = accuracyReport(report, points, origin, decisions);
  assertEquals(files, accuracyReport(report, points, origin, decisions));
  assertStringIncludes(files[0]?.text ?? "", "--data rows.json --data layers --folds 5 --report docs`");
  assertEquals(files.map((file) => file.path), [
    "accuracy.md",
    "accuracy/gemm_known_config.svg",
    "accuracy/gemm_known_config_wall.svg",
    "accuracy/gemm_out_of_box.svg",
  ]);
  const svg = files[1]?.text ?? "";
  assert(svg.startsWith("<svg") && svg.trimEnd().endsWith("</svg>") && svg.includes("<circle"));
});
