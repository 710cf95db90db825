// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import { tileCount } from "../../../layout/tile_shape.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";
import { constantOf, isPlain, madeBy, predictedMicroseconds, reshapeMicroseconds } from "../matching.ts";

/**
 * Multiplies batches directly instead of the rows that a reshape collected from them, if that is faster.
 * 4x197 rows do not fill tiles, so collecting them moves every element; a matmul with one parameter for all
 * batches avoids that.
 */
export const matmulInBatches: RewritePattern = replacing({
  name: "matmul-in-batches",
  upstream: "none",
  roots: ["ttnn.matmul", "ttnn.linear"],
  replace: (op, site, result) => {
    const { context } = site;
    const rows = op.tensorOperand(0);
    const batches = madeBy(rows, "reshape")?.tensorOperand(0);
    if (rows === undefined || batches === undefined) return undefined;
    // An empty tensor takes no time.
    if (!isProductOfRows(op, rows, batches) || volume(batches.type.shape) === 0) return undefined;
    const to = (result.onlyUser?.name === "ttnn.reshape" ? result.onlyUser.tensorResult : undefined) ??
      result;
    if (![rows, batches, result, to].every(({ type }) => isPlain(type))) return undefined;
    const shape = batches.type.shape.with(-1, result.type.shape.at(-1) ?? 1);
    const type = site.type(shape, result.type.dataType);
    const spared = reshapeMicroseconds(batches.type, rows.type, context) / rows.uses.size +
      reshapeMicroseconds(result.type, to.type, context);
    const flat = predictedMicroseconds(op, context) ?? Infinity;
    // Policies find configs for batches as well as for rows; only the read and written bytes grow.
    const growth = Math.max(
      tileCount(batches.type.shape) / tileCount(rows.type.shape),
      tileCount(shape) / tileCount(result.type.shape),
    );
    const more = flat * (growth - 1) + reshapeMicroseconds(type, to.type, context);
    if (!(more < spared)) return undefined;
    const made = site.opIfLegal(op.name, [batches, ...op.operands.slice(1)], type, op.properties);
    return made && new Map([[to, site.reshape(made, to.type.shape)]]);
  },
});

/**
 * Gives a product of several matrices around a softmax the leading one that its only reader adds: `jnp.matmul` drops a
 * batch of one, and attention is matched in four dimensions.
 */
export const leadingOneInProduct: RewritePattern = replacing({
  name: "leading-one-in-product",
  upstream: "none",
  roots: ["ttnn.matmul"],
  replace: (op, site, result) => {
    const { context } = site;
    const [a, b] = op.tensorOperands;
    const ranked = madeBy(result.onlyUser?.tensorResult, "reshape")?.tensorResult;
    if (a === undefined || b === undefined || ranked === undefined) return undefined;
    const values = [a, b, result];
    const isDropped = values.every(({ type }) => isPlain(type) && type.shape.length === 3) &&
      isPlain(ranked.type) && sameExtents(ranked.type.shape, [1, ...result.type.shape]) &&
      op.operands.length === 2;
    if (!isDropped || !leadsToSoftmax(ranked, context) && !(isSoftmax(a) && isOfProduct(a, context))) {
      return undefined;
    }
    const factors = [a, b].map((factor) => {
      const shape = [1, ...factor.type.shape];
      const source = madeBy(factor, "reshape")?.tensorOperand(0);
      const isSource = source !== undefined && isPlain(source.type) &&
        sameExtents(source.type.shape, shape) &&
        source.type.dataType === factor.type.dataType;
      return isSource ? source : site.reshape(factor, shape);
    });
    return new Map([[ranked, site.op(op.name, factors, ranked.type, op.properties, op.attributes)]]);
  },
});

/** Most ops between scores and their softmax. */
const MOST_STEPS = 8;

/** Whether scores, scaled by numbers, masked and converted, are those of a softmax. */
function leadsToSoftmax(scores: TensorValue, context: PassContext, left: number = MOST_STEPS): boolean {
  return left > 0 && [...scores.uses.keys()].some((user) =>
    user.name === "ttnn.softmax" ||
    user.tensorResult !== undefined && keepsScores(user, context) &&
      leadsToSoftmax(user.tensorResult, context, left - 1)
  );
}

/** Whether a softmax of scores that a product made gives a value, below conversions. */
function isOfProduct(
  value: TensorValue | undefined,
  context: PassContext,
  left: number = 2 * MOST_STEPS,
): boolean {
  const op = value?.producer;
  if (op === undefined || left === 0) return false;
  if (op.name === "ttnn.matmul") return true;
  return (op.name === "ttnn.softmax" || keepsScores(op, context)) &&
    op.tensorOperands.some((operand) => isOfProduct(operand, context, left - 1));
}

/** Whether an op scales scores by a number, masks or converts them. */
function keepsScores(op: TtnnOp, context: PassContext): boolean {
  if (op.name === "ttnn.multiply" || op.name === "ttnn.divide") {
    return op.tensorOperands.some((operand) => constantOf(operand, context) !== undefined);
  }
  return ELEMENTWISE_OPS.has(op.name) || op.name === "ttnn.reshape";
}

/** Whether a softmax made a value, below conversions. */
function isSoftmax(value: TensorValue): boolean {
  const below = madeBy(value, "reshape", "typecast")?.tensorOperand(0);
  return below === undefined ? madeBy(value, "softmax") !== undefined : isSoftmax(below);
}

/** Whether one matrix multiplies every row of every batch, and a bias is a single row. */
function isProductOfRows(op: TtnnOp, rows: TensorValue, batches: TensorValue): boolean {
  const [weight, bias] = [op.tensorOperand(1), op.tensorOperand(2)];
  const isRow = bias === undefined || volume(bias.type.shape) === bias.type.shape.at(-1);
  return weight?.type.shape.length === 2 && isRow && rows.type.shape.length === 2 &&
    batches.type.shape.length > 2 && batches.type.shape.at(-1) === rows.type.shape.at(-1) &&
    batches.type.dataType === rows.type.dataType &&
    !op.read(MATMUL).transpose_a;
}
