// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { commonSubexpressions } from "./common_subexpressions.ts";
import { passedBody, ttnnModule } from "./testing/passed_body.ts";

function opsOf(lines: readonly string[], type: string = "T<32x64>"): readonly (string | undefined)[] {
  const text = ttnnModule(`(%x: ${type}, %y: ${type}) -> ${type}`, lines);
  return passedBody(text, commonSubexpressions).map((line) => /"ttnn\.\w+"\(.*?\)/.exec(line)?.[0]);
}

Deno.test("equal ops are merged, and then their equal readers", () => {
  const neg = (name: string) => `%${name} = "ttnn.neg"(%x) : (T<32x64>) -> T<32x64>`;
  const exp = (name: string, of: string) => `%${name} = "ttnn.exp"(%${of}) : (T<32x64>) -> T<32x64>`;
  assertEquals(
    opsOf([
      neg("0"),
      neg("1"),
      exp("2", "0"),
      exp("3", "1"),
      '%4 = "ttnn.add"(%2, %3) : (T<32x64>, T<32x64>) -> T<32x64>',
      "return %4 : T<32x64>",
    ]),
    ['"ttnn.neg"(%x)', '"ttnn.exp"(%0)', '"ttnn.add"(%2, %2)', undefined],
  );
});

Deno.test("other properties, random numbers, and caches that are written between, are not the same", () => {
  const sum = (name: string, keep: boolean) =>
    `%${name} = "ttnn.relu"(%x) <{k = ${keep}}> : (T<32x64>) -> T<32x64>`;
  const add = '%4 = "ttnn.add"(%0, %1) : (T<32x64>, T<32x64>) -> T<32x64>';
  assertEquals(opsOf([sum("0", true), sum("1", false), add, "return %4 : T<32x64>"]).length, 4);
  const drop = (name: string) => `%${name} = "ttnn.dropout"(%x) : (T<32x64>) -> T<32x64>`;
  assertEquals(opsOf([drop("0"), drop("1"), add, "return %4 : T<32x64>"]).length, 4);
  const cache = "T<1x1x32x64>";
  assertEquals(
    opsOf([
      `%0 = "ttnn.neg"(%x) : (${cache}) -> ${cache}`,
      `"ttnn.fill_cache"(%x, %y) <{batch_offset = 0 : i32}> : (${cache}, ${cache}) -> ()`,
      `%1 = "ttnn.neg"(%x) : (${cache}) -> ${cache}`,
      `%4 = "ttnn.add"(%0, %1) : (${cache}, ${cache}) -> ${cache}`,
      `return %4 : ${cache}`,
    ], cache).length,
    5,
  );
});

Deno.test("constants whose numbers are left out are not the same", () => {
  const constant = (name: string, value: string) =>
    `%${name} = "ttnn.constant"() <{value = ${value} : tensor<32x64xbf16>}> : () -> T<32x64>`;
  const add = '%4 = "ttnn.add"(%0, %1) : (T<32x64>, T<32x64>) -> T<32x64>';
  const count = (value: string) =>
    opsOf([constant("0", value), constant("1", value), add, "return %4 : T<32x64>"]).length;
  assertEquals([count("dense_resource<__elided__>"), count("dense_resource<w>")], [4, 3]);
});

Deno.test("other attributes, and other results, are not the same", () => {
  const add = '%4 = "ttnn.add"(%0, %1) : (T<32x64>, T<32x64>) -> T<32x64>';
  const relu = (name: string, attributes: string) =>
    `%${name} = "ttnn.relu"(%x) <{p = 1 : i32}> ${attributes}: (T<32x64>) -> T<32x64>`;
  const last = "return %4 : T<32x64>";
  assertEquals(opsOf([relu("0", ""), relu("1", "{ttcore.k = 1 : i32} "), add, last]).length, 4);
  assertEquals(
    opsOf([relu("0", "{ttcore.k = 1 : i32} "), relu("1", "{ttcore.k = 2 : i32} "), add, last]).length,
    4,
  );
  assertEquals(
    opsOf([relu("0", "{ttcore.k = 1 : i32} "), relu("1", "{ttcore.k = 1 : i32} "), add, last]).length,
    3,
  );
});
