// SPDX-License-Identifier: Apache-2.0
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ROWWISE } from "../elementwise_ops.ts";
import { losslessSource } from "../formats/fold_typecasts.ts";
import { isComputeConfig } from "../../../dialect/compute_config_text.ts";
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { isPlain, madeBelowReshape } from "../matching.ts";

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
    return site.opIfLegal(rowwise.name, operands, result.type, rowwise.properties);
  },
});

/** Reductions whose kernels accumulate in f32 for any input type. */
const REDUCTIONS: readonly string[] = ["sum", "mean", "max", "min"];

/**
 * Computes a reduction between a lossless typecast and its inverse in the narrow type, as JAX intends: the
 * kernel accumulates in f32 unless a compute config changes that (ttnn:backend-0-81-1, default compute
 * configs).
 */
export const narrowReduction: RewritePattern = replacing({
  name: "narrow-reduction",
  upstream: "none",
  roots: ["ttnn.typecast"],
  replace: (op, site, result) => {
    const value = op.tensorOperand(0);
    const reduction = value?.onlyUser === op ? reductionBelow(value) : undefined;
    const [wide, reduced] = [reduction?.tensorOperand(0), reduction?.tensorResult];
    const source = wide === undefined ? undefined : losslessSource(wide);
    if (reduction === undefined || source === undefined || reduced === undefined) return undefined;
    const { dataType } = source.type;
    if (dataType !== "bf16" || result.type.dataType !== dataType || reduced.onlyUser === undefined) {
      return undefined;
    }
    if (![source, reduced, result].every(({ type }) => isPlain(type)) || !isOneStep(reduction)) {
      return undefined;
    }
    const type = { shape: reduced.type.shape, dataType };
    const narrow = site.at(reduction)
      .tensor(reduction.name, [source], type, reduction.properties);
    return site.reshape(narrow, result.type.shape);
  },
});

function reductionBelow(value: TensorValue): TtnnOp | undefined {
  return REDUCTIONS.map((name) => madeBelowReshape(value, name)).find((op) => op !== undefined);
}

/** Whether values are rounded once, after the whole sum: one dimension, default config. */
function isOneStep(reduction: TtnnOp): boolean {
  const { shape } = reduction.operandType(0) ?? { shape: [] };
  const dims = reduction.read(REDUCE).dim_arg ?? shape.map((_, dim) => dim);
  const config = reduction.attribute("compute_config");
  return (config === undefined || isComputeConfig(config)) &&
    dims.filter((dim) => shape.at(dim) !== 1).length === 1;
}
