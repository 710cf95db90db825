// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { DecoderArchitecture } from "./decoder_architecture.ts";
import { attributesOf, DRAM, type OpQuestion, type PlacedTensor } from "./op_question.ts";

/** An op of TTNN by its name there, with one result. */
export function decoderOp(
  name: string,
  inputs: readonly PlacedTensor[],
  output: PlacedTensor,
  config?: OpSpecificAttributes,
): OpQuestion {
  return { name: `ttnn.${name}`, inputs, outputs: [output], ...(config === undefined ? {} : { config }) };
}

/**
 * Sum of what every chip has of a tensor, on every chip: partial sums are scattered and the sums gathered, or all of them
 * are gathered, row under row, and multiplied with a matrix of ones (tt-metal:mixtral-demo).
 */
export function sumOverChips(
  partial: PlacedTensor,
  chips: number,
  how: DecoderArchitecture["sums"],
): readonly OpQuestion[] {
  if (chips === 1) return [];
  const [rows = 1, width = 1] = partial.shape.slice(-2);
  const placed = (shape: readonly number[]): PlacedTensor => ({ ...partial, shape });
  if (how === "scattered") {
    const part = placed([1, 1, rows, width / chips]);
    const dim = partial.shape.length - 1;
    return [
      { ...decoderOp("reduce_scatter", [partial], part), attributes: attributesOf({ scatter_dim: dim }) },
      gather(part, partial, dim),
    ];
  }
  const gathered = placed([1, 1, rows * chips, width]);
  const ones: PlacedTensor = { shape: [1, 1, rows, rows * chips], dataType: "bfp_bf8", place: DRAM };
  return [
    gather(partial, gathered, gathered.shape.length - 2),
    decoderOp("matmul", [ones, gathered], partial),
  ];
}

function gather(from: PlacedTensor, to: PlacedTensor, dim: number): OpQuestion {
  return { ...decoderOp("all_gather", [from], to), attributes: attributesOf({ all_gather_dim: dim }) };
}
