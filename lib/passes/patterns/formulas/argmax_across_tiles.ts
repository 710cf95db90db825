// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../../layout/tile_shape.ts";
import { ARGMAX } from "../../../ops/attributes/reduction.ts";
import { volume } from "../../../layout/extents.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, madeBy } from "../matching.ts";

/**
 * Computes the argmax of many rows over the last dimension as one over a dimension before the last two, where that is
 * predicted faster: there the kernel compares whole tiles, while cores share one row after another along the last
 * dimension (`ttnn:backend-0-81-1`). Classes of pixels and of boxes are such rows.
 */
export const argmaxAcrossTiles: RewritePattern = replacing({
  name: "argmax-across-tiles",
  upstream: "none",
  roots: ["ttnn.argmax"],
  pays: isFasterBeyondError,
  replace: (op, site, { type }) => {
    const input = op.tensorOperand(0);
    if (input === undefined || type.layout.tile !== undefined) return undefined;
    const { shape } = input.type;
    const width = shape.at(-1) ?? 1;
    const rows = volume(shape.slice(0, -1));
    const { dim } = op.read(ARGMAX);
    if (dim === undefined || dimensionOf(op, dim) !== shape.length - 1 || rows % TILE !== 0) return undefined;
    const tiled: TensorValue = site.tiled(madeBy(input, "to_layout")?.tensorOperand(0) ?? input);
    const planes = site.permute(site.reshape(tiled, [rows / TILE, TILE, width]), [2, 0, 1]);
    const places = site.type([1, rows / TILE, TILE], type.dataType, { rowMajor: true });
    const found = site.opIfLegal(op.name, [planes], places, op.propertiesWith({ dim: 0, keep_dim: true }));
    return found === undefined ? undefined : site.rowMajorReshape(found, type.shape);
  },
});
