// SPDX-License-Identifier: Apache-2.0
import type { RewritePattern } from "../../rewrite_pattern.ts";
import { proposed } from "../matching.ts";

/**
 * Reshapes the result of a pool that ttnn slices through DRAM to its declared shape: these come as `N×H×W×C`, also
 * where the op declares `1×1×NHW×C`, which no type of the op can say (`ttnn:backend-0-81-1`). What pads rows to tiles or
 * shards them would otherwise count each row of the image for itself.
 */
export const flattenPooled: RewritePattern = {
  name: "flatten-pooled",
  upstream: "none",
  roots: ["ttnn.max_pool2d", "ttnn.avg_pool2d"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    if (result === undefined) return false;
    const readers = [...result.uses.keys()].filter(({ name }) => name !== "ttnn.reshape");
    if (readers.length === 0 || !context.comesAsImages(proposed(op))) return false;
    const { type } = result;
    const properties = { shape: type.shape };
    const made = body.insertAfter(op, {
      name: "ttnn.reshape",
      operands: [result],
      resultTypes: [type],
      properties,
    }).result;
    for (const reader of readers) body.replaceOperand(reader, result, made);
    return true;
  },
};
