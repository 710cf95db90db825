// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import {
  joinMasks,
  padAttentionHeads,
  transposeBehindSplit,
  transposeInSplit,
} from "./attention_operands.ts";

interface Scores {
  readonly batch: number;
  readonly heads: number;
  readonly rows: number;
  readonly keys: number;
  /** Whether the masks stand left of what they are added to. */
  readonly isLeft: boolean;
  /** What reads the masked scores. */
  readonly reader: "softmax" | "relu";
}

/** Scores with a bias per head and a mask per batch, as shifted windows have them. */
function masked({ batch, heads, rows, keys, isLeft, reader }: Scores): string {
  const scores = `T<${batch}x${heads}x${rows}x${keys}>`;
  const [query, key] = [`T<${batch}x${heads}x${rows}x2>`, `T<${batch}x${heads}x2x${keys}>`];
  const [bias, mask] = [`T<1x${heads}x${rows}x${keys}>`, `T<${batch}x1x${rows}x${keys}>`];
  const add = (name: string, to: string, what: string, type: string): string =>
    isLeft
      ? `${name} = "ttnn.add"(${what}, ${to}) : (${type}, ${scores}) -> ${scores}`
      : `${name} = "ttnn.add"(${to}, ${what}) : (${scores}, ${type}) -> ${scores}`;
  const properties = reader === "softmax" ? " <{dimension = 3 : si32}>" : "";
  return ttnnModule(`(%q: ${query}, %k: ${key}, %b: ${bias}, %m: ${mask}) -> ${scores}`, [
    `%0 = "ttnn.matmul"(%q, %k) <{transpose_a = false, transpose_b = false}> : (${query}, ${key}) -> ${scores}`,
    add("%1", "%0", "%b", bias),
    add("%2", "%1", "%m", mask),
    `%3 = "ttnn.${reader}"(%2)${properties} : (${scores}) -> ${scores}`,
    `return %3 : ${scores}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "masks added up before the scores",
  [joinMasks],
  fc.record({
    batch: extent,
    heads: extent,
    rows: extent,
    keys: extent,
    isLeft: fc.boolean(),
    reader: fc.constantFrom("softmax", "relu"),
  }).map((scores) => ({ text: masked(scores), ops: ["add"] })),
);

const SCORES: Scores = { batch: 4, heads: 3, rows: 49, keys: 49, isLeft: false, reader: "softmax" };

Deno.test("two masks are one in front of a softmax", () => {
  assertEquals(passedBody(masked(SCORES), joinMasks).slice(1, 3), [
    '%pass_0 = "ttnn.add"(%b, %m) : (tensor<1x3x49x49xbf16>, tensor<4x1x49x49xbf16>) -> tensor<4x3x49x49xbf16>',
    '%pass_1 = "ttnn.add"(%0, %pass_0) : (tensor<4x3x49x49xbf16>, tensor<4x3x49x49xbf16>) -> tensor<4x3x49x49xbf16>',
  ]);
});

Deno.test("a matmul without a norm of its sum keeps its addends separate", () => {
  const text = masked({ ...SCORES, reader: "relu" });
  assertEquals(passedBody(text, joinMasks).filter((line) => line.includes("(%0, %b)")).length, 1);
});

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

interface Split {
  readonly batch: number;
  readonly rows: number;
  readonly heads: number;
  /** Whether the split transposes the keys, instead of a transpose behind it. */
  readonly transposes: boolean;
}

function split({ batch, rows, heads, transposes }: Split): string {
  const input = `T<${batch}x${rows}x${96 * heads}>`;
  const upright = `T<${batch}x${heads}x${rows}x32>`;
  const transposed = `T<${batch}x${heads}x32x${rows}>`;
  return ttnnModule(`(%x: ${input}) -> (${upright}, ${transposed}, ${upright})`, [
    `%0:3 = "ttnn.split_query_key_value_and_split_heads"(%x) <{num_heads = ${heads} : ui32, transpose_key = ${transposes}}> : (${input}) -> (${upright}, ${
      transposes ? transposed : upright
    }, ${upright})`,
    ...(transposes ? [] : [
      `%1 = "ttnn.transpose"(%0#1) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (${upright}) -> ${transposed}`,
    ]),
    `return %0#0, ${transposes ? "%0#1" : "%1"}, %0#2 : ${upright}, ${transposed}, ${upright}`,
  ]);
}

const extents = {
  batch: fc.integer({ min: 1, max: 2 }),
  rows: fc.integer({ min: 2, max: 3 }),
  heads: fc.integer({ min: 1, max: 2 }),
};

keepsMeaning(
  "keys of a split that transposes them, transposed behind it",
  [transposeBehindSplit],
  fc.record(extents).map((given) => ({
    text: split({ ...given, transposes: true }),
    ops: ["split_query_key_value_and_split_heads", "transpose"],
  })),
);

keepsMeaning(
  "keys that are transposed behind a split, transposed in it",
  [transposeInSplit],
  fc.record(extents).map((given) => ({
    text: split({ ...given, transposes: false }),
    ops: ["split_query_key_value_and_split_heads", "!transpose"],
  })),
);
