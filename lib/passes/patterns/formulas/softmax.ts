// SPDX-License-Identifier: Apache-2.0
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import { normalDim, sameExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { madeBelowReshape, madeBy } from "../matching.ts";
import { SOFTMAX } from "../../../ops/attributes/normalization.ts";
import { isPlainFloat } from "../../../layout/data_type.ts";
import { fastestReduction } from "./reduce_across_cores.ts";

/**
 * `exp(x − max(x)) / sum(exp(x − max(x)))` → numerically stable `softmax`; without the maximum, a plain one
 * (tt-mlir: `SoftmaxFusionPattern`, `NumericStableSoftmaxFusionPattern`).
 */
export const fuseSoftmax: RewritePattern = replacing({
  name: "fuse-softmax",
  upstream: "level-0",
  roots: ["ttnn.divide"],
  replace: (op, site, result) => {
    const [numerator, denominator] = [op.tensorOperand(0), op.tensorOperand(1)];
    const exponent = madeBy(numerator, "exp")?.tensorOperand(0);
    const sum = madeBelowReshape(denominator, "sum");
    if (sum === undefined || exponent === undefined || numerator === undefined) return undefined;
    const dim = keptDimension(sum, numerator, denominator);
    if (dim === undefined) return undefined;
    const subtract = madeBy(exponent, "subtract");
    const input = subtract?.tensorOperand(0);
    const max = madeBelowReshape(subtract?.tensorOperand(1), "max");
    const isStable = input !== undefined && max !== undefined &&
      keptDimension(max, input, subtract?.tensorOperand(1)) === dim;
    const source = isStable ? input : exponent;
    if (!sameType(source.type, result.type)) return undefined;
    return site.op("ttnn.softmax", [source], result.type, {
      compute_config: sum.properties.get("compute_config"),
      dimension: dim,
      numericStable: isStable,
    });
  },
});

/** The dimension that a reduction of `input` reduces to one in `reduced`. */
function keptDimension(
  reduction: TtnnOp,
  input: TensorValue,
  reduced: TensorValue | undefined,
): number | undefined {
  const [given, ...others] = reduction.read(REDUCE).dim_arg ?? [];
  const { shape } = input.type;
  if (given === undefined || others.length > 0 || reduction.operands[0] !== input) return undefined;
  const dim = normalDim(given, shape.length);
  if (reduced === undefined || shape[dim] === undefined) return undefined;
  return sameExtents(reduced.type.shape, shape.with(dim, 1)) ? dim : undefined;
}

/**
 * Decomposes a softmax over few long rows into its formula if that is predicted faster: its kernel assigns whole tile rows to
 * cores, of which a batch of logits has few, while the ops of the formula use all tiles in parallel. The formula is computed
 * in f32: the kernel keeps more intermediate bits than the format of its rows has.
 */
export const spellOutSoftmax: RewritePattern = replacing({
  name: "spell-out-softmax",
  upstream: "none",
  roots: ["ttnn.softmax"],
  pays: (after, before, made) => after < before * (made.some(({ name }) => name === CAST) ? WORTH_CASTS : 1),
  replace: (op, site, result) => {
    const given = op.tensorOperand(0);
    if (given === undefined || !isPlainFloat(given.type.dataType)) return undefined;
    const { shape } = given.type;
    const dim = normalDim(op.read(SOFTMAX).dimension, shape.length);
    if (shape[dim] === undefined) return undefined;
    const input = site.typecast(given, "f32");
    const reduced = (name: string, rows: TensorValue) =>
      fastestReduction(
        site,
        rows,
        dim,
        (each, along) =>
          site.op(name, [each], site.type(each.type.shape.with(along, 1), "f32"), {
            compute_config: op.properties.get("compute_config"),
            dim_arg: [along],
            keep_dim: true,
          }),
      );
    const exponent = op.read(SOFTMAX).numericStable
      ? site.binary("subtract", input, reduced("ttnn.max", input))
      : input;
    const power = site.unary("exp", exponent);
    const divided = site.op("ttnn.divide", [power, reduced("ttnn.sum", power)], site.type(shape, "f32"));
    return site.typecast(divided, result.type.dataType);
  },
});

const CAST = "ttnn.typecast";

/** Share of the kernel's time below which rows of bf16 are converted: a policy may keep them in shards for the kernel. */
const WORTH_CASTS = 0.5;
