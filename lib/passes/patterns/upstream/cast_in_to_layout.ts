// SPDX-License-Identifier: Apache-2.0
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, madeBy } from "../matching.ts";
import { PassBuilder } from "../../pass_builder.ts";
import { isPlainFloat } from "../../../layout/data_type.ts";

/**
 * Casts a row-major tensor to another float format while tilizing it (tt-mlir: `TTNNDecomposeLayouts`, one
 * `to_layout` for floats on the device). Two ops are predicted to be equally fast, so this runs only if
 * upstream's graph is requested.
 */
export const castInToLayout: RewritePattern = {
  name: "cast-in-to-layout",
  upstream: "only-upstream",
  roots: ["ttnn.typecast"],
  rewrite: (op, body, context) => {
    const [tiled, result] = [op.tensorOperand(0), op.tensorResult];
    const source = madeBy(tiled, "to_layout")?.tensorOperand(0);
    if (tiled === undefined || source === undefined || result === undefined) return false;
    const { layout, dataType } = source.type;
    const fits = tiled.onlyUser === op && layout.tile === undefined && layout.bufferType === "dram" &&
      isPlain(tiled.type) && isPlain(result.type) && tiled.type.dataType === dataType &&
      [dataType, result.type.dataType].every(isPlainFloat);
    if (!fits) return false;
    const type = tensorType(context.chip, result.type.shape, result.type.dataType);
    const question = {
      name: "ttnn.to_layout",
      operands: [source.type],
      results: [type],
      attributes: new Map(),
    };
    if (!context.isLegal(question)) return false;
    const site = new PassBuilder(body, op, context);
    body.replaceAllUses(result, site.op("ttnn.to_layout", [source], type));
    return true;
  },
};
