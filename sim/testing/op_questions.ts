// SPDX-License-Identifier: Apache-2.0
import { attributesOf, type OpQuestion, type PlacedTensor } from "../audit/op_question.ts";

/** Makes the question about an op on an input of any extents. */
export type Question = (input: PlacedTensor) => OpQuestion;

/** A tensor like another one, of other extents. */
export function reshaped(
  tensor: PlacedTensor,
  extents: (shape: readonly number[]) => readonly number[],
): PlacedTensor {
  return { ...tensor, shape: extents(tensor.shape) };
}

export function elementwise(name: string, operands: number): Question {
  return (input) => ({ name, inputs: Array.from({ length: operands }, () => input), outputs: [input] });
}

/** An op that makes one number of all along a dimension. */
export function along(name: string, dim: number): Question {
  return (input) => ({
    name,
    attributes: attributesOf({ dim_arg: [dim], keep_dim: true }),
    inputs: [input],
    outputs: [reshaped(input, (shape) => shape.map((extent, at) => at === dim ? 1 : extent))],
  });
}

export function permuted(order: readonly number[]): Question {
  return (input) => ({
    name: "ttnn.permute",
    attributes: attributesOf({ permutation: order }),
    inputs: [input],
    outputs: [reshaped(input, (shape) => order.map((from) => shape[from] ?? 1))],
  });
}

/** A tensor joined to itself along a dimension. */
export function joined(dim: number): Question {
  return (input) => ({
    name: "ttnn.concat",
    attributes: attributesOf({ dim }),
    inputs: [input, input],
    outputs: [reshaped(input, (shape) => shape.map((extent, at) => at === dim ? 2 * extent : extent))],
  });
}

/** Ops on tensors of four dimensions that go over all of them alike, by what they do. */
export const EVEN_OPS: Readonly<Record<string, Question>> = {
  relu: elementwise("ttnn.relu", 1),
  gelu: elementwise("ttnn.gelu", 1),
  add: elementwise("ttnn.add", 2),
  where: elementwise("ttnn.where", 3),
  "add of a row": (input) => ({
    name: "ttnn.add",
    inputs: [input, reshaped(input, (shape) => [1, 1, 1, shape.at(-1) ?? 1])],
    outputs: [input],
  }),
  "sum of rows": along("ttnn.sum", 3),
  "sum of columns": along("ttnn.sum", 2),
  rms_norm: (input) => ({
    name: "ttnn.rms_norm",
    inputs: [input, reshaped(input, (shape) => [shape.at(-1) ?? 1])],
    outputs: [input],
  }),
  softmax: (input) => ({
    name: "ttnn.softmax",
    attributes: attributesOf({ dimension: 3, numericStable: true }),
    inputs: [input],
    outputs: [input],
  }),
  "permute rows and columns": permuted([0, 1, 3, 2]),
  "permute channels and rows": permuted([0, 2, 1, 3]),
  "concat of rows": joined(2),
  "concat of columns": joined(3),
};
