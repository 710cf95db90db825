// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { movesOnlyOnes, swapExtents, transposition, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, type TensorValue } from "../../../ttnn/value.ts";
import { InvariantValues } from "../../invariant_values.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { eitherOrder, isPlain, madeBelowReshape, madeBy } from "../matching.ts";

/**
 * Makes a matmul read a permuted operand transposed, if the permute swaps its rows and columns. The rest of
 * the permute keeps rows whole: either it moves heads before positions, or nothing (tt-mlir: permutes into
 * matmuls). Also through scalings and typecasts after the permute. Parameters are excluded, because they are
 * permuted at load.
 */
export const transposedFactors: RewritePattern = {
  name: "transposed-factors",
  option: ["enable-fusing-pass", "enable-permute-matmul-fusion"],
  upstream: "none",
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    for (const [index, flag] of [[0, "transpose_a"], [1, "transpose_b"]] as const) {
      const factor = op.tensorOperand(index);
      const permuted = factor === undefined ? undefined : permutedFrom(factor, op);
      if (factor === undefined || permuted === undefined || !isPlain(factor.type)) continue;
      if (InvariantValues.of(body).has(factor)) continue;
      const { source, order, shape } = permuted;
      const site = new PassBuilder(body, op, context);
      const upright = ordered(site, source, order);
      const rows = shape === undefined ? upright : site.reshape(upright, shape);
      body.setOperand(
        op,
        index,
        permuted.behind.reduceRight((value, step) => again(site, step, value), rows),
      );
      op.set({ [flag]: !op.read(MATMUL)[flag] });
      return true;
    }
    return false;
  },
};

/** A value with rows and columns swapped by a permute. */
interface Permuted {
  readonly source: TensorValue;
  /** Order of what is left of the permute, which keeps the columns of the source whole. */
  readonly order: readonly number[];
  /** The shape in which the source, so ordered, has rows and columns, if a reshape merged them behind the permute. */
  readonly shape?: readonly number[];
  /** Elementwise ops after the permute, last first. */
  readonly behind: readonly FactorStep[];
}

/** A uniform elementwise op of one operand. */
interface FactorStep {
  readonly op: TtnnOp;
  readonly operand: number;
}

/** Most typecasts and scalings after a permute. */
const MOST_STEPS = 8;

/**
 * The permute behind a value whose single user is `user`, through typecasts and scalings; `undefined` if there is none, or
 * if it does not make the columns of its source the rows of the value.
 */
function permutedFrom(value: TensorValue, user: TtnnOp): Permuted | undefined {
  const behind: FactorStep[] = [];
  let [at, reader] = [value, user];
  while (behind.length <= MOST_STEPS && at.onlyUser === reader) {
    const permute = madeBy(at, "permute");
    const source = permute?.tensorOperand(0);
    if (permute !== undefined && source !== undefined) {
      const order = permute.read(PERMUTE).permutation;
      const isPermuted = order.length >= 2 && order.at(-2) === order.length - 1;
      const isKept = isPlain(at.type) && isPlain(source.type) && at.type.dataType === source.type.dataType;
      const upright = [...order.slice(0, -2), order.at(-1) ?? 0, order.at(-2) ?? 0];
      return isPermuted && isKept ? { source, order: upright, behind } : undefined;
    }
    const merged = mergedFrom(at);
    if (merged !== undefined) return { ...merged, behind };
    const step = stepTo(at);
    const input = step?.op.tensorOperand(step.operand);
    if (step === undefined || input === undefined) return undefined;
    behind.push(step);
    [at, reader] = [input, step.op];
  }
  return undefined;
}

/**
 * The rotation behind a reshape that merges what it brought to the front to rows, and the rest to columns: `[batch, rows…,
 * columns…]` of a source `[columns…, rows…]` that has the batch between its dimensions, such as positions before heads.
 */
