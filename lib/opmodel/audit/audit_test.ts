// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { corpusTest, PROJECT_ROOT, sharedData } from "../../../testing/corpus.ts";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { auditOpModel, ttnnName } from "./audit.ts";
import { readExpectationRows } from "./expectation_row.ts";
import * as v from "valibot";

/** What is known about a figure of a row beside its answer of November 2025. */
const OTHERWISE = v.object({
  changed: v.array(
    v.object({ row: v.number(), figure: v.string(), now: v.union([v.number(), v.boolean()]) }),
  ),
  open: v.array(
    v.object({ row: v.number(), figure: v.string(), ours: v.nullable(v.union([v.number(), v.boolean()])) }),
  ),
});

corpusTest("every recorded answer of 2025 is ours, or 0.81.1 changed it so, or it is listed as open", () => {
  const rows = readExpectationRows("expectations", sharedData("op-model-expectations.json"));
  const path = join(PROJECT_ROOT, "testdata", "backend", "answers_2025.json");
  const { changed, open } = v.parse(OTHERWISE, JSON.parse(Deno.readTextFileSync(path)));
  const key = (row: number, figure: string): string => `${row} ${figure}`;
  const wanted = new Map<string, number | boolean | null>([
    ...changed.map(({ row, figure, now }) => [key(row, figure), now] as const),
    ...open.map(({ row, figure, ours }) => [key(row, figure), ours] as const),
  ]);
  const unlike: string[] = [];
  for (const [at, row] of rows.entries()) {
    const missed = new Map(
      auditOpModel([row], TEST_WORMHOLE).misses.map((
        { figure, actual },
      ) => [key(at, figure), actual ?? null]),
    );
    for (const figure of ["valid", "cbBytes", "l1PeakBytes", "outputBytes", "totalPeakBytes"]) {
      const place = key(at, figure);
      if (missed.get(place) === wanted.get(place)) continue;
      unlike.push(`${place} (${row.op}): ${missed.get(place)} for ${wanted.get(place)}`);
    }
  }
  assertEquals(unlike, []);
});

corpusTest("auditOpModel() does not look rows up: the same rows at other sizes keep their formulas", () => {
  const rows = readExpectationRows("expectations", sharedData("op-model-expectations.json"));
  const binary = rows.filter((row) =>
    row.op === "Add" && row.expect.valid && row.output?.memory === "Interleaved"
  );
  assert(binary.length > 0);
  const widened = binary.map((row) => ({
    ...row,
    inputs: row.inputs.map((input) => ({ ...input, shape: [128, 4096], dtype: "f32" })),
    output: row.output === undefined ? undefined : { ...row.output, shape: [128, 4096], dtype: "f32" },
    expect: {
      ...row.expect,
      cbBytes: 6 * 4096,
      l1PeakBytes: undefined,
      outputBytes: undefined,
      totalPeakBytes: undefined,
    },
  }));
  const report = auditOpModel(widened, TEST_WORMHOLE);
  assertEquals(report.cb.exact, report.cb.rows);
});

Deno.test("auditOpModel() counts a wrong figure and a wrong validity as misses", () => {
  const tensor = {
    shape: [64, 64],
    dtype: "bf16",
    layout: "TILE",
    buffer: "DRAM",
    memory: "Interleaved",
    grid: [1, 1],
  };
  const rows = readExpectationRows("test", [
    { op: "Relu", inputs: [tensor], output: tensor, config: [], expect: { valid: true, cbBytes: 1 } },
    { op: "Relu", inputs: [tensor], output: tensor, config: [], expect: { valid: false } },
    { op: "Relu", inputs: [tensor], output: tensor, config: [], expect: { valid: true, cbBytes: 8192 } },
  ]);
  const report = auditOpModel(rows, TEST_WORMHOLE);
  assertEquals([report.validAgree, report.cb], [2, { exact: 1, rows: 2 }]);
  assertEquals(report.misses.map(({ figure, expected, actual }) => [figure, expected, actual]), [
    ["cbBytes", 1, 8192],
    ["valid", false, true],
  ]);
});

Deno.test("readExpectationRows() throws when the data is no list of rows", () => {
  for (const bad of [{}, [1], [{ op: "Relu" }], [{ op: "Relu", expect: { valid: true }, inputs: [{}] }]]) {
    assertThrows(() => readExpectationRows("bad.json", bad), DiagnosticError, "Cannot read bad.json");
  }
});

Deno.test("readExpectationRows() refuses tensors that no test has, rather than read others for them", () => {
  const tensor = {
    shape: [64, 64],
    dtype: "bf16",
    layout: "TILE",
    buffer: "DRAM",
    memory: "Interleaved",
    grid: [1, 1],
  };
  const rows = (changed: Record<string, unknown>) =>
    readExpectationRows("rows.json", [
      { source: "test", op: "Relu", inputs: [{ ...tensor, ...changed }], expect: { valid: true } },
    ]);
  assertEquals(rows({ dtype: undefined, memory: null })[0]?.inputs[0]?.dtype, "bf16");
  for (const changed of [{ dtype: "f64" }, { layout: "tile" }, { memory: "NdSharded" }, { buffer: "SRAM" }]) {
    const [key] = Object.keys(changed);
    assertThrows(() => rows(changed), DiagnosticError, `at 0.inputs.0.${key}: `);
  }
});

Deno.test("ttnnName() spells test names as the dialect does", () => {
  const names = [
    "MaxPool2dWithIndices",
    "NLPConcatHeads",
    "RMSNorm",
    "Expm1",
    "LessEqual",
    "SDPAForward",
    "Conv2d",
  ];
  assertEquals(names.map(ttnnName), [
    "ttnn.max_pool2d_with_indices",
    "ttnn.nlp_concat_heads",
    "ttnn.rms_norm",
    "ttnn.expm1",
    "ttnn.le",
    "ttnn.sdpa_fw",
    "ttnn.conv2d",
  ]);
});
