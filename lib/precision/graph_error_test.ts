// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { loadModule } from "../../pipeline/load_module.ts";
import type { MathFidelity } from "../op_config/math_fidelity.ts";
import type { PassOptions } from "../passes/pass_options.ts";
import { errorOfGraph } from "./graph_error.ts";
import { type RelativeError, relativeL2 } from "./product_error.ts";

const T = "tensor<128x128xbf16>";
const BINARY = `(${T}, ${T}) -> ${T}`;

/** The error of lines that make `%r` of an input `%x` and weights `%w`, at a fidelity. */
function errorOf(mathFidelity: MathFidelity, ...lines: readonly string[]): RelativeError {
  const error = estimateOf(mathFidelity, ...lines);
  assert(error !== undefined);
  return error;
}

function estimateOf(mathFidelity: MathFidelity, ...lines: readonly string[]): RelativeError | undefined {
  const weight = "{ttcore.argument_type = #ttcore.argument_type<parameter>}";
  const text = `func.func @main(%x: ${T}, %w: ${T} ${weight}) -> ${T} {\n${
    lines.join("\n")
  }\nreturn %r : ${T}\n}\n`;
  const passes: PassOptions = { off: new Set(), computeConfig: { mathFidelity } };
  const { binding: { graph }, device } = loadModule(text, { device: "n150", passes });
  return errorOfGraph(graph, device.architecture);
}

const product = (result: string, a: string) => `%${result} = "ttir.matmul"(%${a}, %w) : ${BINARY}`;

Deno.test("biases and variances of products add up along a chain", () => {
  const one = errorOf("lofi", product("r", "x"));
  const two = errorOf("lofi", product("a", "x"), product("r", "a"));
  assertAlmostEquals(1 + two.bias, (1 + one.bias) ** 2, 1e-12);
  assertAlmostEquals(two.variance, 2 * one.variance, 1e-12);
  assert(one.bias < -0.01 && Math.abs(errorOf("hifi4", product("r", "x")).bias) < 1e-12);
});

Deno.test("a norm takes the bias away, a sum takes the mean of both parts", () => {
  const one = errorOf("lofi", product("r", "x"));
  const normed = errorOf(
    "lofi",
    product("a", "x"),
    `%r = "ttir.softmax"(%a) <{dimension = 1 : si32, numericStable = false}> : (${T}) -> ${T}`,
  );
  assertEquals(normed.bias, 0);
  assertAlmostEquals(normed.variance, one.variance, 1e-12);
  const sum = errorOf("lofi", product("a", "x"), `%r = "ttir.add"(%a, %x) : ${BINARY}`);
  assertAlmostEquals(sum.bias, one.bias / 2, 1e-12);
});

Deno.test("a program without products or conversions is exact", () => {
  assertEquals(relativeL2(errorOf("lofi", `%r = "ttir.relu"(%x) : (${T}) -> ${T}`)), 0);
});

Deno.test("errors that grow as large as the result are no estimate", () => {
  const squares = (count: number) =>
    Array.from(
      { length: count },
      (_, index) => `%s${index + 1} = "ttir.multiply"(%s${index}, %s${index}) : ${BINARY}`,
    );
  const chain = (count: number) =>
    estimateOf(
      "lofi",
      product("s0", "x"),
      ...squares(count),
      `%r = "ttir.relu"(%s${count}) : (${T}) -> ${T}`,
    );
  assert(relativeL2(chain(2) ?? { bias: 1, variance: 1 }) < 0.5);
  assertEquals(chain(40), undefined);
});
