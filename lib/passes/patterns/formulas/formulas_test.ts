// SPDX-License-Identifier: Apache-2.0

/** Tests of the patterns that find an op behind its formula. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning, type PassCase } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseLinear } from "./fuse_linear.ts";
import { fuseMean } from "./canonical_formulas.ts";
import { fuseFunction } from "./fuse_function.ts";
import { fuseRmsNorm, fuseRmsNormOfRow } from "./fuse_rms_norm.ts";
import { fuseSoftmax } from "./softmax.ts";

const DEVICE =
  '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device';

/** A tensor of one number. */
function number(name: string, value: number, type: string): string {
  const shape = /<([\dx]+)/.exec(type)?.[1] ?? "1";
  return `%${name} = "ttnn.full"(%d) <{fill_value = ${
    value.toExponential(17)
  } : f32, shape = #ttnn.shape<${shape}>}> : (!ttnn.device) -> ${type}`;
}

/** Both orders of two operands. */
const order = fc.boolean();
const pair = (swapped: boolean, a: string, b: string): string => swapped ? `${b}, ${a}` : `${a}, ${b}`;
const names = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /ttnn\.(\w+)/.exec(line)?.[1] ?? []).filter((name) =>
    name !== "get_device" && name !== "full"
  );

function activations(swapped: boolean, bound: number, isGateRead: boolean): string {
  const t = "T<2x3x4>";
  return ttnnModule(`(%x: ${t}) -> ${isGateRead ? `(${t}, ${t})` : t}`, [
    DEVICE,
    number("z", bound, t),
    `%0 = "ttnn.maximum"(${pair(swapped, "%x", "%z")}) : (${t}, ${t}) -> ${t}`,
    `%1 = "ttnn.sigmoid"(%0) : (${t}) -> ${t}`,
    `%2 = "ttnn.multiply"(${pair(swapped, "%0", "%1")}) : (${t}, ${t}) -> ${t}`,
    isGateRead ? `return %2, %1 : ${t}, ${t}` : `return %2 : ${t}`,
  ]);
}

keepsMeaning(
  "relu and silu",
  [fuseFunction],
  order.map((swapped): PassCase => ({
    text: activations(swapped, 0, false),
    ops: ["relu", "silu", "!maximum", "!sigmoid"],
  })),
  4,
);

Deno.test("a maximum that is not with zero and a gate that something else reads stay", () => {
  assertEquals(names(passedBody(activations(false, 1, false), fuseFunction)), ["maximum", "silu"]);
  assertEquals(names(passedBody(activations(false, 0, true), fuseFunction)), ["relu", "sigmoid", "multiply"]);
});

/** A gate that is rounded, and a product that is widened on the way. */
function widenedGate(swapped: boolean, narrow: string, isProductRead: boolean): string {
  const [x, wide] = [`T<2x3x4, ${narrow}>`, "T<2x3x4, f32>"];
  return ttnnModule(`(%x: ${x}) -> ${isProductRead ? `(${x}, ${wide})` : x}`, [
    `%0 = "ttnn.typecast"(%x) : (${x}) -> ${wide}`,
    `%1 = "ttnn.sigmoid"(%x) : (${x}) -> ${x}`,
    `%2 = "ttnn.typecast"(%1) : (${x}) -> ${wide}`,
    `%3 = "ttnn.multiply"(${pair(swapped, "%0", "%2")}) : (${wide}, ${wide}) -> ${wide}`,
    `%4 = "ttnn.typecast"(%3) : (${wide}) -> ${x}`,
    isProductRead ? `return %4, %3 : ${x}, ${wide}` : `return %4 : ${x}`,
  ]);
}

Deno.test("silu is found where its product is widened, and only narrowed again", () => {
  for (const swapped of [false, true]) {
    assertEquals(names(passedBody(widenedGate(swapped, "bf16", false), fuseFunction)), ["silu"]);
  }
  const kept = ["typecast", "sigmoid", "typecast", "multiply", "typecast"];
  assertEquals(names(passedBody(widenedGate(false, "bf16", true), fuseFunction)), [
    "typecast",
    "silu",
    "typecast",
  ]);
  assertEquals(names(passedBody(widenedGate(false, "si32", false), fuseFunction)), kept);
});

