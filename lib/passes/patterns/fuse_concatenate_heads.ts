// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../ops/attributes/movement.ts";
import { sameExtents } from "../../layout/extents.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { madeBy } from "./matching.ts";

/**
 * `reshape(permute [0, 2, 1, 3])`, which merges heads after positions, → `concatenate_heads`
 * (tt-mlir:ttnn-fusing). Batch and positions may be merged as well.
 */
export const fuseConcatenateHeads: RewritePattern = replacing({
  name: "fuse-concatenate-heads",
  upstream: "level-1",
  roots: ["ttnn.reshape"],
  replace: (op, site, result) => {
    const permute = madeBy(op.operands[0], "permute");
    const input = permute?.tensorOperand(0);
    if (permute === undefined || input === undefined) return undefined;
    const { shape, dataType } = input.type;
    const [batch = 1, heads = 1, rows = 1, size = 1] = shape;
    const merges = shape.length === 4 && sameExtents(permute.read(PERMUTE).permutation, [0, 2, 1, 3]) &&
      result.type.shape.at(-1) === heads * size && input.type.layout.tile !== undefined;
    if (!merges || result.type.dataType !== dataType) return undefined;
    const joined = [batch, rows, heads * size];
    const attributes = new Map();
    const results = [tensorType(site.context.chip, joined, dataType)];
    if (
      !site.context.isLegal({ name: "ttnn.concatenate_heads", operands: [input.type], results, attributes })
    ) {
      return undefined;
    }
    const rowsOfHeads = site.tensor("ttnn.concatenate_heads", [input], { shape: joined, dataType });
    return site.reshape(rowsOfHeads, result.type.shape);
  },
});
