// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../../lib/ir/attribute.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { DecoderArchitecture } from "./decoder_architecture.ts";
import { DRAM, type PlacedTensor } from "./op_question.ts";

/** One op of a pass, or a copy of a tensor in another layout. */
export interface DecoderOp {
  readonly name: string;
  readonly inputs: readonly PlacedTensor[];
  readonly output: PlacedTensor;
  readonly config?: OpSpecificAttributes;
  readonly attributes?: AttributeMap;
}

/**
 * Sum of what every chip has of a tensor, on every chip: partial sums are scattered and the sums gathered, or all of them
 * are gathered, row under row, and multiplied with a matrix of ones (tt-metal:mixtral-demo).
 */
export function sumOverChips(
  partial: PlacedTensor,
  chips: number,
  how: DecoderArchitecture["sums"],
): readonly DecoderOp[] {
  if (chips === 1) return [];
  const [rows = 1, width = 1] = partial.shape.slice(-2);
  const placed = (shape: readonly number[]): PlacedTensor => ({ ...partial, shape });
  if (how === "scattered") {
    const part = placed([1, 1, rows, width / chips]);
    return [
      { name: "ttnn.reduce_scatter", inputs: [partial], output: part },
      { name: "ttnn.all_gather", inputs: [part], output: partial },
    ];
  }
  const gathered = placed([1, 1, rows * chips, width]);
  const ones: PlacedTensor = { shape: [1, 1, rows, rows * chips], dataType: "bfp_bf8", place: DRAM };
  return [
    { name: "ttnn.all_gather", inputs: [partial], output: gathered },
    { name: "ttnn.matmul", inputs: [ones, gathered], output: partial },
  ];
}
