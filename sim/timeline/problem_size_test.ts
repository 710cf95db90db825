// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { Attribute } from "../../lib/ir/attribute.ts";
import type { OpSignature } from "../../lib/ops/op_signature.ts";
import { problemSize } from "./price_steps.ts";

function signature(
  operands: readonly (readonly number[])[],
  result: readonly number[],
  attributes: Readonly<Record<string, Attribute>> = {},
): OpSignature {
  return {
    name: "ttnn.op",
    attributes: new Map(Object.entries(attributes)),
    operands: operands.map((shape) => ({ shape, dataType: "bf16" })),
    operandSegmentSizes: undefined,
    results: [{ shape: result, dataType: "bf16" }],
  };
}

Deno.test("problemSize() of a matmul is batch x M x K x N", () => {
  assertEquals(problemSize(signature([[64, 96], [96, 32]], [64, 32]), "matmul"), "64 x 96 x 32");
  assertEquals(
    problemSize(signature([[2, 3, 64, 96], [96, 32]], [2, 3, 64, 32]), "matmul"),
    "6 x 64 x 96 x 32",
  );
  const transposed = signature([[96, 64], [96, 32]], [64, 32], {
    transpose_a: { kind: "bool", value: true },
  });
  assertEquals(problemSize(transposed, "matmul"), "64 x 96 x 32");
});

Deno.test("problemSize() of a convolution comes from its attributes, as weights may be prepared", () => {
  const op = signature([[1, 1, 100352, 3], [1, 1, 3072, 768]], [1, 1, 98, 768], {
    in_channels: { kind: "integer", value: 3n, type: "i32" },
    groups: { kind: "integer", value: 1n, type: "i32" },
    kernel_size: { kind: "denseArray", elementType: "i32", values: [32, 32] },
  });
  assertEquals(problemSize(op, "conv2d"), "98 x 3072 x 768");
});

Deno.test("problemSize() of other ops is the shape of the first result", () => {
  assertEquals(problemSize(signature([[1, 32]], [1, 32]), "eltwise_unary"), "1x32");
  assertEquals(problemSize(signature([], []), "creation"), "");
});
