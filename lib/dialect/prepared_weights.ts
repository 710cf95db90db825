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

/** The format of a layout's elements as an attribute. */
export function supportedDataTypeText({ dataType }: TtnnLayout): string {
  return `#ttcore.supportedDataTypes<${dataType}>`;
}
