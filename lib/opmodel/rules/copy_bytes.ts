// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../../layout/data_type.ts";
import type { BufferType } from "../../layout/ttnn_layout.ts";
import { interleavedLayout } from "../place_output.ts";
import type { RuleContext } from "../rule.ts";
import type { PagedTensor } from "../../programs/shard_spec.ts";
import { reportedL1Bytes } from "../tensor.ts";

/** L1 bytes per core of an intermediate interleaved copy; 0 if the copy is not in L1. */
export function copyBytes(copy: PagedTensor, bufferType: BufferType, context: RuleContext): number {
  if (bufferType !== "l1" && bufferType !== "l1_small") return 0;
  return reportedL1Bytes(
    { shape: copy.shape, layout: interleavedLayout(copy, bufferType, context) },
    context.chip,
  );
}

/** L1 bytes per core of a tensor's row-major copy, interleaved; block-float formats become bf16 on the way. */
export function rowMajorCopyBytes(
  shape: readonly number[],
  dataType: DataType,
  context: RuleContext,
): number {
  return copyBytes(
    { shape, dataType: isBlockFloat(dataType) ? "bf16" : dataType, tile: undefined },
    "l1",
    context,
  );
}
