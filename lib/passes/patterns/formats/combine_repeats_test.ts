// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { combineRepeats } from "./repeats.ts";

/** A mask repeated, cast, repeated again. */
function repeated(first: readonly [number, number], second: readonly [number, number]): string {
  const [a, b] = [`${first[0]}x${2 * first[1]}`, `${first[0] * second[0]}x${2 * first[1] * second[1]}`];
  return ttnnModule(`(%x: T<1x2>) -> T<${b}, f32>`, [
    `%0 = "ttnn.repeat"(%x) <{repeat_dims = #ttnn.shape<${first.join("x")}>}> : (T<1x2>) -> T<${a}>`,
    `%1 = "ttnn.typecast"(%0) : (T<${a}>) -> T<${a}, f32>`,
    `%2 = "ttnn.repeat"(%1) <{repeat_dims = #ttnn.shape<${
      second.join("x")
    }>}> : (T<${a}, f32>) -> T<${b}, f32>`,
    `return %2 : T<${b}, f32>`,
  ]);
}

const factor = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "repeats of repeats",
  [combineRepeats],
  fc.tuple(fc.tuple(factor, factor), fc.tuple(factor, factor)).map(([first, second]) => ({
    text: repeated(first, second),
    ops: ["typecast"],
  })),
  20,
);

Deno.test("a value is cast before it is repeated", () => {
  assertEquals(passedBody(repeated([4, 2], [2, 1]), combineRepeats).slice(0, -1), [
    '%pass_0 = "ttnn.typecast"(%x) : (tensor<1x2xbf16>) -> tensor<1x2xf32>',
    '%pass_1 = "ttnn.repeat"(%pass_0) <{repeat_dims = #ttnn.shape<8x2>}> : (tensor<1x2xf32>) -> tensor<8x4xf32>',
  ]);
});
