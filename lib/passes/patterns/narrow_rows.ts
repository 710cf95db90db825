// SPDX-License-Identifier: Apache-2.0
import { sameType } from "../../ttnn/value.ts";
import { PassBuilder } from "../pass_builder.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { ROWWISE } from "./elementwise_ops.ts";
import { losslessSource } from "./fold_typecasts.ts";

/**
 * Computes a norm or softmax between a lossless typecast and its inverse in the narrow type: their kernels
 * accumulate in f32 (ttnn:backend-0-81-1, default compute configs; `rms_norm` by the config that it keeps).
 */
export const narrowRows: RewritePattern = {
  name: "narrow-rows",
  upstream: "none",
  roots: ["ttnn.typecast"],
  rewrite: (op, body, context) => {
    const [value, result] = [op.tensorOperand(0), op.tensorResult];
    const rowwise = value?.producer;
    if (result === undefined || rowwise === undefined || value?.onlyUser !== op) return false;
    const [wide, ...rows] = rowwise.tensorOperands;
    const source = wide === undefined ? undefined : losslessSource(wide);
    if (!ROWWISE.has(rowwise.name) || source === undefined) return false;
    if (source.type.dataType !== "bf16" || !sameType(source.type, result.type)) return false;
    // If the result is only widened again, its scale and bias come after the typecast.
    if ([...result.uses.keys()].every(({ name }) => name === op.name)) return false;
    const site = new PassBuilder(body, op, context);
    const operands = [source, ...rows.map((row) => site.typecast(row, source.type.dataType))];
    const question = {
      name: rowwise.name,
      operands: operands.map(({ type }) => type),
      results: [result.type],
      attributes: rowwise.attributeMap(),
    };
    if (!context.isLegal(question)) return false;
    body.replaceAllUses(result, site.op(rowwise.name, operands, result.type, rowwise.properties));
    return true;
  },
};
