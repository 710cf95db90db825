// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import * as v from "valibot";
import { corpusTest, PROJECT_ROOT, sharedText } from "../../testing/corpus.ts";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { isKnownOp } from "../../lib/ops/op_book.ts";
import { auditRecordedAnswers } from "./ask_rule_book.ts";
import { ttnnName } from "./expectation_row.ts";
import { readAnswers } from "./read_answers.ts";

const FILE = "op-model-expectations.json";

/** What is known about a figure of a row beside its answer of November 2025. */
const VALUE = v.pipe(
  v.union([v.number(), v.boolean()]),
  v.transform((value) => value === true ? "accepts" : value === false ? "refuses" : String(value)),
);
const ROW = { row: v.number(), op: v.string(), figure: v.string() };
const OTHERWISE = v.object({
  changed: v.array(v.object({ ...ROW, now: VALUE })),
  open: v.array(v.object({ ...ROW, ours: VALUE })),
});

corpusTest("every recorded answer of 2025 is ours, or 0.81.1 changed it so, or it is listed as open", () => {
  const { rows } = readAnswers(FILE, sharedText("data", FILE));
  const path = join(PROJECT_ROOT, "testdata", "backend", "answers_2025.json");
  const { changed, open } = v.parse(OTHERWISE, JSON.parse(Deno.readTextFileSync(path)));
  const wanted = [
    ...changed.map(({ row, figure, now }) => `${row} ${figure} ${now}`),
    ...open.map(({ row, figure, ours }) => `${row} ${figure} ${ours}`),
  ];
  const missed = auditRecordedAnswers(rows).misses.map(({ row, figure, ours }) =>
    `${/\((\d+)\)$/.exec(row.source ?? "")?.[1]} ${figure} ${ours}`
  );
  assertEquals(missed.toSorted(), wanted.toSorted());
});

corpusTest("rows are not looked up: the same ones at other sizes keep their formulas", () => {
  const given: readonly {
    readonly op: string;
    readonly inputs: readonly object[];
    readonly output?: object;
  }[] = JSON.parse(sharedText("data", FILE));
  const size = { shape: [128, 4096], dtype: "f32" };
  const widened = given.filter(({ op, output }) =>
    op === "Add" && JSON.stringify(output)?.includes("Interleaved")
  )
    .map(({ inputs, output, ...row }) => ({
      ...row,
      inputs: inputs.map((input) => ({ ...input, ...size })),
      output: { ...output, ...size },
      expect: { valid: true, cbBytes: 6 * 4096 },
    }));
  const { rows } = readAnswers("wide.json", JSON.stringify(widened));
  const { buffers } = auditRecordedAnswers(rows).total().figures;
  assert(rows.length > 0);
  assertEquals(buffers, { equal: rows.length, of: rows.length });
});

const TENSOR = {
  shape: [64, 64],
  dtype: "bf16",
  layout: "TILE",
  buffer: "DRAM",
  memory: "Interleaved",
  grid: [1, 1],
};

function rowsOf(...rows: readonly object[]) {
  return readAnswers("rows.json", JSON.stringify(rows)).rows;
}

Deno.test("a wrong figure and a wrong validity are misses, with the test that asserts them", () => {
  const relu = (expect: object) => ({ source: "a::b", op: "Relu", inputs: [TENSOR], output: TENSOR, expect });
  const tally = auditRecordedAnswers(rowsOf(
    relu({ valid: true, cbBytes: 1 }),
    relu({ valid: false }),
    relu({ valid: true, cbBytes: 8192, outputBytes: 0 }),
    relu({ valid: true, validAtHead: false, cbBytes: 8192 }),
  ));
  const { valid, figures: { buffers, outputs, tensors } } = tally.total();
  assertEquals([valid, buffers, outputs, tensors].map(({ equal, of }) => [equal, of]), [
    [2, 4],
    [1, 2],
    [1, 1],
    [0, 0],
  ]);
  assertEquals(tally.misses.map(({ row, figure, backend, ours }) => [row.source, figure, backend, ours]), [
    ["a::b (0)", "buffers", "1", "8192"],
    ["a::b (1)", "valid", "refuses", "accepts"],
    ["a::b (3)", "valid", "refuses", "accepts"],
  ]);
});

Deno.test("a layout that no tensor can have is left out", () => {
  const sharded = { ...TENSOR, buffer: "L1", memory: "HeightSharded", grid: [9, 9] };
  const text = JSON.stringify([{ op: "Relu", inputs: [sharded], expect: { valid: false } }]);
  const { rows, leftOut } = readAnswers("rows.json", text);
  assertEquals([rows.length, leftOut.size], [0, 1]);
});

Deno.test("what is no list of rows is refused", () => {
  for (const bad of [[1], [{ op: "Relu" }], [{ op: "Relu", expect: { valid: true }, inputs: [{}] }]]) {
    assertThrows(() => rowsOf(...bad as object[]), DiagnosticError, "Cannot read rows.json: at 0");
  }
});

Deno.test("tensors that no test has are refused, rather than others read for them", () => {
  const rows = (changed: object) =>
    rowsOf({ op: "Relu", inputs: [{ ...TENSOR, ...changed }], expect: { valid: true } });
  const [operand] = rows({ dtype: undefined, memory: "Interleaved" })[0]?.question.operands ?? [];
  assert(operand !== undefined && "shape" in operand);
  assertEquals(operand.elementType, "bf16");
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
  assert(names.map(ttnnName).every(isKnownOp));
});