interface Average {
  readonly isQuotient: boolean;
  readonly keepsDim: boolean;
  readonly reshaped: boolean;
  readonly swapped: boolean;
  /** What the number is off by. */
  readonly error: number;
}

function average({ isQuotient, keepsDim, reshaped, swapped, error }: Average): string {
  const [from, kept, flat] = ["T<2x3x4, f32>", "T<2x3x1, f32>", "T<2x3, f32>"];
  const summed = keepsDim ? kept : flat;
  const to = reshaped ? (keepsDim ? flat : kept) : summed;
  const dims = to === kept ? "2 : i32, 3 : i32, 1 : i32" : "2 : i32, 3 : i32";
  const total = reshaped ? "%1" : "%0";
  const factor = error * (isQuotient ? 4 : 1 / 4);
  return ttnnModule(`(%x: ${from}) -> ${to}`, [
    DEVICE,
    number("n", factor, to),
    `%0 = "ttnn.sum"(%x) <{dim_arg = [2 : i32], keep_dim = ${keepsDim}}> : (${from}) -> ${summed}`,
    ...reshaped ? [`%1 = "ttnn.reshape"(%0) <{shape = [${dims}]}> : (${summed}) -> ${to}`] : [],
    isQuotient
      ? `%2 = "ttnn.divide"(${total}, %n) : (${to}, ${to}) -> ${to}`
      : `%2 = "ttnn.multiply"(${pair(swapped, total, "%n")}) : (${to}, ${to}) -> ${to}`,
    `return %2 : ${to}`,
  ]);
}

keepsMeaning(
  "means",
  [fuseMean],
  fc.record({ isQuotient: order, keepsDim: order, reshaped: order, swapped: order }).map((
    given,
  ): PassCase => ({
    text: average({ ...given, error: 1 }),
    ops: ["mean", "!sum", "!multiply", "!divide"],
  })),
  16,
);

Deno.test("a sum is a mean only when the factor is one over the count", () => {
  const text = average({ isQuotient: false, keepsDim: true, reshaped: false, swapped: false, error: 1.02 });
  assertEquals(names(passedBody(text, fuseMean)), ["sum", "multiply"]);
});

/** `exp / sum`, `dim` of the maximum that is subtracted before. */
function softmax(dim: number, maximumOver: number | undefined): string {
  const shape = [2, 3, 4];
  const t = "T<2x3x4, f32>";
  const over = (at: number): string => `T<${shape.with(at, 1).join("x")}, f32>`;
  const reduced = (name: string, value: string, to: string, at: number): string =>
    `%${to} = "ttnn.${name}"(${value}) <{dim_arg = [${at} : i32], keep_dim = true}> : (${t}) -> ${over(at)}`;
  return ttnnModule(`(%x: ${t}) -> ${t}`, [
    ...maximumOver === undefined ? [] : [
      reduced("max", "%x", "m", maximumOver),
      `%s = "ttnn.subtract"(%x, %m) : (${t}, ${over(maximumOver)}) -> ${t}`,
    ],
    `%e = "ttnn.exp"(${maximumOver === undefined ? "%x" : "%s"}) : (${t}) -> ${t}`,
    reduced("sum", "%e", "t", dim),
    `%0 = "ttnn.divide"(%e, %t) : (${t}, ${over(dim)}) -> ${t}`,
    `return %0 : ${t}`,
  ]);
}

keepsMeaning(
  "softmax",
  [fuseSoftmax],
  fc.record({ dim: fc.integer({ min: 0, max: 2 }), isStable: order }).map(({ dim, isStable }): PassCase => ({
    text: softmax(dim, isStable ? dim : undefined),
    ops: isStable ? ["softmax", "!exp", "!max", "!subtract"] : ["softmax", "!exp"],
  })),
  12,
);

Deno.test("softmax is stable when the maximum over its own dimension is subtracted", () => {
  const isStable = (text: string): string | undefined =>
    passedBody(text, fuseSoftmax).find((line) => line.includes("softmax"))?.match(/numericStable = (\w+)/)
      ?.[1];
  assertEquals([isStable(softmax(2, 2)), isStable(softmax(2, 1)), isStable(softmax(1, undefined))], [
    "true",
    "false",
    "false",
  ]);
});

