// SPDX-License-Identifier: Apache-2.0
import { readBool, readIntegers } from "../../dialect/attribute_values.ts";
import { normalDim, sameExtents } from "../../layout/extents.ts";
import { tensorType } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { madeBy } from "./matching.ts";

/**
 * A reshape that puts reduced dimensions back is the reduction's own `keep_dim` (tt-mlir:
 * `ReductionWithReshapePattern`).
 */
export const keepReducedDimensions: RewritePattern = {
  name: "keep-reduced-dimensions",
  option: undefined,
  upstream: "level-0",
  roots: ["ttnn.reshape"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    const reduction = madeBy(op.operands[0], "sum", "mean", "max", "min");
    const input = reduction?.operandType(0);
    if (result === undefined || reduction?.result.onlyUser !== op || input === undefined) return false;
    if (readBool(reduction.attributeMap(), "keep_dim") === true) return false;
    const rank = input.shape.length;
    const dims = readIntegers(reduction.attributeMap(), "dim_arg")?.map((dim) => normalDim(dim, rank));
    const kept = input.shape.map((extent, dim) => dims === undefined || dims.includes(dim) ? 1 : extent);
    if (!sameExtents(kept, result.type.shape)) return false;
    body.replaceOp(op, {
      name: reduction.name,
      operands: reduction.operands,
      resultTypes: [tensorType(context, kept, result.type.dataType)],
      properties: new Map([...reduction.properties, ["keep_dim", "true"]]),
      location: reduction.location,
    });
    return true;
  },
};
