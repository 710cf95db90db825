// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { parseModule } from "../../lib/ir/mod.ts";
import { erf } from "./elementwise.ts";
import { interpret } from "./interpret.ts";
import { build, type NumericTensor } from "./tensor.ts";

function tensor(shape: readonly number[], values: readonly number[]): NumericTensor {
  let next = 0;
  return build(shape, () => values[next++] ?? NaN);
}

function evaluate(
  signature: string,
  lines: readonly string[],
  inputs: readonly NumericTensor[],
): readonly number[] {
  const text = `func.func @f${signature} {\n${lines.join("\n")}\n}\n`;
  const [result] = interpret(parseModule(text, "test.mlir"), "f", inputs);
  return [...result?.data ?? []];
}

Deno.test("a convolution of a picture with a corner kernel", () => {
  const image = tensor([1, 1, 9, 1], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const weight = tensor([1, 1, 2, 2], [1, 0, 0, 10]);
  const properties =
    "batch_size = 1 : i32, input_height = 3 : i32, input_width = 3 : i32, groups = 1 : i32, " +
    "stride = array<i32: 1, 1>, padding = array<i32: 0, 0, 0, 0>, dilation = array<i32: 1, 1>";
  const lines = [
    `%0 = "ttnn.conv2d"(%x, %w) <{${properties}}> : (tensor<1x1x9x1xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x4x1xf32>`,
    "return %0 : tensor<1x1x4x1xf32>",
  ];
  const signature = "(%x: tensor<1x1x9x1xf32>, %w: tensor<1x1x2x2xf32>) -> tensor<1x1x4x1xf32>";
  assertEquals(evaluate(signature, lines, [image, weight]), [51, 62, 84, 95]);
});

Deno.test("rotary embedding turns the halves of a row", () => {
  const row = tensor([1, 1, 1, 4], [1, 2, 3, 4]);
  const signature =
    "(%x: tensor<1x1x1x4xf32>, %c: tensor<1x1x1x4xf32>, %s: tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>";
  const lines = [
    '%0 = "ttnn.rotary_embedding"(%x, %c, %s) : (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>',
    "return %0 : tensor<1x1x1x4xf32>",
  ];
  const [zeros, ones] = [0, 1].map((value) => tensor([1, 1, 1, 4], [value, value, value, value]));
  assertEquals(evaluate(signature, lines, [row, zeros ?? row, ones ?? row]), [-3, -4, 1, 2]);
});

Deno.test("attention reads every key alike when the queries are zero", () => {
  const query = tensor([1, 2, 1, 1], [0, 0]);
  const value = tensor([1, 1, 3, 1], [3, 6, 9]);
  const signature =
    "(%q: tensor<1x2x1x1xf32>, %k: tensor<1x1x3x1xf32>, %v: tensor<1x1x3x1xf32>) -> tensor<1x2x1x1xf32>";
  const lines = [
    '%0 = "ttnn.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x2x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>) -> tensor<1x2x1x1xf32>',
    "return %0 : tensor<1x2x1x1xf32>",
  ];
  assertEquals(evaluate(signature, lines, [query, value, value]), [6, 6]);
});

Deno.test("const-eval functions are called", () => {
  const text = `module {
  func.func private @f_const_eval_0(%w: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "ttnn.neg"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @f(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
    %0 = ttcore.load_cached(@f_const_eval_0, [%w]) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "ttnn.add"(%x, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
`;
  const [result] = interpret(parseModule(text, "test.mlir"), "f", [tensor([2], [1, 2]), tensor([2], [5, 7])]);
  assertEquals([...result?.data ?? []], [-4, -5]);
});

Deno.test("the error function agrees with its table", () => {
  assertAlmostEquals(erf(0.5), 0.5204998778130465, 1e-15);
  assertAlmostEquals(erf(-1), -0.8427007929497149, 1e-15);
  assertAlmostEquals(erf(3.5), 0.9999992569016276, 1e-15);
});

Deno.test("a result of another shape than its type is refused", () => {
  const lines = [
    '%0 = "ttnn.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>',
    "return %0 : tensor<3xf32>",
  ];
  assertThrows(
    () => evaluate("(%x: tensor<2xf32>) -> tensor<3xf32>", lines, [tensor([2], [1, 2])]),
    RangeError,
    "%0 is [2]",
  );
});

Deno.test("orderings keep the place of what they order, and writes meet what is there", () => {
  const x = tensor([1, 4], [3, 1, 4, 1]);
  const topk = (returned: string, element: string): readonly number[] =>
    evaluate(`(%x: tensor<1x4xf32>) -> tensor<1x3x${element}>`, [
      '%v, %i = "ttnn.topk"(%x) <{dim = -1 : i32, k = 3 : i32}> : (tensor<1x4xf32>) -> ' +
      "(tensor<1x3xf32>, tensor<1x3xsi32>)",
      `return ${returned} : tensor<1x3x${element}>`,
    ], [x]);
  assertEquals([topk("%v", "f32"), topk("%i", "si32")], [[4, 3, 1], [2, 0, 1]]);
  const written = evaluate("(%x: tensor<1x4xf32>, %i: tensor<1x4xsi32>) -> tensor<1x4xf32>", [
    '%0 = "ttnn.scatter"(%x, %i, %x) <{dim = 1 : i32, scatter_reduce_type = #ttcore.reduce_type<sum>}> : ' +
    "(tensor<1x4xf32>, tensor<1x4xsi32>, tensor<1x4xf32>) -> tensor<1x4xf32>",
    "return %0 : tensor<1x4xf32>",
  ], [x, tensor([1, 4], [0, 0, 3, 3])]);
  assertEquals(written, [7, 1, 4, 6]);
});

Deno.test("hex strings hold the bytes of constants from the lowest", () => {
  const constant = (hex: string, element: string): readonly number[] =>
    evaluate(`() -> tensor<2x${element}>`, [
      `%0 = "ttir.constant"() <{value = dense<"0x${hex}"> : tensor<2x${element}>}> : () -> tensor<2x${element}>`,
      `return %0 : tensor<2x${element}>`,
    ], []);
  assertEquals(constant("0100000000000000FEFFFFFFFFFFFFFF", "i64"), [1, -2]);
  assertEquals(constant("01000000FEFFFFFF", "ui32"), [1, 4294967294]);
  assertEquals(constant("803F00C0", "bf16"), [1, -2]);
});

Deno.test("bilinear upsampling weighs the two pixels around a finer one's middle", () => {
  const T = ["tensor<1x1x2x1xf32>", "tensor<1x2x4x1xf32>"];
  const result = evaluate(`(%x: ${T[0]}) -> ${T[1]}`, [
    `%0 = "ttnn.upsample"(%x) <{mode = "bilinear", scale_factor = 2 : si32}> : (${T[0]}) -> ${T[1]}`,
    `return %0 : ${T[1]}`,
  ], [tensor([1, 1, 2, 1], [4, 8])]);
  assertEquals(result, [4, 5, 7, 8, 4, 5, 7, 8]);
});

Deno.test("a sparse product has the pairs that are marked", () => {
  const [a, b, marks, product] = ["1x2x1x2", "1x2x2x1", "1x2x1x2", "1x2x1x2x1x1"].map((s) =>
    `tensor<${s}xf32>`
  );
  const result = evaluate(`(%a: ${a}, %b: ${b}, %s: ${marks}) -> ${product}`, [
    `%0 = "ttnn.sparse_matmul"(%a, %b, %s) <{is_input_a_sparse = false, is_input_b_sparse = true}> : ` +
    `(${a}, ${b}, ${marks}) -> ${product}`,
    `return %0 : ${product}`,
  ], [
    tensor([1, 2, 1, 2], [1, 2, 3, 4]),
    tensor([1, 2, 2, 1], [1, 1, 10, 1]),
    tensor([1, 2, 1, 2], [1, 0, 1, 1]),
  ]);
  assertEquals(result, [3, NaN, 7, 34]);
});
