// SPDX-License-Identifier: Apache-2.0
import { COMMON } from "../../../ops/attributes/common.ts";
import { NORM } from "../../../ops/attributes/normalization.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { InvariantValues, raiseConstant } from "../../invariant_values.ts";
import type { PassContext } from "../../graph_pass.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { eitherOrder, isPlain, madeBy, withoutCasts } from "../matching.ts";
import { type Centred, centred, normalizedBy } from "./normalized.ts";

/**
 * `(x − mean(x)) / √(mean((x − mean(x))²) + ε)` over the last dimension → `layer_norm(x)`; also if the second
 * half was fused to `rms_norm` already.
 */
export const fuseLayerNorm: RewritePattern = replacing({
  name: "fuse-layer-norm",
  upstream: "none",
  roots: ["ttnn.multiply", "ttnn.divide", "ttnn.rms_norm"],
  replace: (op, site, result) => {
    const found = op.name === "ttnn.rms_norm" ? ofRmsNorm(op) : ofQuotient(op, site.context);
    if (found === undefined || !sameType(found.input.type, result.type)) return undefined;
    return isPlain(result.type) ? layerNorm(site, found, result) : undefined;
  },
});

/**
 * A constant factor per column after a `layer_norm` without weight and bias becomes its weight; an addend after one with
 * a weight alone becomes its bias.
 */
export const fuseLayerNormParameters: RewritePattern = replacing({
  name: "fuse-layer-norm-parameters",
  upstream: "none",
  roots: ["ttnn.multiply", "ttnn.add"],
  replace: (op, site, result) => {
    const constants = InvariantValues.of(site.body);
    for (const [value, row] of eitherOrder(op)) {
      const norm = madeBy(withoutCasts(value), "layer_norm");
      const input = norm?.tensorOperand(0);
      if (norm === undefined || input === undefined || !isRow(row, result) || !constants.has(row)) continue;
      const segments = norm.read(COMMON).operandSegmentSizes ?? [1, 0, 0];
      const [, hasWeight = 0, hasBias = 0] = segments;
      const isWeight = op.name === "ttnn.multiply";
      // A bias comes after the weight.
      if (hasBias === 1 || isWeight === (hasWeight === 1)) continue;
      const epsilon = norm.read(NORM).epsilon;
      const weight = hasWeight === 1 ? norm.tensorOperand(1) : undefined;
      if (epsilon === undefined || !sameType(input.type, result.type)) continue;
      raiseConstant(row, op, site.body);
      const added = site.reshape(row, [volume(row.type.shape)]);
      const parameters = isWeight ? { weight: added } : { weight, bias: added };
      const made = layerNorm(site, { input, epsilon, ...parameters }, result);
      if (made !== undefined) return made;
    }
    return undefined;
  },
});

interface Norm {
  readonly input: TensorValue;
  readonly epsilon: number;
  /** Rows of rank one. */
  readonly weight?: TensorValue | undefined;
  readonly bias?: TensorValue | undefined;
}

function parametersOf(norm: TtnnOp): readonly [TensorValue | undefined, TensorValue | undefined] {
  const [, hasWeight = 0, hasBias = 0] = norm.read(COMMON).operandSegmentSizes ?? [];
  return [
    hasWeight === 1 ? norm.tensorOperand(1) : undefined,
    hasBias === 1 ? norm.tensorOperand(1 + hasWeight) : undefined,
  ];
}

/** `rms_norm(x − mean(x))`. */
function ofRmsNorm(op: TtnnOp): Norm | undefined {
  const found = centred(op.tensorOperand(0));
  const epsilon = op.read(NORM).epsilon;
  const [weight, bias] = parametersOf(op);
  const isNorm = found !== undefined && isOverRows(found) && epsilon !== undefined;
  return isNorm ? { input: found.input, epsilon, weight, bias } : undefined;
}

/** The formula over rows. */
function ofQuotient(op: TtnnOp, context: PassContext): Norm | undefined {
  const found = normalizedBy(op, context);
  return found !== undefined && isOverRows(found) ? found : undefined;
}

/** Whether means are over the last dimension; a row of one element is its own mean. */
function isOverRows({ input, dims }: Centred): boolean {
  return sameExtents(dims, [input.type.shape.length - 1]);
}

/** One number per column. */
function isRow({ type }: TensorValue, result: TensorValue): boolean {
  const width = result.type.shape.at(-1) ?? 1;
  return volume(type.shape) === width && type.shape.at(-1) === width && isPlain(type) &&
    type.shape.length <= result.type.shape.length && type.dataType === result.type.dataType;
}

/** The op, if it is legal. */
function layerNorm(
  site: PassBuilder,
  { input, epsilon, weight, bias }: Norm,
  result: TensorValue,
): TensorValue | undefined {
  const groups = [input, weight, bias];
  const operands = groups.filter((group) => group !== undefined);
  const operandSegmentSizes = groups.map((group) => group === undefined ? 0 : 1);
  return site.opIfLegal("ttnn.layer_norm", operands, result.type, { epsilon, operandSegmentSizes });
}
