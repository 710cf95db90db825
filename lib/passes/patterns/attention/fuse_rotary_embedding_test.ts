// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { graphQuestions } from "../../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseRotaryEmbedding } from "./fuse_rotary_embedding.ts";
import fc from "fast-check";

/** The rotation as models spell it; sums and products in either order. */
function rotation(shape: readonly number[], swapped: boolean, table: readonly number[]): string {
  const [batch = 1, heads = 1, rows = 1, size = 2] = shape;
  const whole = shape.join("x");
  const half = [batch, heads, rows, size / 2].join("x");
  const list = (values: readonly number[]): string =>
    `[${values.map((value) => `${value} : i32`).join(", ")}]`;
  const slice = (name: string, from: number): string =>
    `${name} = "ttnn.slice_static"(%x) <{begins = ${list([0, 0, 0, from])}, ends = ${
      list([batch, heads, rows, from + size / 2])
    }, ` +
    `step = ${list([1, 1, 1, 1])}}> : (T<${whole}>) -> T<${half}>`;
  const angle = table.join("x");
  const [left, right] = swapped ? ["%1", "%0"] : ["%0", "%1"];
  return ttnnModule(`(%x: T<${whole}>, %cos: T<${angle}>, %sin: T<${angle}>) -> T<${whole}>`, [
    swapped
      ? `%0 = "ttnn.multiply"(%cos, %x) : (T<${angle}>, T<${whole}>) -> T<${whole}>`
      : `%0 = "ttnn.multiply"(%x, %cos) : (T<${whole}>, T<${angle}>) -> T<${whole}>`,
    slice("%a", size / 2),
    `%b = "ttnn.neg"(%a) : (T<${half}>) -> T<${half}>`,
    slice("%c", 0),
    `%d = "ttnn.concat"(%b, %c) <{dim = 3 : si32}> : (T<${half}>, T<${half}>) -> T<${whole}>`,
    `%1 = "ttnn.multiply"(%d, %sin) : (T<${whole}>, T<${angle}>) -> T<${whole}>`,
    `%2 = "ttnn.add"(${left}, ${right}) : (T<${whole}>, T<${whole}>) -> T<${whole}>`,
    `return %2 : T<${whole}>`,
  ]);
}

const shapes = fc.tuple(
  fc.integer({ min: 1, max: 2 }),
  fc.integer({ min: 1, max: 3 }),
  fc.constantFrom(1, 2, 5, 32),
  fc.constantFrom(2, 4, 8),
);

keepsMeaning(
  "rotary embedding",
  [fuseRotaryEmbedding],
  fc.record({ shape: shapes, swapped: fc.boolean(), isPerUser: fc.boolean() }).map((
    { shape, swapped, isPerUser },
  ) => ({
    text: rotation(shape, swapped, [isPerUser ? shape[0] : 1, 1, shape[2], shape[3]]),
    ops: ["rotary_embedding", "!add", "!neg"],
  })),
);

Deno.test("rows that are not whole tiles are cut off behind the rotation", () => {
  assertEquals(
    passedBody(rotation([1, 8, 18, 64], false, [1, 1, 18, 64]), fuseRotaryEmbedding).slice(0, -1),
    [
      '%pass_0 = "ttnn.rotary_embedding"(%x, %cos, %sin) : (tensor<1x8x18x64xbf16>, tensor<1x1x18x64xbf16>, tensor<1x1x18x64xbf16>) -> tensor<1x8x32x64xbf16>',
      '%pass_1 = "ttnn.slice_static"(%pass_0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 18 : i32, 64 : i32], ' +
      "step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x8x32x64xbf16>) -> tensor<1x8x18x64xbf16>",
    ],
  );
});

Deno.test("one position is turned where the backend takes a row of angles for all rows", () => {
  const { isLegal } = graphQuestions(getDevice("n150"));
  const rotatedRows = (text: string): boolean =>
    passedBody(text, fuseRotaryEmbedding, undefined, { isLegal })
      .some((line) => /"ttnn.rotary_embedding".*token_index = 0 : ui32/.test(line));
  assertEquals(rotatedRows(rotation([1, 32, 1, 64], false, [1, 1, 1, 64])), true);
  // Halves of 20 are no whole tiles.
  assertEquals(rotatedRows(rotation([1, 32, 1, 40], false, [1, 1, 1, 40])), false);
});

Deno.test("angles per head are no table of positions", () => {
  const lines = passedBody(rotation([1, 8, 32, 64], false, [1, 8, 32, 64]), fuseRotaryEmbedding);
  assertEquals(lines.some((line) => line.includes("rotary_embedding")), false);
});

Deno.test("halves of two tensors are no rotation of either", () => {
  const text = rotation([1, 8, 32, 64], false, [1, 1, 32, 64])
    .replace(/(func\.func @main\(%x: )(.*?>)/, "$1$2, %y: $2")
    .replace('%c = "ttnn.slice_static"(%x)', '%c = "ttnn.slice_static"(%y)');
  const lines = passedBody(text, fuseRotaryEmbedding);
  assertEquals(lines.filter((line) => line.includes("(%y)")).length, 1);
  assertEquals(lines.some((line) => line.includes("rotary_embedding")), false);
});

Deno.test("the op model is queried with the token whose angles apply to all heads", () => {
  const asked: (bigint | undefined)[] = [];
  const lines = passedBody(rotation([32, 8, 1, 64], false, [1, 1, 1, 64]), fuseRotaryEmbedding, undefined, {
    isLegal: ({ attributes }) => {
      const token = attributes.get("token_index");
      asked.push(token?.kind === "integer" ? token.value : undefined);
      return true;
    },
  });
  assertEquals(new Set(asked), new Set([0n]));
  assertEquals(lines.some((line) => line.includes("token_index = 0 : ui32")), true);
});
