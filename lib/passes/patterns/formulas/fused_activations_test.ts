// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import { bodyLines, passed, passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseActivation, fuseUnary, takeBackUnary } from "./fused_activations.ts";
import { DEFAULT_PASS_OPTIONS } from "../../pass_options.ts";
import type { PassTools } from "../../run_passes.ts";
import { keepsMeaning, type PassCase } from "../../testing/keeps_meaning.ts";
import { movedTiles } from "../../testing/moved_tiles.ts";
import { PARAMETER } from "../../testing/convolution_case.ts";

const MATMUL =
  '%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<32x64>, T<64x96>) -> T<32x96>';

Deno.test("an activation behind a matmul runs inside of it", () => {
  const text = ttnnModule("(%x: T<32x64>, %w: T<64x96>) -> T<32x96>", [
    MATMUL,
    '%1 = "ttnn.silu"(%0) : (T<32x96>) -> T<32x96>',
    "return %1 : T<32x96>",
  ]);
  assertEquals(passedBody(text, fuseActivation), [
    '%0 = "ttnn.matmul"(%x, %w) <{activation = "silu", transpose_a = false, transpose_b = false}> : ' +
    "(tensor<32x64xbf16>, tensor<64x96xbf16>) -> tensor<32x96xbf16>",
    "return %0 : tensor<32x96xbf16>",
  ]);
});

Deno.test("a product that something else reads keeps its activation outside", () => {
  const text = ttnnModule("(%x: T<32x64>, %w: T<64x96>) -> (T<32x96>, T<32x96>)", [
    MATMUL,
    '%1 = "ttnn.silu"(%0) : (T<32x96>) -> T<32x96>',
    "return %0, %1 : T<32x96>, T<32x96>",
  ]);
  assertEquals(passedBody(text, fuseActivation).length, 3);
});

Deno.test("activations of non-matmuls, or of another type than the matmul's, stay", () => {
  const sum = ttnnModule("(%x: T<32x96>) -> T<32x96>", [
    '%0 = "ttnn.add"(%x, %x) : (T<32x96>, T<32x96>) -> T<32x96>',
    '%1 = "ttnn.silu"(%0) : (T<32x96>) -> T<32x96>',
    "return %1 : T<32x96>",
  ]);
  assertEquals(passedBody(sum, fuseActivation).length, 3);
  const rows = ttnnModule("(%x: T<32x64>, %w: T<64x96>) -> R<32x96>", [
    MATMUL,
    '%1 = "ttnn.silu"(%0) : (T<32x96>) -> R<32x96>',
    "return %1 : R<32x96>",
  ]);
  assertEquals(passedBody(rows, fuseActivation).length, 3);
});

const TOOLS: PassTools = { microseconds: movedTiles };
const WIDE = "T<64x64>";

interface Neighbours {
  readonly binary: string;
  /** Applied to operand 0, one after the other; to operand 1; to the result. */
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly result: readonly string[];
  /** Extents of operand 1. */
  readonly extents?: string;
  /** Whether operand 1 is a parameter. */
  readonly isParameter?: boolean;
  /** Whether what operand 0 is before the op is returned too. */
  readonly returnsOperand?: boolean;
}

function text(
  { binary, a, b, result, extents = "64x64", isParameter = false, returnsOperand = false }: Neighbours,
) {
  const second = `T<${extents}>`;
  const lines: string[] = [];
  const chain = (from: string, type: string, names: readonly string[]): string =>
    names.reduce((value, name) => {
      const made = `%${from}${lines.length}`;
      lines.push(`${made} = "ttnn.${name}"(${value}) : (${type}) -> ${type}`);
      return made;
    }, `%${from}`);
  const [left, right] = [chain("x", WIDE, a), chain("y", second, b)];
  lines.push(`%r = "ttnn.${binary}"(${left}, ${right}) : (${WIDE}, ${second}) -> ${WIDE}`);
  const made = chain("r", WIDE, result);
  const types = returnsOperand ? `(${WIDE}, ${WIDE})` : WIDE;
  return ttnnModule(`(%x: ${WIDE}, %y: ${second}${isParameter ? ` ${PARAMETER}` : ""}) -> ${types}`, [
    ...lines,
    `return ${returnsOperand ? `${made}, ${left}` : made} : ${types.replace(/[()]/g, "")}`,
  ]);
}

