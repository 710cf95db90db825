// SPDX-License-Identifier: Apache-2.0
import { readBool } from "../../dialect/attribute_values.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import type { BodyOp } from "../body/body_op.ts";
import type { TensorType, TensorValue, ValueType } from "../body/body_value.ts";
import { type PassContext, tensorType } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy, makeReshape, makeTyped, tilesOf } from "./matching.ts";

/**
 * A product of rows from several batches multiplies the batches as they are, where that is less time than collecting the
 * rows, or than giving back the products: 4x197 rows do not fill tiles, so that a reshape to 788 rows moves every number,
 * and a matmul with one parameter for all batches need not.
 */
export const matmulInBatches: RewritePattern = {
  name: "matmul-in-batches",
  option: undefined,
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    const [rows, result] = [op.tensorOperand(0), op.tensorResult];
    if (rows === undefined || result === undefined || !isProductOfRows(op, rows)) return false;
    const above = result.onlyUser?.name === "ttnn.reshape" ? result.onlyUser.tensorResult : undefined;
    const to = above ?? result;
    const below = madeBy(rows, "reshape")?.tensorOperand(0);
    const shape = [below, above].map((value) => batchesOf(value, rows, result)).find((found) =>
      found !== undefined
    );
    if (shape === undefined || ![rows, below ?? rows, result, to].every(({ type }) => isPlain(type))) {
      return false;
    }
    const batches = tensorType(context, shape, rows.type.dataType);
    const type = tensorType(context, shape.with(-1, result.type.shape.at(-1) ?? 1), result.type.dataType);
    const now = collected(rows, below, context) + reshape(result.type, to.type, context);
    const then = reshape((below ?? rows).type, batches, context) + reshape(type, to.type, context);
    const flat = product(op, rows.type, result.type, context);
    // The policies find configs for batches as they do for rows; what grows is what the product reads and writes.
    const growth = Math.max(
      tilesOf(batches.shape) / tilesOf(rows.type.shape),
      tilesOf(type.shape) / tilesOf(result.type.shape),
    );
    const question = {
      name: op.name,
      operands: [batches, ...others(op)],
      results: [type],
      attributes: op.attributeMap(),
    };
    if (!(then + flat * (growth - 1) < now) || !context.isLegal(question)) return false;
    const site = { anchor: op, body, context };
    const operands = [makeReshape(site, below ?? rows, shape), ...op.operands.slice(1)];
    const made = makeTyped(site, op.name, operands, type, op.properties);
    body.replaceAllUses(to, makeReshape(site, made, to.type.shape));
    return true;
  },
};

/** Whether every row is multiplied with one matrix, and a bias is one row. Nothing takes no time. */
function isProductOfRows(op: BodyOp, rows: TensorValue): boolean {
  const [weight, bias] = [op.tensorOperand(1), op.tensorOperand(2)];
  const isRow = bias === undefined || volume(bias.type.shape) === bias.type.shape.at(-1);
  return weight?.type.shape.length === 2 && isRow && rows.type.shape.length === 2 &&
    volume(rows.type.shape) > 0 &&
    !(readBool(op.attributeMap(), "transpose_a") ?? false);
}

/** The shape of the rows in their batches, as a reshape in front of the product or behind it says. */
function batchesOf(
  value: TensorValue | undefined,
  rows: TensorValue,
  result: TensorValue,
): readonly number[] | undefined {
  if (value === undefined || value.type.shape.length < 3 || value.type.dataType !== rows.type.dataType) {
    return undefined;
  }
  const width = value.type.shape.at(-1);
  const isOfRows = width === rows.type.shape.at(-1) || width === result.type.shape.at(-1);
  return isOfRows && volume(value.type.shape) / (width ?? 1) === rows.type.shape[0]
    ? value.type.shape.with(-1, rows.type.shape[1] ?? 1)
    : undefined;
}

/** Predicted time in µs of collecting the rows, shared by all that read them. */
function collected(rows: TensorValue, below: TensorValue | undefined, context: PassContext): number {
  return below === undefined ? 0 : reshape(below.type, rows.type, context) / rows.uses.size;
}

/** Types of all operands but the rows. */
function others(op: BodyOp): readonly ValueType[] {
  return op.operands.slice(1).map(({ type }) => type);
}

/** Predicted time in µs of the product as it is; infinite where it is unknown. */
function product(op: BodyOp, rows: TensorType, result: TensorType, context: PassContext): number {
  const operands = [rows, ...others(op)];
  return context.microseconds({
    name: op.name,
    operands,
    results: [result],
    attributes: op.attributeMap(),
  }) ?? Infinity;
}

/** Predicted time in µs; infinite where it is unknown. */
function reshape(from: TensorType, to: TensorType, context: PassContext): number {
  if (sameExtents(from.shape, to.shape)) return 0;
  const question = { name: "ttnn.reshape", operands: [from], results: [to], attributes: new Map() };
  return context.microseconds(question) ?? Infinity;
}
