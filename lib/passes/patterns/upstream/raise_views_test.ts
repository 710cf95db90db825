// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { raiseCommonReshape, raisePermuteToConstant, raiseReshapeAboveConcat } from "./raise_views.ts";

const PARAMETER = " {ttcore.argument_type = #ttcore.argument_type<parameter>}";

/** Frequencies times positions, turned so that positions are rows. */
function angles(frequencies: number, positions: number, role: string = PARAMETER): string {
  const [f, p, made] = [`T<1x${frequencies}x1>`, `T<1x1x${positions}>`, `T<1x${frequencies}x${positions}>`];
  const permuted = `T<1x${positions}x${frequencies}>`;
  return ttnnModule(`(%f: ${f}${role}, %p: ${p}) -> ${permuted}`, [
    `%0 = "ttnn.multiply"(%f, %p) : (${f}, ${p}) -> ${made}`,
    `%1 = "ttnn.permute"(%0) <{permutation = array<i64: 0, 2, 1>}> : (${made}) -> ${permuted}`,
    `return %1 : ${permuted}`,
  ]);
}

/** Cosine and sine of a tensor, in other shapes. */
function permutes(shapes: readonly [string, string]): string {
  const dims = (shape: string): string => shape.split("x").map((extent) => `${extent} : i32`).join(", ");
  return ttnnModule(`(%x: T<2x4>) -> (T<${shapes[0]}>, T<${shapes[1]}>)`, [
    '%c = "ttnn.cos"(%x) : (T<2x4>) -> T<2x4>',
    '%s = "ttnn.sin"(%x) : (T<2x4>) -> T<2x4>',
    '%n = "ttnn.neg"(%s) : (T<2x4>) -> T<2x4>',
    `%0 = "ttnn.reshape"(%c) <{shape = [${dims(shapes[0])}]}> : (T<2x4>) -> T<${shapes[0]}>`,
    `%1 = "ttnn.reshape"(%n) <{shape = [${dims(shapes[1])}]}> : (T<2x4>) -> T<${shapes[1]}>`,
    `return %0, %1 : T<${shapes[0]}>, T<${shapes[1]}>`,
  ]);
}

const extent = fc.integer({ min: 2, max: 4 });

keepsMeaning(
  "a permute above a product with a constant",
  [raisePermuteToConstant],
  fc.tuple(extent, extent).map(([f, p]) => ({ text: angles(f, p), ops: ["permute", "reshape"] })),
  10,
);

keepsMeaning(
  "one reshape above several branches",
  [raiseCommonReshape],
  fc.constantFrom("1x1x2x4", "1x8", "1x2x4").map((shape) => ({
    text: permutes([shape, shape]),
    ops: ["reshape"],
  })),
  6,
);

Deno.test("the constant is permuted, the variable operand only reshaped", () => {
  assertEquals(passedBody(angles(64, 17), raisePermuteToConstant).slice(0, -1), [
    '%pass_0 = "ttnn.permute"(%f) <{permutation = array<i64: 0, 2, 1>}> : (tensor<1x64x1xbf16>) -> tensor<1x1x64xbf16>',
    '%pass_1 = "ttnn.reshape"(%p) <{shape = [1 : i32, 17 : i32, 1 : i32]}> : (tensor<1x1x17xbf16>) -> tensor<1x17x1xbf16>',
    '%pass_2 = "ttnn.multiply"(%pass_0, %pass_1) : (tensor<1x1x64xbf16>, tensor<1x17x1xbf16>) -> tensor<1x17x64xbf16>',
  ]);
  assertEquals(passedBody(angles(64, 17, ""), raisePermuteToConstant).length, 3);
});

Deno.test("one reshape for all branches, or none", () => {
  const reshapes = (shapes: readonly [string, string]): number =>
    passedBody(permutes(shapes), raiseCommonReshape).filter((line) => line.includes("reshape")).length;
  assertEquals(reshapes(["1x1x2x4", "1x1x2x4"]), 1);
  assertEquals(reshapes(["1x1x2x4", "1x2x4"]), 2);
});

/** Reshaped tensors side by side, in another shape. */
function joined(dim: number, shape: string, to: string, isReshaped: boolean = true): string {
  const extents = shape.split("x").map(Number);
  const flat = extents.filter((extent) => extent !== 1).join("x");
  const whole = extents.with(dim, 2 * (extents[dim] ?? 1)).join("x");
  const dims = (of: string): string => of.split("x").map((extent) => `${extent} : i32`).join(", ");
  const source = isReshaped ? flat : shape;
  return ttnnModule(`(%x: T<${source}>, %y: T<${source}>) -> T<${to}>`, [
    ...["x", "y"].map((name) =>
      isReshaped
        ? `%${name}0 = "ttnn.reshape"(%${name}) <{shape = [${dims(shape)}]}> : (T<${flat}>) -> T<${shape}>`
        : `%${name}0 = "ttnn.neg"(%${name}) : (T<${shape}>) -> T<${shape}>`
    ),
    `%0 = "ttnn.concat"(%x0, %y0) <{dim = ${dim} : si32}> : (T<${shape}>, T<${shape}>) -> T<${whole}>`,
    `%1 = "ttnn.reshape"(%0) <{shape = [${dims(to)}]}> : (T<${whole}>) -> T<${to}>`,
    `return %1 : T<${to}>`,
  ]);
}

keepsMeaning(
  "a reshape above a concatenation",
  [raiseReshapeAboveConcat],
  fc.constantFrom(
    { text: joined(2, "1x1x4", "1x1x1x8"), ops: ["concat"] },
    { text: joined(1, "1x2x4", "1x4x1x4"), ops: ["concat"] },
    { text: joined(3, "2x1x1x4", "2x8"), ops: ["concat"] },
  ),
  6,
);

Deno.test("a reshape rises above a concatenation to reshapes alone, and moves extents of one alone", () => {
  const last = (text: string): string | undefined =>
    passedBody(text, raiseReshapeAboveConcat).at(-2)?.match(/ttnn\.(\w+)/)?.[1];
  assertEquals(last(joined(2, "1x1x4", "1x1x1x8")), "concat");
  assertEquals(last(joined(2, "1x1x4", "1x1x1x8", false)), "reshape");
  assertEquals(last(joined(1, "1x2x4", "1x16")), "reshape");
});