const functions = fc.array(fc.constantFrom("exp", "neg", "relu", "sigmoid", "silu", "tanh"), {
  maxLength: 2,
});

keepsMeaning(
  "functions inside binary ops",
  [fuseUnary],
  fc.record({
    binary: fc.constantFrom("add", "multiply", "subtract"),
    a: functions,
    b: functions,
    result: functions,
    extents: fc.constantFrom("64x64", "1x64"),
  }).map((given): PassCase => ({
    text: text(given),
    ops: [given.binary, ...["exp", "neg", "relu", "sigmoid", "silu", "tanh"].map((name) => `!${name}`)],
  })),
  40,
  TOOLS,
);

function ops(given: Partial<Neighbours>, tools: PassTools = TOOLS): readonly string[] {
  const module = text({ binary: "multiply", a: [], b: [], result: [], ...given });
  return bodyLines(passed(module, fuseUnary, DEFAULT_PASS_OPTIONS, tools).text)
    .flatMap((line) => /ttnn\.(\w+)"/.exec(line)?.[1] ?? []);
}

Deno.test("functions are applied in their order", () => {
  const after = passed(
    text({ binary: "subtract", a: ["exp", "neg"], b: ["rsqrt"], result: ["relu", "tanh"] }),
    fuseUnary,
    DEFAULT_PASS_OPTIONS,
    TOOLS,
  ).text;
  const listed = (key: string): readonly (string | undefined)[] =>
    [...(new RegExp(` ${key} = \\[(.*?)\\]|<{${key} = \\[(.*?)\\]`).exec(after)?.[0] ?? "").matchAll(
      /op_type = (\w+)/g,
    )]
      .map(([, name]) => name);
  assertEquals(listed("input_tensor_a_activations"), ["exp", "neg"]);
  assertEquals(listed("input_tensor_b_activations"), ["rsqrt"]);
  assertEquals(listed("activations"), ["relu", "tanh"]);
});

Deno.test("unary ops with other readers, unsupported ones, and those at load are not fused", () => {
  assertEquals(ops({ a: ["exp"] }), ["multiply"]);
  assertEquals(ops({ a: ["exp"], returnsOperand: true }), ["exp", "multiply"]);
  assertEquals(ops({ a: ["sinh"] }), ["sinh", "multiply"]);
  assertEquals(ops({ b: ["exp"], isParameter: true }), ["exp", "multiply"]);
  assertEquals(ops({ binary: "divide", a: ["exp"] }), ["exp", "divide"]);
});

Deno.test("a unary op is fused into a binary op only if that saves time", () => {
  assertEquals(ops({ a: ["exp"] }, {}), ["exp", "multiply"], "without prices");
  const dear: PassTools = {
    microseconds: (op) => movedTiles(op) + (op.attributes.has("input_tensor_b_activations") ? 100 : 0),
  };
  assertEquals(ops({ a: ["exp"], b: ["rsqrt"] }, dear), ["rsqrt", "multiply"]);
  assert(ops({ result: ["silu"] }, dear).length === 1);
});

keepsMeaning(
  "functions that were fused into binary ops, taken apart again",
  [takeBackUnary],
  fc.record({
    binary: fc.constantFrom("add", "multiply", "subtract"),
    a: functions,
    b: functions,
    result: functions,
    extents: fc.constantFrom("64x64", "1x64"),
  }).map((given): PassCase => ({
    text: passed(text(given), fuseUnary, DEFAULT_PASS_OPTIONS, TOOLS).text,
    ops: [given.binary, ...given.a, ...given.b, ...given.result],
  })),
  40,
  TOOLS,
);

Deno.test("a function with a parameter, or none that kernels apply, stays where it was fused", () => {
  const fused = (functions: string) =>
    passedBody(
      ttnnModule(`(%x: ${WIDE}) -> ${WIDE}`, [
        `%0 = "ttnn.add"(%x, %x) <{activations = [${functions}]}> : (${WIDE}, ${WIDE}) -> ${WIDE}`,
        `return %0 : ${WIDE}`,
      ]),
      takeBackUnary,
    ).length;
  assertEquals(fused("#ttnn.unary_with_param<op_type = relu>"), 3);
  assertEquals(fused("#ttnn.unary_with_param<op_type = relu>, #ttnn.unary_with_param<op_type = sinh>"), 2);
  assertEquals(fused("#ttnn.unary_with_param<op_type = exp, params = [1.000000e+00 : f32]>"), 2);
});
