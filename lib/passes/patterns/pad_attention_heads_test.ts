// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { padAttentionHeads } from "./pad_attention_heads.ts";

/** Attention of two heads over eight positions. */
function attention(size: number, scale: string | undefined): string {
  const type = `T<1x2x8x${size}>`;
  const properties = [
    "is_causal = true",
    "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>",
    ...(scale === undefined ? [] : [`scale = ${scale} : f32`]),
  ];
  return ttnnModule(`(%q: ${type}, %k: ${type}, %v: ${type}) -> ${type}`, [
    `%0 = "ttnn.scaled_dot_product_attention"(%q, %k, %v) <{${
      properties.join(", ")
    }}> : (${type}, ${type}, ${type}) -> ${type}`,
    `return %0 : ${type}`,
  ]);
}

keepsMeaning(
  "heads of whole tiles",
  [padAttentionHeads],
  // Scales are written in f32: exact for squares.
  fc.oneof(
    fc.record({ size: fc.integer({ min: 1, max: 40 }), scale: fc.constant("2.500000e-01") }),
    fc.record({ size: fc.constantFrom(1, 4, 16), scale: fc.constant(undefined) }),
  ).map(({ size, scale }) => ({
    text: attention(size, scale),
    ops: size === 32 ? ["!pad"] : ["pad", "slice_static"],
  })),
  8,
);

Deno.test("the scale stays that of the real size", () => {
  const lines = passedBody(attention(16, undefined), padAttentionHeads);
  assertEquals(lines.length, 6);
  assertStringIncludes(lines[3] ?? "", "scale = 2.500000e-01 : f32");
  assertStringIncludes(lines[3] ?? "", "tensor<1x2x8x32xbf16>) -> tensor<1x2x8x32xbf16>");
});
