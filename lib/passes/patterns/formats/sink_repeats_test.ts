// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { sinkRepeats } from "./repeats.ts";

/** A tensor repeated, scaled by one number, squashed. */
function scaled(factors: readonly [number, number], scale: string): string {
  const to = `${2 * factors[0]}x${3 * factors[1]}`;
  const repeat = `#ttnn.shape<${factors.join("x")}>`;
  return ttnnModule(`(%x: T<2x3>, %s: T<${scale}>) -> T<${to}>`, [
    `%0 = "ttnn.repeat"(%x) <{repeat_dims = ${repeat}}> : (T<2x3>) -> T<${to}>`,
    `%1 = "ttnn.multiply"(%0, %s) : (T<${to}>, T<${scale}>) -> T<${to}>`,
    `%2 = "ttnn.tanh"(%1) : (T<${to}>) -> T<${to}>`,
    `return %2 : T<${to}>`,
  ]);
}

const factor = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "what is repeated is computed once",
  [sinkRepeats],
  fc.tuple(fc.tuple(factor, fc.integer({ min: 2, max: 3 })), fc.constantFrom("1x1", "1")).map(
    ([factors, scale]) => ({ text: scaled(factors, scale), ops: ["repeat", "multiply", "tanh"] }),
  ),
  20,
);

Deno.test("elementwise ops move in front of the repeat", () => {
  assertEquals(passedBody(scaled([2, 2], "1x1"), sinkRepeats).map((line) => /ttnn\.(\w+)/.exec(line)?.[1]), [
    "multiply",
    "tanh",
    "repeat",
    undefined,
  ]);
});

Deno.test("beside a tensor of the repeated shape the repeat stays", () => {
  const text = ttnnModule("(%x: T<1x3>, %y: T<4x3>) -> T<4x3>", [
    `%0 = "ttnn.repeat"(%x) <{repeat_dims = #ttnn.shape<4x1>}> : (T<1x3>) -> T<4x3>`,
    `%1 = "ttnn.add"(%0, %y) : (T<4x3>, T<4x3>) -> T<4x3>`,
    "return %1 : T<4x3>",
  ]);
  assertEquals(passedBody(text, sinkRepeats)[0]?.includes("ttnn.repeat"), true);
});
