// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { padInTiles } from "./pad_in_tiles.ts";

function padded([rows, columns]: readonly [number, number], more: number): string {
  const [from, to] = [`${rows}x${columns}`, `${rows}x${columns + more}`];
  return ttnnModule(`(%x: T<${from}>) -> T<${to}>`, [
    `%0 = "ttnn.to_layout"(%x) : (T<${from}>) -> R<${from}>`,
    `%1 = "ttnn.pad"(%0) <{padding = array<i32: 0, 0, 0, ${more}>, use_multicore = true, value = 2.000000e+00 : f32}> : (R<${from}>) -> R<${to}>`,
    `%2 = "ttnn.to_layout"(%1) : (R<${to}>) -> T<${to}>`,
    `return %2 : T<${to}>`,
  ]);
}

const extent = fc.integer({ min: 1, max: 5 });

keepsMeaning(
  "pads in tiles",
  [padInTiles],
  fc.record({ shape: fc.tuple(extent, extent), more: extent }).map(({ shape, more }) => ({
    text: padded(shape, more),
    ops: ["pad", "!to_layout"],
  })),
  10,
);

Deno.test("without the op model's leave the pages change as written", () => {
  const lines = passedBody(padded([4, 4], 2), padInTiles, undefined, { isLegal: () => false });
  assertEquals(lines.length, 4);
});
