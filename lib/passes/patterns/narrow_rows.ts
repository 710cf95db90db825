// SPDX-License-Identifier: Apache-2.0
import { sameType } from "../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { ROWWISE } from "./elementwise_ops.ts";
import { losslessSource } from "./fold_typecasts.ts";

/**
 * Computes a norm or softmax between a lossless typecast and its inverse in the narrow type: their kernels
 * accumulate in f32 (ttnn:backend-0-81-1, default compute configs; `rms_norm` by the config that it keeps).
 */
export const narrowRows: RewritePattern = replacing({
  name: "narrow-rows",
  upstream: "none",
  roots: ["ttnn.typecast"],
  replace: (op, site, result) => {
    const value = op.tensorOperand(0);
    const rowwise = value?.producer;
    if (rowwise === undefined || value?.onlyUser !== op) return undefined;
    const [wide, ...rows] = rowwise.tensorOperands;
    const source = wide === undefined ? undefined : losslessSource(wide);
    if (!ROWWISE.has(rowwise.name) || source === undefined) return undefined;
    if (source.type.dataType !== "bf16" || !sameType(source.type, result.type)) return undefined;
    // If the result is only widened again, its scale and bias come after the typecast.
    if ([...result.uses.keys()].every(({ name }) => name === op.name)) return undefined;
    const operands = [source, ...rows.map((row) => site.typecast(row, source.type.dataType))];
    const question = {
      name: rowwise.name,
      operands: operands.map(({ type }) => type),
      results: [result.type],
      attributes: rowwise.attributeMap(),
    };
    if (!site.context.isLegal(question)) return undefined;
    return site.op(rowwise.name, operands, result.type, rowwise.properties);
  },
});
