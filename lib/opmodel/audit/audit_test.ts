// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { corpusTest, sharedData } from "../../../testing/corpus.ts";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { auditOpModel } from "./audit.ts";
import { readExpectationRows } from "./expectation_row.ts";
import { ttnnName } from "./row_op.ts";

/** Of the answers of November 2025; ttnn 0.81.1, which the rule book models, gives 104 of the 643 rows otherwise. */
const SHARE_OF_ROWS = { valid: 0.95, cb: 0.78, l1Peak: 0.92, output: 0.95 } as const;

corpusTest("auditOpModel() agrees with the recorded answers of the backend", () => {
  const rows = readExpectationRows("expectations", sharedData("op-model-expectations.json"));
  const report = auditOpModel(rows, TEST_WORMHOLE);
  assertEquals(report.rows, rows.length);
  assert(report.validAgree >= SHARE_OF_ROWS.valid * report.rows, `valid ${report.validAgree}/${report.rows}`);
  for (const figure of ["cb", "l1Peak", "output"] as const) {
    const { exact, rows } = report[figure];
    assert(rows > 400 && exact >= SHARE_OF_ROWS[figure] * rows, `${figure} ${exact}/${rows}`);
  }
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