interface Norm {
  readonly isWide: boolean;
  readonly isPower: boolean;
  readonly swapped: boolean;
  /** The weight in rank one, that reshaped to broadcast, or given so. */
  readonly weight: "row" | "reshaped" | "broadcast";
}

function rmsNorm({ isWide, isPower, swapped, weight }: Norm): string {
  const [narrow, wide, kept] = [
    "T<2x3x4>",
    isWide ? "T<2x3x4, f32>" : "T<2x3x4>",
    isWide ? "T<2x3x1, f32>" : "T<2x3x1>",
  ];
  const row = weight === "row" ? "T<4>" : "T<1x1x4>";
  const isReshaped = weight === "reshaped";
  return ttnnModule(`(%x: ${narrow}, %w: ${isReshaped ? "T<4>" : row}) -> ${narrow}`, [
    DEVICE,
    number("eps", 0.5, kept),
    ...isWide ? [`%c = "ttnn.typecast"(%x) : (${narrow}) -> ${wide}`] : [],
    ...isReshaped
      ? [`%r = "ttnn.reshape"(%w) <{shape = [1 : i32, 1 : i32, 4 : i32]}> : (T<4>) -> ${row}`]
      : [],
    isPower
      ? `%0 = "ttnn.pow_scalar"(${isWide ? "%c" : "%x"}) <{rhs = 2.000000e+00 : f32}> : (${wide}) -> ${wide}`
      : `%0 = "ttnn.multiply"(${isWide ? "%c, %c" : "%x, %x"}) : (${wide}, ${wide}) -> ${wide}`,
    `%1 = "ttnn.mean"(%0) <{dim_arg = [2 : i32], keep_dim = true}> : (${wide}) -> ${kept}`,
    `%2 = "ttnn.add"(${pair(swapped, "%1", "%eps")}) : (${kept}, ${kept}) -> ${kept}`,
    `%3 = "ttnn.rsqrt"(%2) : (${kept}) -> ${kept}`,
    `%4 = "ttnn.multiply"(${isWide ? "%c" : "%x"}, %3) : (${wide}, ${kept}) -> ${wide}`,
    ...isWide ? [`%5 = "ttnn.typecast"(%4) : (${wide}) -> ${narrow}`] : [],
    `%6 = "ttnn.multiply"(${pair(swapped, isReshaped ? "%r" : "%w", isWide ? "%5" : "%4")}) : (${
      pair(swapped, row, narrow)
    }) -> ${narrow}`,
    `return %6 : ${narrow}`,
  ]);
}

keepsMeaning(
  "rms_norm",
  [fuseRmsNorm],
  fc.record({
    isWide: order,
    isPower: order,
    swapped: order,
    weight: fc.constantFrom("row" as const, "reshaped" as const),
  }).map((given): PassCase => ({
    text: rmsNorm(given),
    ops: ["rms_norm", "!rsqrt", "!mean", "!typecast"],
  })),
  16,
);

/** An rms_norm whose product is of rows that are grouped otherwise than those of the mean. */
function rmsNormOfRegrouped(groups: readonly [number, number], factor: string): string {
  const [outer, inner] = groups;
  const [given, rows] = [`T<${outer}x${inner}x4>`, `T<${outer * inner}x4>`];
  const [kept, column] = [`T<${outer}x${inner}x1>`, `T<${factor}>`];
  const shape = (text: string): string =>
    `[${text.split("x").map((extent) => `${extent} : i32`).join(", ")}]`;
  return ttnnModule(`(%x: ${given}, %w: T<4>) -> ${rows}`, [
    DEVICE,
    number("eps", 0.5, kept),
    `%0 = "ttnn.multiply"(%x, %x) : (${given}, ${given}) -> ${given}`,
    `%1 = "ttnn.mean"(%0) <{dim_arg = [2 : i32], keep_dim = true}> : (${given}) -> ${kept}`,
    `%2 = "ttnn.add"(%1, %eps) : (${kept}, ${kept}) -> ${kept}`,
    `%3 = "ttnn.rsqrt"(%2) : (${kept}) -> ${kept}`,
    `%4 = "ttnn.reshape"(%3) <{shape = ${shape(factor)}}> : (${kept}) -> ${column}`,
    `%5 = "ttnn.reshape"(%x) <{shape = [${outer * inner} : i32, 4 : i32]}> : (${given}) -> ${rows}`,
    `%6 = "ttnn.multiply"(%5, %4) : (${rows}, ${column}) -> ${rows}`,
    `%7 = "ttnn.multiply"(%6, %w) : (${rows}, T<4>) -> ${rows}`,
    `return %7 : ${rows}`,
  ]);
}

