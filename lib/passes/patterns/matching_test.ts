// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { constantOf } from "./matching.ts";

/** The constant that the operand of a `relu` is known to be, a number converted to an element type. */
function constantIn(number: string, from: string, to: string): number | undefined {
  const found: (number | undefined)[] = [];
  const asks: RewritePattern = {
    name: "asks",
    upstream: "none",
    roots: ["ttnn.relu"],
    rewrite: (op, _, context) => {
      found.push(constantOf(op.operands[0], context));
      return false;
    },
  };
  passedBody(
    ttnnModule(`() -> T<32x32, ${to}>`, [
      `%n = "ttnn.full"() <{fill_value = ${number} : f32, shape = #ttnn.shape<32x32>}> : () -> T<32x32, ${from}>`,
      `%c = "ttnn.typecast"(%n) : (T<32x32, ${from}>) -> T<32x32, ${to}>`,
      `%r = "ttnn.relu"(%c) : (T<32x32, ${to}>) -> T<32x32, ${to}>`,
      `return %r : T<32x32, ${to}>`,
    ]),
    asks,
  );
  return found[0];
}

Deno.test("constantOf() knows a number through conversions, but no fraction that integers do not hold", () => {
  assertEquals(constantIn("2.5", "f32", "bf16"), 2.5);
  assertEquals(constantIn("3.0", "f32", "si32"), 3);
  assertEquals(constantIn("2.5", "f32", "si32"), undefined);
  assertEquals(constantIn("2.5", "si32", "f32"), undefined);
});
