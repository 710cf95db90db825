// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { broadcastShape, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { InvariantValues } from "../../invariant_values.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { biasOf, convolutionBelow } from "../convolutions/convolution_source.ts";
import { isPlainConvolution } from "../convolutions/fold_into_convolution.ts";
import { eitherOrder, isPlain, madeBelowReshape, madeBy } from "../matching.ts";

/**
 * `(x + matmul) + bias` → `x + (matmul + bias)`, if the matmul or convolution has no bias yet and accepts
 * one: gates of recurrent cells, residuals added before the bias.
 */
export const biasBeforeSum: RewritePattern = replacing({
  name: "bias-before-sum",
  upstream: "none",
  roots: ["ttnn.add"],
  replace: (op, site, result) => {
    for (const [value, bias] of eitherOrder(op)) {
      const sum = value.onlyUser === op ? madeBy(value, "add") : undefined;
      if (sum === undefined || !sameType(value.type, result.type)) continue;
      if (!isRow(bias, result) || !InvariantValues.of(site.body).has(bias)) continue;
      const found = eitherOrder(sum).find(([product, other]) =>
        sameType(product.type, result.type) && sameType(other.type, result.type) && takesBias(product, sum)
      );
      if (found === undefined) continue;
      const [product, other] = found;
      const biased = site.op("ttnn.add", [product, bias], result.type);
      return site.op("ttnn.add", [other, biased], result.type);
    }
    return undefined;
  },
});

/**
 * `x · (r · c)`, with one number `r` per row and a constant `c` per column → `(x · r) · c`: Flax and Haiku multiply the
 * weight of a norm by the reciprocal deviation, where patterns of norms match the deviation next to `x`.
 */
export const factorPerRowFirst: RewritePattern = replacing({
  name: "factor-per-row-first",
  upstream: "none",
  roots: ["ttnn.multiply"],
  replace: (op, site, result) => {
    if (!isPlain(result.type) || op.read(MATMUL).activation !== undefined) return undefined;
    const constants = InvariantValues.of(site.body);
    for (const [input, factors] of eitherOrder(op)) {
      const both = factors.onlyUser === op ? madeBy(factors, "multiply") : undefined;
      const isWhole = sameType(input.type, result.type) && sameType(factors.type, result.type);
      if (both === undefined || !isWhole || constants.has(input)) continue;
      const found = eitherOrder(both).find(([perRow, perColumn]) =>
        perRow.type.shape.at(-1) === 1 && perRow.type.dataType === result.type.dataType &&
        isRow(perColumn, result) && constants.has(perColumn)
      );
      if (found === undefined || result.type.shape.at(-1) === 1) continue;
      const [perRow, perColumn] = found;
      const scaled = site.op("ttnn.multiply", [input, perRow], result.type);
      return site.op("ttnn.multiply", [scaled, perColumn], result.type);
    }
    return undefined;
  },
});

/** One number per column, in the format of the result. */
function isRow({ type }: TensorValue, result: TensorValue): boolean {
  const width = result.type.shape.at(-1);
  return type.shape.at(-1) === width && volume(type.shape) === width &&
    type.dataType === result.type.dataType;
}

/**
 * Whether a value with the single reader `reader` is a matmul or convolution, or a view of one, that accepts
 * a bias.
 */
function takesBias(value: TensorValue, reader: TtnnOp): boolean {
  if (value.onlyUser !== reader) return false;
  const matmul = madeBelowReshape(value, "matmul");
  if (matmul !== undefined) {
    const right = matmul.operandType(1)?.shape ?? [];
    return matmul.tensorResult?.onlyUser !== undefined && volume(right.slice(0, -2)) === 1 &&
      matmul.read(MATMUL).activation === undefined &&
      matmul.tensorResult.type.shape.at(-1) === value.type.shape.at(-1);
  }
  const source = convolutionBelow(value);
  return source !== undefined && source.channelDim === value.type.shape.length - 1 &&
    biasOf(source.convolution) === undefined && isPlainConvolution(source.convolution);
}

/** Largest share of the tensor's elements that counts as small. */
const SMALL = 1 / 16;

/**
 * `(t · a) · b` → `t · (a · b)` and `(t + a) + b` → `t + (a + b)` for small a and b: one pass over t fewer. Example: the
 * deviation of a group of channels and the weight of each channel.
 */
export const joinSmallOperands: RewritePattern = replacing({
  name: "join-small-operands",
  upstream: "none",
  roots: ["ttnn.add", "ttnn.multiply"],
  replace: (op, site, result) => {
    if (!isPlain(result.type) || op.read(MATMUL).activation !== undefined) return undefined;
    const name = op.name.replace("ttnn.", "");
    const { shape, dataType } = result.type;
    const isSmall = ({ type }: TensorValue): boolean =>
      type.dataType === dataType && isPlain(type) && volume(type.shape) <= SMALL * volume(shape);
    for (const [partial, outer] of eitherOrder(op)) {
      const inner = madeBy(partial, name);
      const isStep = inner !== undefined && partial.onlyUser === op && partial.type.dataType === dataType &&
        inner.read(MATMUL).activation === undefined;
      if (!isStep || !isSmall(outer)) continue;
      for (const [large, small] of eitherOrder(inner)) {
        const joined = broadcastShape([small.type.shape, outer.type.shape]);
        const isLarge = large.type.dataType === dataType && isPlain(large.type) &&
          volume(large.type.shape) === volume(shape);
        if (!isLarge || !isSmall(small) || joined === undefined) continue;
        if (volume(joined) > SMALL * volume(shape)) continue;
        const both = site.tensor(op.name, [small, outer], { shape: joined, dataType });
        return site.tensor(op.name, [large, both], { shape, dataType });
      }
    }
    return undefined;
  },
});