function mergedFrom(value: TensorValue): Omit<Permuted, "behind"> | undefined {
  const reshape = madeBy(value, "reshape");
  const rotated = reshape?.tensorOperand(0);
  const permute = rotated?.onlyUser === reshape ? madeBy(rotated, "permute") : undefined;
  const source = permute?.tensorOperand(0);
  if (permute === undefined || source === undefined) return undefined;
  // Two permutes are joined, or undo each other.
  if (madeBy(source, "permute") !== undefined || madeBelowReshape(source, "permute") !== undefined) {
    return undefined;
  }
  const arePlain = [value, source].every(({ type }) => isPlain(type)) &&
    source.type.dataType === value.type.dataType;
  const { shape } = source.type;
  const [batch, [rows = 1, columns = 1]] = [value.type.shape.slice(0, -2), value.type.shape.slice(-2)];
  const order = permute.read(PERMUTE).permutation.filter((dim) => shape[dim] !== 1);
  const split = lengthOf(order, shape, volume(batch));
  const [lead, rest] = [order.slice(0, split), order.slice(split)];
  const front = lengthOf(rest, shape, rows);
  const upright = [...rest.slice(front), ...rest.slice(0, front)];
  const isRotated = front > 0 && front < rest.length &&
    upright.every((dim, at) => dim > (upright[at - 1] ?? -1));
  const keepsColumns = lead.every((dim) => dim < (upright.at(-1) ?? 0));
  const isMerged = volume(lead.map((dim) => shape[dim] ?? 1)) === volume(batch) &&
    volume(rest.slice(front).map((dim) => shape[dim] ?? 1)) === columns;
  if (!arePlain || !isRotated || !keepsColumns || !isMerged) return undefined;
  const others = shape.flatMap((_, dim) => lead.includes(dim) ? [] : [dim]);
  const left = [...lead, ...others];
  // Heads that move anyway are permuted to rows or to columns; only what is merged is moved twice.
  if (rest.length === 2 && !movesOnlyOnes(shape, left)) return undefined;
  return { source, order: left, shape: [...batch, columns, rows] };
}

/** How many of the first dimensions together have that many elements; 0 if no number of them has. */
function lengthOf(dims: readonly number[], shape: readonly number[], elements: number): number {
  return 1 +
    dims.findIndex((_, at) => volume(dims.slice(0, at + 1).map((dim) => shape[dim] ?? 1)) === elements);
}

/** The typecast, or the product with or quotient by one number, that produces a value; `undefined` for others. */
function stepTo(value: TensorValue): FactorStep | undefined {
  const op = madeBy(value, "typecast", "multiply", "divide");
  if (op === undefined || op.read(MATMUL).activation !== undefined) return undefined;
  if (op.name === "ttnn.typecast") return { op, operand: 0 };
  const orders = eitherOrder(op).slice(0, op.name === "ttnn.divide" ? 1 : 2);
  const operand = orders.findIndex(([input, number]) =>
    volume(number.type.shape) === 1 && sameShape(input, value)
  );
  return operand === -1 ? undefined : { op, operand };
}

/** A step on another tensor. */
function again(site: PassBuilder, { op, operand }: FactorStep, value: TensorValue): TensorValue {
  const dataType = op.tensorResult?.type.dataType ?? value.type.dataType;
  const operands = op.operands.with(operand, value);
  return site.op(op.name, operands, tensorType(site.chip, value.type.shape, dataType), op.properties);
}

/**
 * Transposes a matmul's parameter at load instead of in every inference, as upstream does by its const-eval.
 */
export const transposeParameters: RewritePattern = {
  name: "transpose-parameters",
  option: "enable-const-eval",
  upstream: "level-0",
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    const weight = op.tensorOperand(1);
    const shape = weight?.type.shape ?? [];
    const isTransposed = op.read(MATMUL).transpose_b;
    if (weight === undefined || !isTransposed || shape.length < 2) return false;
    if (weight.type.layout.tile === undefined || weight.type.layout.bufferType !== "dram") return false;
    const site = new PassBuilder(body, op, context);
    if (!site.preparesAtLoad(weight)) return false;
    body.setOperand(op, 1, site.permute(weight, transposition(shape.length)));
    op.set({ transpose_b: false });
    return true;
  },
};

