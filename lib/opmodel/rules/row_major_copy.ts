// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../../layout/data_type.ts";
import { interleavedLayout } from "../place_output.ts";
import type { RuleContext } from "../rule.ts";
import { reportedL1Bytes } from "../tensor.ts";

/** L1 bytes per core of a tensor's row-major copy, interleaved; block-float formats become bf16 on the way. */
export function rowMajorCopyBytes(
  shape: readonly number[],
  dataType: DataType,
  context: RuleContext,
): number {
  const format = isBlockFloat(dataType) ? "bf16" : dataType;
  return reportedL1Bytes(shape, interleavedLayout(shape, format, undefined, "l1", context), context.chip);
}
