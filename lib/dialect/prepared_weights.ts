// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { memoryConfigOf, memoryConfigText } from "./memory_config.ts";
import { pageLayoutText } from "./memory_op_properties.ts";
import { attributes, type AttributeTexts } from "./printed_attributes.ts";

/** Properties of an op that prepares weights which a plan decides for their convolution. */
export const DECIDED_BY_CONVOLUTION = ["conv2d_config", "conv2d_slice_config"] as const;

/** What an op that prepares weights says of the input that their convolution reads. */
export function convolutionInputTexts(layout: TtnnLayout): AttributeTexts {
  return attributes({
    input_dtype: supportedDataTypeText(layout),
    input_memory_config: memoryConfigText(memoryConfigOf(layout)),
    input_tensor_layout: pageLayoutText(layout),
  });
}

/**
 * Where the op that prepares a bias is told that the input lies, if not where it does. ttnn prepares a bias without the
 * slice config and slices what is in DRAM, for which block formats have no form: an input that is read whole is in L1
 * by then (`ttnn:backend-0-81-1`).
 *
 * @param texts properties of the op, the convolution's configs included
 */
export function biasInputTexts(layout: TtnnLayout, texts: AttributeTexts): AttributeTexts {
  const isWhole = texts.get("conv2d_slice_config")?.includes("l1_full") === true;
  const hasBlocks = /weights_dtype = bfp_/.test(texts.get("conv2d_config") ?? "");
  return layout.bufferType === "dram" && isWhole && hasBlocks
    ? convolutionInputTexts({ ...layout, bufferType: "l1", memoryLayout: "interleaved" })
    : new Map();
}

/** The format of a layout's elements as an attribute. */
export function supportedDataTypeText({ dataType }: TtnnLayout): string {
  return `#ttcore.supportedDataTypes<${dataType}>`;
}