keepsMeaning(
  "rms_norm of rows that are regrouped in front of the product",
  [fuseRmsNorm],
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })).map((groups): PassCase => ({
    text: rmsNormOfRegrouped(groups, `${groups[0] * groups[1]}x1`),
    ops: ["rms_norm", "!rsqrt", "!mean"],
  })),
  8,
);

Deno.test("factors that lie along the row are no norm of it", () => {
  const body = passedBody(rmsNormOfRegrouped([2, 2], "1x4"), fuseRmsNorm);
  assertEquals(names(body).includes("rms_norm"), false);
});

keepsMeaning(
  "rms_norm with a weight that broadcasts",
  [fuseRmsNormOfRow],
  fc.record({ isWide: order, isPower: order, swapped: order }).map((given): PassCase => ({
    text: rmsNorm({ ...given, weight: "broadcast" }),
    ops: ["rms_norm", "reshape", "!rsqrt", "!mean", "!typecast"],
  })),
  8,
);

/** A product plus an addend, behind a reshape where it has three dimensions. */
function sum(addend: string, isFlat: boolean, rightRank: number = 2): string {
  const right = rightRank === 2 ? "T<4x5>" : "T<2x4x5>";
  const left = rightRank === 2 ? "T<6x4>" : "T<2x3x4>";
  const product = rightRank === 2 ? "T<6x5>" : "T<2x3x5>";
  const result = isFlat ? product : "T<2x3x5>";
  const isReshaped = !isFlat && rightRank === 2;
  return ttnnModule(`(%a: ${left}, %b: ${right}, %c: T<${addend}>) -> ${result}`, [
    `%0 = "ttnn.matmul"(%a, %b) <{transpose_a = false, transpose_b = false}> : (${left}, ${right}) -> ${product}`,
    ...isReshaped
      ? [`%1 = "ttnn.reshape"(%0) <{shape = [2 : i32, 3 : i32, 5 : i32]}> : (${product}) -> ${result}`]
      : [],
    `%2 = "ttnn.add"(${isReshaped ? "%1" : "%0"}, %c) : (${result}, T<${addend}>) -> ${result}`,
    `return %2 : ${result}`,
  ]);
}

keepsMeaning(
  "products with a bias",
  [fuseLinear],
  fc.record({ addend: fc.constantFrom("5", "1x5"), isFlat: order }).map(({ addend, isFlat }): PassCase => ({
    text: sum(addend, isFlat),
    ops: ["linear", "!add"],
  })),
  8,
);

Deno.test("a summand that is no row, and a bias of batches on the right, stay sums", () => {
  assertEquals(names(passedBody(sum("6x5", true), fuseLinear)), ["matmul", "add"]);
  assertEquals(names(passedBody(sum("5", false, 3), fuseLinear)), ["matmul", "add"]);
});

Deno.test("a cache that is written between its readers is read by both", () => {
  const [c, x] = ["T<1x8x64x32>", "T<1x8x32x32>"];
  const text = ttnnModule(`(%c: ${c}, %x: ${x}) -> ${c}`, [
    `%0 = "ttnn.sigmoid"(%c) : (${c}) -> ${c}`,
    `"ttnn.fill_cache"(%c, %x) <{batch_offset = 0 : i32}> : (${c}, ${x}) -> ()`,
    `%1 = "ttnn.multiply"(%c, %0) : (${c}, ${c}) -> ${c}`,
    `return %1 : ${c}`,
  ]);
  assertEquals(names(passedBody(text, fuseFunction)), ["sigmoid", "fill_cache", "multiply"]);
});
