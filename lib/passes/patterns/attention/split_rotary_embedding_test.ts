// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { graphQuestions } from "../../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { splitRotaryEmbedding } from "./split_rotary_embedding.ts";

type Shape = readonly [batch: number, heads: number, rows: number, size: number];

/** A rotation, whose rows the kernel fills up to a tile, with angles of each user or of all. */
function rotation(shape: Shape, isPerUser: boolean): string {
  const [batch, heads, rows, size] = shape;
  const padded = Math.ceil(rows / 32) * 32;
  const [whole, made, table] = [
    shape,
    [batch, heads, padded, size],
    [isPerUser ? batch : 1, 1, rows, size],
  ].map((extents) => `T<${extents.join("x")}>`);
  const list = (values: readonly number[]): string =>
    `[${values.map((value) => `${value} : i32`).join(", ")}]`;
  const rotary = `"ttnn.rotary_embedding"(%x, %cos, %sin) : (${whole}, ${table}, ${table}) -> ${made}`;
  return ttnnModule(`(%x: ${whole}, %cos: ${table}, %sin: ${table}) -> ${whole}`, [
    `%0 = ${rotary}`,
    ...(padded === rows ? [] : [
      `%1 = "ttnn.slice_static"(%0) <{begins = ${list([0, 0, 0, 0])}, ends = ${list(shape)}, step = ${
        list([1, 1, 1, 1])
      }}> : (${made}) -> ${whole}`,
    ]),
    `return ${padded === rows ? "%0" : "%1"} : ${whole}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "spelled out rotary embedding",
  [splitRotaryEmbedding],
  fc.record({
    shape: fc.tuple(extent, extent, fc.constantFrom(1, 5, 32), fc.constantFrom(2, 4, 8)),
    isPerUser: fc.boolean(),
  }).map(({ shape, isPerUser }) => ({
    text: rotation(shape, isPerUser),
    ops: ["add", "neg", "concat", "!rotary_embedding"],
  })),
  40,
  { isLegal: () => false },
);

Deno.test("a rotation is spelled out where angles are of each user, which the kernel does not take", () => {
  const { isLegal } = graphQuestions(getDevice("n150"));
  const isSpelled = (shape: Shape, isPerUser: boolean): boolean =>
    passedBody(rotation(shape, isPerUser), splitRotaryEmbedding, undefined, { isLegal })
      .some((line) => line.includes('"ttnn.neg"'));
  assertEquals(isSpelled([32, 12, 1, 128], true), true);
  assertEquals(isSpelled([1, 12, 32, 128], false), false);
});
