// SPDX-License-Identifier: Apache-2.0
import { CONCAT } from "../../ops/attributes/movement.ts";
import { SOFTMAX } from "../../ops/attributes/normalization.ts";
import { MATMUL } from "../../ops/attributes/matmul.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import type { Properties, TtnnOp } from "../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../ttnn/value.ts";
import type { PassContext, ProposedOp } from "../graph_pass.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import { cutOf, dimensionOf, isPlain, madeBy, proposedWith } from "../patterns/matching.ts";
import { ELEMENTWISE_OPS, ROWWISE } from "../patterns/elementwise_ops.ts";
import type { PassBuilder } from "../rewrite_pattern.ts";

/**
 * An op that computes every row of its result from the same rows of its operands, for any grouping of rows.
 */
export interface RowOp {
  readonly op: TtnnOp;
  readonly result: TensorValue;
  /** Operands that are rows; the others are shared by all rows. */
  readonly rows: ReadonlySet<number>;
  /** A product of rows with a matrix; rows that are only joined or cut; or something else, done tile by tile. */
  readonly kind: "product" | "move" | "tiles";
}

/** Matches a row-wise op; `undefined` for other ops. */
export function rowOp(op: TtnnOp): RowOp | undefined {
  const result = op.tensorResult;
  if (result === undefined || result.type.shape.length < 2 || volume(result.type.shape) === 0) {
    return undefined;
  }
  const operands = op.operands.map((_, index) => op.tensorOperand(index));
  if (!isPlain(result.type) || operands.some((operand) => !isPlain(operand?.type))) return undefined;
  const rows = rowOperands(op, operands.flatMap((operand) => operand ?? []), result);
  return rows === undefined || rows.length === 0
    ? undefined
    : { op, result, rows: new Set(rows), kind: kindOf(op) };
}

function kindOf({ name }: TtnnOp): RowOp["kind"] {
  if (name === "ttnn.matmul" || name === "ttnn.linear") return "product";
  return name === "ttnn.concat" || name === "ttnn.slice_static" ? "move" : "tiles";
}

function rowOperands(
  op: TtnnOp,
  operands: readonly TensorValue[],
  result: TensorValue,
): readonly number[] | undefined {
  const shapes = operands.map(({ type }) => type.shape);
  const isRows = (shape: readonly number[] | undefined): boolean =>
    shape !== undefined && shape.length === result.type.shape.length &&
    sameExtents(shape.slice(0, -1), result.type.shape.slice(0, -1));
  const all = shapes.map((_, index) => index);
  const [first, second, ...others] = shapes;
  switch (op.name) {
    case "ttnn.matmul":
    case "ttnn.linear": {
      const isProduct = second?.length === 2 && others.every(isOneRow) &&
        !op.read(MATMUL).transpose_a;
      return isProduct && isRows(first) ? [0] : undefined;
    }
    case "ttnn.concat":
      return isLast(op, op.read(CONCAT).dim) && shapes.every(isRows) ? all : undefined;
    case "ttnn.slice_static":
      return cutOf(op)?.dim === result.type.shape.length - 1 ? [0] : undefined;
  }
  if (ROWWISE.has(op.name)) {
    const isOver = op.name !== "ttnn.softmax" || isLast(op, op.read(SOFTMAX).dimension);
    return isOver && isRows(first) && shapes.slice(1).every(({ length }) => length === 1) ? [0] : undefined;
  }
  if (!ELEMENTWISE_OPS.has(op.name)) return undefined;
  // Row operands are distinguished from shared ones by shape: they have as many rows as the result.
  const rows = all.filter((index) => isRows(shapes[index]));
  return shapes.every((shape) => isRows(shape) || isOneRow(shape)) ? rows : undefined;
}

function isOneRow(shape: readonly number[]): boolean {
  return volume(shape) === (shape.at(-1) ?? 1);
}

function isLast(op: TtnnOp, dim: number): boolean {
  return dimensionOf(op, dim) === (op.operandType(0)?.shape.length ?? 0) - 1;
}

/** The reshape that produces a value, if it only regroups rows. */
export function regrouping(value: TensorValue): TtnnOp | undefined {
  const op = madeBy(value, "reshape");
  const source = op?.operandType(0);
  const { type } = value;
  const keepsRows = source !== undefined && isPlain(source) && isPlain(type) && volume(type.shape) > 0 &&
    source.dataType === type.dataType && source.shape.length > 1 && type.shape.length > 1 &&
    source.shape.at(-1) === type.shape.at(-1);
  return keepsRows ? op : undefined;
}

/** The op-model query of the op on rows with other leading extents. */
export function regroupedQuestion(
  rowOp: RowOp,
  leading: readonly number[],
  context: PassContext,
): ProposedOp {
  const { op, result, rows } = rowOp;
  const typeOf = ({ dataType }: TtnnTensorType, shape: readonly number[]): TtnnTensorType =>
    tensorType(context.chip, shape, dataType);
  const operands = op.operands.map(({ type }, index) =>
    type.kind === "tensor" ? typeOf(type, regroupedShape(type.shape, rows.has(index), leading)) : type
  );
  const shape = regroupedShape(result.type.shape, true, leading);
  const results = [typeOf(result.type, shape)];
  return proposedWith(op, { operands, results, properties: regroupedProperties(op, shape) });
}

/** The op on rows with other leading extents; its result is regrouped to the old form. */
export function regroup({ op, result, rows }: RowOp, leading: readonly number[], site: PassBuilder): void {
  const { body } = site;
  const operands = op.operands.map((value, index) => {
    const operand = op.tensorOperand(index);
    if (operand === undefined) return value;
    const shape = regroupedShape(operand.type.shape, rows.has(index), leading);
    return shape === operand.type.shape ? operand : site.reshape(operand, shape);
  });
  const shape = regroupedShape(result.type.shape, true, leading);
  const type = site.type(shape, result.type.dataType);
  const properties = op.propertiesWith(regroupedProperties(op, shape));
  const made = site.op(op.name, operands, type, properties, op.attributes);
  body.replaceAllUses(result, site.reshape(made, result.type.shape));
  body.erase(op);
}

/** The shape of an operand or result where rows have other leading extents; a shared operand has at most as many. */
function regroupedShape(
  shape: readonly number[],
  isRows: boolean,
  leading: readonly number[],
): readonly number[] {
  const last = shape.at(-1) ?? 1;
  if (isRows) return [...leading, last];
  return shape.length > leading.length + 1 ? [...leading.map(() => 1), last] : shape;
}

/** Properties that count dimensions, for a result of another shape. */
function regroupedProperties(op: TtnnOp, shape: readonly number[]): Properties {
  const last = shape.length - 1;
  const cut = cutOf(op);
  if (op.name === "ttnn.softmax") return { dimension: last };
  if (op.name === "ttnn.concat") return { dim: last };
  return cut === undefined ? {} : {
    begins: shape.map((_, dim) => (dim === last ? cut.from : 0)),
    ends: shape.with(last, cut.to),
    step: shape.map(() => 1),
  };
}
