// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { auditRecordedAnswers } from "./ask_rule_book.ts";
import { limitsOf, shortfalls } from "./limits.ts";
import { readAnswers } from "./read_answers.ts";

/** relu of 64 x 1024 in L1, recorded on n150: `m` are peaks of buffers, tensors and both, `e` the events. */
const RELU = {
  d: "n150",
  o: "relu",
  i: ["64x1024 bf16 l1"],
  r: ["64x1024 bf16 dram"],
  h: "64x1024 bf16 l1",
  p: ["Unary 4096@0,0-7,7 4096"],
  e: "l2048 p",
  m: [8192, 2048, 10240],
  l: ["bf16 l1"],
};

function audit(...rows: readonly object[]) {
  const text = rows.map((row) => JSON.stringify(row)).join("\n");
  return auditRecordedAnswers(readAnswers("test", text).rows);
}

Deno.test("a recorded answer that the rule book gives as well agrees in every figure", () => {
  const tally = audit(RELU);
  assertEquals(tally.misses, []);
  const { valid, figures } = tally.total();
  const { outputs, ...recorded } = figures;
  assertEquals([valid, ...Object.values(recorded)], Array(7).fill({ equal: 1, of: 1 }));
  assertEquals(outputs.of, 0);
});

Deno.test("every figure that differs is a miss of its own", () => {
  const missed = (change: object) => audit({ ...RELU, ...change }).misses.map(({ figure }) => figure);
  assertEquals(missed({ m: [8193, 2048, 10241] }), ["buffers", "peak"]);
  assertEquals(missed({ p: ["Unary 4096 4096 4096"] }), ["programs"]);
  assertEquals(missed({ p: ["Unary 4096 4096 =4096"] }), []);
  assertEquals(missed({ m: [8192, 4096, 12288] }), ["tensors", "peak"]);
  assertEquals(missed({ e: "l2048 l64 p -1" }), ["events"]);
  assertEquals(missed({ l: ["bf16 l1:h 32x1024 0,0-1,0"] }), ["layout"]);
});

Deno.test("ops that the backend refuses, or that exceed its L1, are refused", () => {
  const { p: _p, e: _e, m: _m, l: _l, ...question } = RELU;
  for (const row of [{ ...question, n: "error", w: "no" }, { ...RELU, m: [1_400_000, 2048, 1_402_048] }]) {
    const tally = audit(row);
    assertEquals(tally.total().falseAccepts, 1);
    assertEquals(tally.misses.map(({ figure, backend, ours }) => [figure, backend, ours]), [
      ["valid", "refuses", "accepts"],
    ]);
  }
});

Deno.test("limits equal the measured agreement; less falls short", () => {
  const all = limitsOf(audit(RELU).total());
  const worse = audit(RELU, { ...RELU, i: ["64x1024 bf16 l1:h 2x1"], m: [1, 2048, 2049] }).total();
  assertEquals(shortfalls(audit(RELU).total(), all), []);
  assert(shortfalls(worse, all).some((words) => words.startsWith("buffers 50.0 %")));
  assertEquals(shortfalls(worse, limitsOf(worse)), []);
});

Deno.test("rows of the op-model pipe are read; inexpressible ones are omitted by name", () => {
  const layout = {
    text:
      "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>",
  };
  const tensor = { shape: [64, 1024], elementType: "bf16", layout };
  const question = {
    kind: "constraints",
    op: "ttnn.relu",
    attrs: {},
    operands: [tensor],
    results: [tensor],
    outputLayout: null,
    opConfig: { kind: "none" },
    additionalL1: 0,
    usableL1: 1_300_000,
    liveRecords: null,
  };
  const answer = {
    ok: true,
    cbs: [[4096, "{[0-0 - 7-7]}", 1], [4096, "{[0-0 - 7-7]}", 1]],
    cbPeak: 8192,
    tensorPeak: 0,
    totalPeak: 8192,
    outputLayouts: [{ bufferType: "dram", memLayout: "interleaved", dtype: "bf16", tiled: true }],
  };
  const row = { device: "n150", question, answer };
  const text = [row, { ...row, question: { ...question, scalar: 2 } }].map((line) => JSON.stringify(line))
    .join("\n");
  const { rows, leftOut } = readAnswers("test", text);
  assertEquals([...leftOut], [["scalar", 1]]);
  assertEquals(auditRecordedAnswers(rows).misses, []);
});
