// SPDX-License-Identifier: Apache-2.0

/** Constants of formulas: taken for a number where no nearer one exists in their element type. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { DataType } from "../../../layout/data_type.ts";
import { roundedTo } from "../../../layout/float_rounding.ts";
import { DEFAULT_PASS_OPTIONS, type PassSelection } from "../../pass_options.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseFunction } from "./fuse_function.ts";
import { fuseMean } from "./canonical_formulas.ts";

type Float = Extract<DataType, "f32" | "bf16">;

const DEVICE =
  '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device';

const full = (name: string, value: number, type: string, extents: string): string =>
  `%${name} = "ttnn.full"(%d) <{fill_value = ${
    value.toExponential(17)
  } : f32, shape = #ttnn.shape<${extents}>}> : ` +
  `(!ttnn.device) -> ${type}`;

/** Whether a sum over so many elements, times or by a constant of its type, becomes a mean. */
function isMean(count: number, constant: number, isQuotient: boolean, type: Float, selection: PassSelection) {
  const [x, y] = [`T<4x${count}, ${type}>`, `T<4x1, ${type}>`];
  const lines = passedBody(
    ttnnModule(`(%x: ${x}) -> ${y}`, [
      DEVICE,
      full("c", constant, y, "4x1"),
      `%0 = "ttnn.sum"(%x) <{dim_arg = [1 : i32], keep_dim = true}> : (${x}) -> ${y}`,
      `%1 = "ttnn.${isQuotient ? "divide" : "multiply"}"(%0, %c) : (${y}, ${y}) -> ${y}`,
      `return %1 : ${y}`,
    ]),
    fuseMean,
    { ...DEFAULT_PASS_OPTIONS, selection },
  );
  return lines.some((line) => line.includes('"ttnn.mean"'));
}

const type = fc.constantFrom<Float>("f32", "bf16");

Deno.test("a sum by its count, or times its reciprocal as the type holds it, is a mean", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 1000 }), type, fc.boolean(), (count, element, isQuotient) => {
      const constant = roundedTo(isQuotient ? count : 1 / count, element);
      assertEquals(isMean(count, constant, isQuotient, element, "all"), true);
    }),
    { numRuns: 100 },
  );
});

Deno.test("in f32 no other count replaces it, except for upstream's graph", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 4000 }),
      fc.constantFrom(-2, -1, 1, 2),
      fc.boolean(),
      (count, off, isQuotient) => {
        const other = count + off;
        if (other < 1) return;
        const constant = Math.fround(isQuotient ? other : 1 / other);
        assertEquals(isMean(count, constant, isQuotient, "f32", "all"), false);
        const isClose = Math.abs((isQuotient ? constant : 1 / constant) / count - 1) < 2 ** -8.1;
        if (isClose) assertEquals(isMean(count, constant, isQuotient, "f32", "upstream"), true);
      },
    ),
    { numRuns: 100 },
  );
});

/** Whether `0.5 x (1 + erf(c x))` is a gelu. */
function isGelu(constant: number, element: Float): boolean {
  const t = `T<4x8, ${element}>`;
  const lines = passedBody(
    ttnnModule(`(%x: ${t}) -> ${t}`, [
      DEVICE,
      full("c", constant, t, "4x8"),
      full("h", 0.5, t, "4x8"),
      full("o", 1, t, "4x8"),
      `%0 = "ttnn.multiply"(%x, %c) : (${t}, ${t}) -> ${t}`,
      `%1 = "ttnn.erf"(%0) : (${t}) -> ${t}`,
      `%2 = "ttnn.add"(%1, %o) : (${t}, ${t}) -> ${t}`,
      `%3 = "ttnn.multiply"(%x, %h) : (${t}, ${t}) -> ${t}`,
      `%4 = "ttnn.multiply"(%3, %2) : (${t}, ${t}) -> ${t}`,
      `return %4 : ${t}`,
    ]),
    fuseFunction,
  );
  return lines.some((line) => line.includes('"ttnn.gelu"'));
}

Deno.test("the root in gelu is that of its type", () => {
  for (const element of ["f32", "bf16"] as const) {
    assertEquals(isGelu(roundedTo(Math.SQRT1_2, element), element), true, element);
  }
  // What bf16 holds is no root in f32.
  assertEquals(isGelu(roundedTo(Math.SQRT1_2, "bf16"), "f32"), false);
  assertEquals(isGelu(Math.fround(0.7072), "f32"), false);
});