/**
 * Swaps the factors of a product whose rows a permute makes columns, `(a b)ᵀ = bᵀ aᵀ`, also where a reshape splits rows and
 * columns in between: what is left of the permute keeps rows whole. Only if no more factors than before are read
 * transposed that are not parameters: JAX puts weights first where a module is mapped over rows, and keys before queries.
 */
export const transposedProducts: RewritePattern = replacing({
  name: "transposed-products",
  option: ["enable-fusing-pass", "enable-permute-matmul-fusion"],
  upstream: "none",
  roots: ["ttnn.permute"],
  replace: (op, site, result) => {
    const split = op.tensorOperand(0);
    const product = madeBy(split, "reshape")?.tensorOperand(0) ?? split;
    const matmul = madeBy(product, "matmul");
    const [a, b] = [matmul?.tensorOperand(0), matmul?.tensorOperand(1)];
    if (split === undefined || product === undefined || matmul === undefined) return undefined;
    if (a === undefined || b === undefined || a.type.shape.length !== b.type.shape.length) return undefined;
    const isAlone = split.onlyUser === op && (split === product || product.onlyUser === split.producer);
    const { transpose_a, transpose_b, activation } = matmul.read(MATMUL);
    const arePlain = [a, b, product, split, result].every(({ type }) => isPlain(type));
    if (!isAlone || !arePlain || activation !== undefined) return undefined;
    const constants = InvariantValues.of(site.body);
    const isRead = ([factor, flag]: readonly [TensorValue, boolean]): boolean =>
      flag && !constants.has(factor);
    const before = [[a, transpose_a], [b, transpose_b]] as const;
    const after = [[a, !transpose_a], [b, !transpose_b]] as const;
    if (after.filter(isRead).length > before.filter(isRead).length) return undefined;
    const order = op.read(PERMUTE).permutation;
    const parts = rowsAndColumns(product.type.shape, split.type.shape, order.at(-1) ?? 0);
    if (parts === undefined) return undefined;
    const { batch, columns } = parts;
    const { shape, dataType } = product.type;
    const swapped = site.op(
      "ttnn.matmul",
      [b, a],
      site.type(swapExtents(shape, shape.length - 2, shape.length - 1), dataType),
      matmul.propertiesWith({ transpose_a: !transpose_b, transpose_b: !transpose_a }),
    );
    const extents = split.type.shape;
    const apart = site.reshape(swapped, [
      ...extents.slice(0, batch),
      ...extents.slice(columns),
      ...extents.slice(batch, columns),
    ]);
    const places = extents.map((_, dim) =>
      dim < batch ? dim : dim < columns ? dim + extents.length - columns : dim - columns + batch
    );
    const left = order.map((dim) => places[dim] ?? dim);
    return ordered(site, apart, left);
  },
});

/** A tensor in another order of dimensions; those of one element are moved by a reshape. */
function ordered(site: PassBuilder, value: TensorValue, order: readonly number[]): TensorValue {
  const { shape } = value.type;
  return movesOnlyOnes(shape, order)
    ? site.reshape(value, order.map((dim) => shape[dim] ?? 1))
    : site.permute(value, order);
}

/** Where the rows and the columns of a product begin in a shape that splits it; `last` is the last dimension of the rows. */
function rowsAndColumns(
  product: readonly number[],
  split: readonly number[],
  last: number,
): { readonly batch: number; readonly columns: number } | undefined {
  const [rows = 1, width = 1] = product.slice(-2);
  const columns = last + 1;
  const batch = split.findLastIndex((_, dim) => dim < columns && volume(split.slice(dim, columns)) === rows);
  const isSplit = batch !== -1 && volume(split.slice(columns)) === width &&
    volume(split.slice(0, batch)) === volume(product.slice(0, -2));
  return isSplit && rows > 1 && width > 1 ? { batch, columns } : undefined;
}
