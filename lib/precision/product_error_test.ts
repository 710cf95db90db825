// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { DataType } from "../layout/data_type.ts";
import { multiply } from "./fidelity.ts";
import { packRow, toBf16 } from "./number_formats.ts";
import { conversionError, correlation, productError, relativeL2 } from "./product_error.ts";

const finite = fc.float({
  noNaN: true,
  noDefaultInfinity: true,
  min: Math.fround(-1e30),
  max: Math.fround(1e30),
});
const row = fc.array(finite, { minLength: 16, maxLength: 16 });

Deno.test("bf16 keeps eight bits, ties to even", () => {
  assertEquals([1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -8 + 2 ** -20].map(toBf16), [
    1,
    1 + 2 ** -6,
    1 + 2 ** -7,
  ]);
  assertEquals([0, -0, -1.5, 3.5].map(toBf16), [0, -0, -1.5, 3.5]);
});

Deno.test("elements of a row share the largest exponent, as the packers hold them", () => {
  // By hand, of tt-metal:blockfloat: 1.0 in units of 2^-6 and smaller elements to the nearest, ties to even.
  assertEquals(packRow([1, 0.0078125, 0.0234375, 1.99609375, -0.5], "bfp_bf8", "host"), [
    1,
    0,
    0.03125,
    1.984375,
    -0.5,
  ]);
  // Away from zero on the device, which then drops bits for narrower formats.
  assertEquals(packRow([1, 0.0078125, -0.0234375], "bfp_bf8", "device"), [1, 0.015625, -0.03125]);
  assertEquals(packRow([1, 0.49, -0.26, 0.2], "bfp_bf4", "host"), [1, 0.5, -0.25, 0.25]);
  assertEquals(packRow([1, 0.49, -0.26, 0.2], "bfp_bf4", "device"), [1, 0.25, -0.25, 0]);
});

Deno.test("packed values stay as they are when they are packed again, and are near what they were", () => {
  fc.assert(fc.property(row, fc.constantFrom<DataType>("bfp_bf8", "bfp_bf4"), (values, format) => {
    const held = packRow(values, format, "host");
    assertEquals(packRow(held, format, "host"), held);
    const largest = Math.max(...values.map(Math.abs));
    const unit = largest * (format === "bfp_bf8" ? 2 ** -6 : 2 ** -2);
    held.forEach((value, index) => assert(Math.abs(value - (values[index] ?? 0)) <= unit));
  }));
});

Deno.test("each fidelity reads more of both operands than the one before", () => {
  const phases = (a: number, b: number) =>
    (["lofi", "hifi2", "hifi3", "hifi4"] as const).map((fidelity) =>
      multiply(a, b, ["bf16", "bf16"], fidelity)
    );
  // Operand 0 is read to six fraction bits first, operand 1 to four.
  assertEquals(phases(1 + 2 ** -7, 1), [1, 1, 1 + 2 ** -7, 1 + 2 ** -7]);
  assertEquals(phases(1, 1 + 2 ** -5), [1, 1 + 2 ** -5, 1 + 2 ** -5, 1 + 2 ** -5]);
  fc.assert(fc.property(finite, finite, (a, b) => {
    const [x, y] = [toBf16(a), toBf16(b)];
    const products = phases(x, y).map(Math.abs);
    assertEquals(products, products.toSorted((one, other) => one - other));
    assertEquals(products.at(-1), Math.abs(x * y));
  }));
});

Deno.test("formats that need fewer phases lose nothing to the others", () => {
  const loses = (formats: readonly [DataType, DataType], fidelity: "lofi" | "hifi2") =>
    relativeL2(productError({ formats, fidelity }, [undefined, undefined]));
  assertEquals(loses(["bfp_bf8", "bfp_bf4"], "lofi"), 0);
  assertEquals(loses(["bfp_bf8", "bfp_bf8"], "hifi2"), 0);
  assert(loses(["bf16", "bf16"], "hifi2") > 0.002);
});

Deno.test("errors of long sums are those that were published", () => {
  const host = ["host", "host"] as const;
  const error = (b: DataType, fidelity: "lofi" | "hifi2" | "hifi4") =>
    productError({ formats: ["bf16", b], fidelity }, host);
  // Emulations of 4,096 terms, in per cent.
  const of16 = (["lofi", "hifi2", "hifi4"] as const).map((fidelity) =>
    100 * relativeL2(error("bf16", fidelity))
  );
  [2.61, 0.47, 0.24].forEach((expected, index) => assertAlmostEquals(of16[index] ?? 0, expected, 0.015));
  assertAlmostEquals(1 + error("bf16", "lofi").bias, 0.978, 0.001);
  assertAlmostEquals(100 * relativeL2(error("bfp_bf8", "hifi4")), 0.8, 0.06);
  // Measured on a board for weights in bfp4 at LoFi and at HiFi2 (tt-mlir:weight-dtype).
  for (const fidelity of ["lofi", "hifi2"] as const) {
    assertAlmostEquals(correlation(error("bfp_bf4", fidelity)), 0.9931, 0.0003);
  }
  // Packed by the device bfp4 is a truncation, with twice the error.
  const device = productError({ formats: ["bf16", "bfp_bf4"], fidelity: "lofi" }, ["host", "device"]);
  assertAlmostEquals(100 * relativeL2(device), 21.3, 0.3);
  assert(conversionError("bfp_bf4", "device").bias < -0.1);
});
