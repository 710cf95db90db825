// SPDX-License-Identifier: Apache-2.0
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import { normalDim, sameExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TtnnValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { madeBy } from "../matching.ts";

/**
 * Replaces a reshape that restores reduced dimensions by the reduction's `keep_dim` (tt-mlir:
 * `ReductionWithReshapePattern`).
 */
export const keepReducedDimensions: RewritePattern = replacing({
  name: "keep-reduced-dimensions",
  upstream: "level-0",
  roots: ["ttnn.reshape"],
  replace: (op, site, result) => {
    const reduction = reductionOf(op.operands[0]);
    const kept = reduction === undefined ? undefined : keptShape(reduction);
    if (reduction?.result.onlyUser !== op || kept === undefined) return undefined;
    if (!sameExtents(kept, result.type.shape)) return undefined;
    site.location = reduction.location;
    const properties = reduction.propertiesWith({ keep_dim: true });
    return site.tensor(
      reduction.name,
      reduction.operands,
      { shape: kept, dataType: result.type.dataType },
      properties,
    );
  },
});

function reductionOf(value: TtnnValue | undefined): TtnnOp | undefined {
  return madeBy(value, "sum", "mean", "max", "min");
}

/** The result shape of a reduction with its dropped dimensions as ones; `undefined` if it keeps them. */
function keptShape(reduction: TtnnOp): readonly number[] | undefined {
  const shape = reduction.operandType(0)?.shape;
  if (shape === undefined || reduction.read(REDUCE).keep_dim === true) return undefined;
  const dims = reduction.read(REDUCE).dim_arg?.map((dim) => normalDim(dim, shape.length));
  return shape.map((extent, dim) => dims === undefined || dims.includes(dim) ? 1 : extent);
}
