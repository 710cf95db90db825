// SPDX-License-Identifier: Apache-2.0
import { isComputeConfig } from "../../dialect/compute_config_text.ts";
import { REDUCE } from "../../ops/attributes/reduction.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import { PassBuilder } from "../pass_builder.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { losslessSource } from "./fold_typecasts.ts";
import { isPlain, madeBelowReshape } from "./matching.ts";

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
    const narrow = new PassBuilder(site.body, reduction, site.context)
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
