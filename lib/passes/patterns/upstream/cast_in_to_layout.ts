// SPDX-License-Identifier: Apache-2.0
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, madeBy } from "../matching.ts";
import { isPlainFloat } from "../../../layout/data_type.ts";

/**
 * Casts a row-major tensor to another float format while tilizing it (tt-mlir: `TTNNDecomposeLayouts`, one
 * `to_layout` for floats on the device). Two ops are predicted to be equally fast, so this runs only if
 * upstream's graph is requested.
 */
export const castInToLayout: RewritePattern = replacing({
  name: "cast-in-to-layout",
  upstream: "only-upstream",
  roots: ["ttnn.typecast"],
  replace: (op, site, result) => {
    const tiled = op.tensorOperand(0);
    const source = madeBy(tiled, "to_layout")?.tensorOperand(0);
    if (tiled === undefined || source === undefined) return undefined;
    const { layout, dataType } = source.type;
    const fits = tiled.onlyUser === op && layout.tile === undefined && layout.bufferType === "dram" &&
      isPlain(tiled.type) && isPlain(result.type) && tiled.type.dataType === dataType &&
      [dataType, result.type.dataType].every(isPlainFloat);
    return fits
      ? site.opIfLegal("ttnn.to_layout", [source], site.type(result.type.shape, result.type.dataType))
      : undefined;
  },
});
