// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { memoryConfigOf, memoryConfigText } from "./memory_config.ts";
import { pageLayoutText } from "./memory_op_properties.ts";
import { attributes, type AttributeTexts } from "./printed_attributes.ts";

/** An op that brings weights or a bias into the form in which the kernel of a 2-d convolution reads them. */
export interface PreparingOp {
  readonly prepares: "weights" | "bias";
  /** Whether its convolution is a `conv_transpose2d`. */
  readonly transposed: boolean;
}

/** Properties of an op that prepares weights which a plan decides for their convolution. */
export const DECIDED_BY_CONVOLUTION = ["conv2d_config", "conv2d_slice_config"] as const;

const SLICES = DECIDED_BY_CONVOLUTION[1];

/**
 * The properties of an op that prepares weights or a bias: the configs of its convolution, and the memory of the
 * convolution's input. If the convolution reads an input in DRAM as a whole, the input is in L1 by then, which ttnn does not
 * know (`ttnn:backend-0-81-1`). It would prepare a bias without the slice config and slice an input in DRAM, for which block
 * formats have no form; and for a transposed convolution it takes `l1_full` for a request to slice automatically, in any
 * memory, and refuses if no slices fit.
 *
 * @param decided properties of the convolution, its configs included
 */
export function preparationTexts(
  { prepares, transposed }: PreparingOp,
  input: TtnnLayout,
  decided: AttributeTexts,
): AttributeTexts {
  const isWhole = decided.get(SLICES)?.includes("l1_full") === true;
  const hasBlocks = /weights_dtype = bfp_/.test(decided.get("conv2d_config") ?? "");
  const isMoved = input.bufferType === "dram" && isWhole &&
    (transposed || prepares === "bias" && hasBlocks);
  const read: TtnnLayout = isMoved ? { ...input, bufferType: "l1", memoryLayout: "interleaved" } : input;
  return new Map([
    ...[...decided].filter(([key]) => !(key === SLICES && isWhole && transposed)),
    ...attributes({
      input_dtype: supportedDataTypeText(read),
      input_memory_config: memoryConfigText(memoryConfigOf(read)),
      input_tensor_layout: pageLayoutText(read),
    }),
  ]);
}

/** The format of a layout's elements as an attribute. */
export function supportedDataTypeText({ dataType }: TtnnLayout): string {
  return `#ttcore.supportedDataTypes<${dataType}>`;
}
