// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../../../ir/mod.ts";
import { assertSameMeaning, randomInputs } from "../../../../testing/interpreter/same_meaning.ts";
import { passed, passedBody, testedPass, ttnnModule } from "../../testing/passed_body.ts";
import { foldKnownRows, lookUpAsOneMatrix } from "./canonical_formulas.ts";

/** Rows `start + step · i` of a table of 32, of which `factor · i + addend` are asked for, as JAX counts them. */
function looked(count: number, factor: number, addend: number): string {
  const row = `T<${count}, ui32>`;
  const full = (name: string, value: number): string =>
    `${name} = "ttnn.full"() <{fill_value = ${value} : i32, shape = #ttnn.shape<${count}>}> : () -> ${row}`;
  return ttnnModule(`(%t: R<32x8>) -> T<${count}x8>`, [
    `%n = "ttnn.arange"() <{start = 0 : si64, end = ${count} : si64, step = 1 : si64}> : () -> ${row}`,
    full("%f", factor),
    full("%a", addend),
    `%0 = "ttnn.multiply"(%n, %f) : (${row}, ${row}) -> ${row}`,
    `%1 = "ttnn.add"(%0, %a) : (${row}, ${row}) -> ${row}`,
    `%2 = "ttnn.clamp_scalar"(%1) <{min = 0 : i32, max = 31 : i32}> : (${row}) -> ${row}`,
    `%3 = "ttnn.embedding"(%2, %t) : (${row}, R<32x8>) -> T<${count}x8>`,
    `return %3 : T<${count}x8>`,
  ]);
}

const slices = (text: string): readonly string[] =>
  passedBody(text, foldKnownRows).flatMap((line) =>
    /slice_static.*begins = \[(\d+).*ends = \[(\d+).*step = \[(\d+)/.exec(line)?.slice(1) ?? []
  );

Deno.test("rows whose numbers rise in steps are sliced, and mean the same", () => {
  assertEquals(slices(looked(16, 2, 1)), ["1", "32", "2"]);
  assertEquals(slices(looked(8, 1, 4)), ["4", "12", "1"]);
  for (const text of [looked(16, 2, 1), looked(8, 1, 4)]) {
    const before = parseModule(text, "before.mlir");
    const after = parseModule(passed(text, testedPass([foldKnownRows])).text, "after.mlir");
    assertSameMeaning(before, after, "main", randomInputs(before, "main", 7));
  }
});

Deno.test("rows that come twice, or are clamped to the last, are looked up", () => {
  assertEquals(slices(looked(16, 0, 1)), []);
  assertEquals(slices(looked(16, 3, 1)), []);
});

Deno.test("one row per user is looked up as a row of one matrix, and means the same", () => {
  const text = ttnnModule("(%i: T<32x1, ui32>, %t: R<64x32>) -> T<32x1x32>", [
    '%0 = "ttnn.embedding"(%i, %t) : (T<32x1, ui32>, R<64x32>) -> T<32x1x32>',
    "return %0 : T<32x1x32>",
  ]);
  const lines = passedBody(text, lookUpAsOneMatrix);
  assertEquals(lines.flatMap((line) => /"ttnn.embedding".*-> (.*)/.exec(line)?.[1] ?? []), [
    "tensor<32x32xbf16>",
  ]);
  const before = parseModule(text, "before.mlir");
  const after = parseModule(passed(text, testedPass([lookUpAsOneMatrix])).text, "after.mlir");
  const [, table] = randomInputs(before, "main", 7);
  assert(table !== undefined);
  const rows = { shape: [32, 1], data: Float64Array.from({ length: 32 }, (_, user) => user * 7 % 64) };
  assertSameMeaning(before, after, "main", [rows, table]);
});
