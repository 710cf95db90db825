// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { castInToLayout } from "./cast_in_to_layout.ts";

/** Rows that become tiles and then another type; `isRead` twice as tiles. */
function cast(to: string, isRead: boolean = false): string {
  const result = `T<4x32, ${to}>`;
  return ttnnModule(`(%x: R<4x32>) -> ${isRead ? `(${result}, T<4x32>)` : result}`, [
    '%0 = "ttnn.to_layout"(%x) : (R<4x32>) -> T<4x32>',
    `%1 = "ttnn.typecast"(%0) : (T<4x32>) -> ${result}`,
    isRead ? `return %1, %0 : ${result}, T<4x32>` : `return %1 : ${result}`,
  ]);
}

keepsMeaning(
  "a cast while tilizing",
  [castInToLayout],
  fc.constant({ text: cast("f32"), ops: ["to_layout", "!typecast"] }),
  3,
);

Deno.test("floats are cast while they are tilized, unless the tiles are read as they were or become integers", () => {
  assertEquals(passedBody(cast("f32"), castInToLayout), [
    '%pass_0 = "ttnn.to_layout"(%x) : (tensor<4x32xbf16>) -> tensor<4x32xf32>',
    "return %pass_0 : tensor<4x32xf32>",
  ]);
  assertEquals(passedBody(cast("f32", true), castInToLayout).length, 3);
  assertEquals(passedBody(cast("ui32"), castInToLayout).length, 3);
  assertEquals(passedBody(cast("f32"), castInToLayout, undefined, { isLegal: () => false }).length, 3);
});
