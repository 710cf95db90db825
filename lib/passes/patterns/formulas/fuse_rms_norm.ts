// SPDX-License-Identifier: Apache-2.0
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import { isComputeConfig, NORM_COMPUTE_CONFIG } from "../../../dialect/compute_config_text.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import type { UpstreamLevel } from "../../pass_options.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { constantOf, eitherOrder, isPlain, madeBelowReshape, madeBy } from "../matching.ts";
import { isSquare } from "./normalized.ts";

/**
 * `weight · (x · rsqrt(mean(x · x) + ε))` → `rms_norm(x)`, also if the middle is computed in f32 (tt-mlir:
 * `RMSNormFusionPattern`).
 */
export const fuseRmsNorm: RewritePattern = fusing("fuse-rms-norm", "level-0", rowOf);

/** The same with a weight that is made for every row to broadcast, as TTNN has it that is compiled already. */
export const fuseRmsNormOfRow: RewritePattern = fusing(
  "fuse-rms-norm-of-row",
  "none",
  (weight, width, site) => isPlain(weight.type) ? site.reshape(weight, [width]) : undefined,
);

/** @param rowOf a weight with as many elements as a row, in rank one */
function fusing(
  name: string,
  upstream: UpstreamLevel,
  rowOf: (weight: TensorValue, width: number, site: PassBuilder) => TensorValue | undefined,
): RewritePattern {
  return replacing({
    name,
    upstream,
    roots: ["ttnn.multiply"],
    replace: (op, site, result) => {
      for (const [weight, scaled] of eitherOrder(op)) {
        const width = scaled.type.shape.at(-1) ?? 1;
        if (volume(weight.type.shape) !== width || weight.type.shape.at(-1) !== width) continue;
        const found = normalizedInput(scaled, site.context);
        if (found === undefined || !sameType(found.input.type, result.type)) continue;
        const row = rowOf(weight, width, site);
        if (row === undefined) continue;
        const config = found.mean.properties.get("compute_config");
        return site.op("ttnn.rms_norm", [found.input, row], result.type, {
          compute_config: isComputeConfig(found.mean.attribute("compute_config"))
            ? NORM_COMPUTE_CONFIG
            : config,
          epsilon: found.epsilon,
          operandSegmentSizes: [1, 1, 0],
        });
      }
      return undefined;
    },
  });
}

/** The weight itself, or what the reshape that makes it broadcast reads. */
function rowOf(weight: TensorValue, width: number): TensorValue | undefined {
  const below = madeBy(weight, "reshape")?.tensorOperand(0);
  return [weight, below].find((tensor) => tensor !== undefined && sameExtents(tensor.type.shape, [width]));
}

/** What a reshape reads that groups the same rows in other dimensions. */
function sameRows(grouped: TensorValue): TensorValue | undefined {
  const below = madeBy(grouped, "reshape")?.tensorOperand(0);
  return below?.type.shape.at(-1) === grouped.type.shape.at(-1) ? below : undefined;
}

/** `x · rsqrt(mean(x²) + epsilon)`. */
interface RmsNormalized {
  readonly input: TensorValue;
  readonly epsilon: number;
  readonly mean: TtnnOp;
}

/** `x` and `epsilon` of `x * rsqrt(mean(x * x) + epsilon)` over the last dimension. */
function normalizedInput(scaled: TensorValue, context: PassContext): RmsNormalized | undefined {
  const castBack = madeBy(scaled, "typecast");
  const product = madeBy(castBack === undefined ? scaled : castBack.operands[0], "multiply");
  if (product === undefined) return undefined;
  for (const [wide, factor] of eitherOrder(product)) {
    // As many factors as rows, so that views in front of the product change neither rows nor what they are scaled by.
    const rows = wide.type.shape.with(-1, 1);
    const { shape } = factor.type;
    if (volume(shape) !== volume(rows) || !sameExtents(shape, rows.slice(-shape.length))) continue;
    const shifted = madeBy(madeBelowReshape(factor, "rsqrt")?.operands[0], "add");
    for (const [average, offset] of shifted === undefined ? [] : eitherOrder(shifted)) {
      const epsilon = constantOf(offset, context);
      const mean = madeBelowReshape(average, "mean");
      const square = mean?.tensorOperand(0);
      if (epsilon === undefined || mean === undefined || square === undefined) continue;
      const rank = square.type.shape.length;
      const [dim, ...others] = mean.read(REDUCE).dim_arg ?? [];
      if ((dim !== rank - 1 && dim !== -1) || others.length > 0) continue;
      if (![wide, sameRows(wide)].some((rows) => rows !== undefined && isSquare(square, rows))) continue;
      const input = castBack === undefined ? wide : madeBy(wide, "typecast")?.tensorOperand(0);
      if (input !== undefined) return { input, epsilon, mean };
    }
  }
  return undefined;
}
