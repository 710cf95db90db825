// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { isBlockFloat } from "../../../layout/data_type.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { type PassContext, takeRoomForCopy } from "../../graph_pass.ts";
import { InvariantValues, raiseConstant } from "../../invariant_values.ts";
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";
import { cutOf, isPlain, madeBy, predictedMicroseconds, reshapeMicroseconds } from "../matching.ts";
import { padded, paddedHead, predictedPad, scaledAsBefore } from "./attention_operands.ts";

/**
 * Pads the heads of query, key and value to whole tiles, as attention requires, by wider weights instead of in every
 * inference: the weights and biases of the products that make them get columns of zeros for each head, and the weight of
 * the product that reads the merged heads gets rows of zeros, at load. Only where what the wider products are predicted to
 * take longer, in proportion to their columns, is less than the pads, and than splitting and merging heads of part of a tile.
 */
export const padHeadsAtLoad: RewritePattern = {
  name: "pad-heads-at-load",
  // Without const-eval, zeros would be added in every inference.
  option: "enable-const-eval",
  upstream: "none",
  roots: ["ttnn.scaled_dot_product_attention"],
  rewrite: (op, body, context) => {
    const [attended, size] = [op.tensorResult, op.operandType(0)?.shape.at(-1) ?? 0];
    const wide = paddedHead(size);
    if (attended === undefined || wide === size || !isPlain(attended.type)) return false;
    const constants = InvariantValues.of(body);
    const heads = [0, 1, 2].flatMap((index) => projectedHeads(op.tensorOperand(index), op, constants) ?? []);
    const makers = new Set(heads.map(({ product }) => product));
    // A product with other readers would stay beside the wider ones.
    const isMadeForHeads = makers.values().every((product) =>
      product.result.uses.size === heads.filter((head) => head.product === product).length
    );
    if (heads.length < 3 || !isMadeForHeads) return false;
    const merged = mergedHeads(attended, constants);
    const products = [...makers, ...(merged === undefined ? [] : [merged.product])];
    const sum = (times: readonly (number | undefined)[]): number =>
      times.reduce<number>((total, time) => total + (time ?? Infinity), 0);
    const wider = (wide / size - 1) * sum(products.map((product) => predictedMicroseconds(product, context)));
    const split = merged === undefined ? heads : [...heads, { made: attended }];
    const spared = sum(heads.map(({ made }) => predictedPad(made, context))) +
      sum(split.map(({ made }) => splitMicroseconds(made, context)));
    if (!Number.isFinite(spared) || !(wider < spared)) return false;
    const copied = products.flatMap((product) => product.operands.slice(1).map(({ type }) => type));
    if (!takeRoomForCopy(copied, context)) return false;
    const site = new PassBuilder(body, op, context);
    const operands = heads.map((head) => {
      const columns = withWiderHeads(head, wide, new PassBuilder(body, head.product, context));
      return site.typecast(site.permute(columns, SWAP), head.made.type.dataType);
    });
    const { shape, dataType } = attended.type;
    const result = site.op(
      op.name,
      [...operands, ...op.operands.slice(3)],
      site.type(shape.with(-1, wide), dataType),
      scaledAsBefore(op, size),
    );
    if (merged === undefined) {
      body.replaceAllUses(attended, site.slice(result, -1, { from: 0, to: size }));
      return true;
    }
    const { product, rows } = merged;
    const [, count = 1] = shape;
    const last = new PassBuilder(body, product, context);
    const flat = last.reshape(
      last.permute(last.typecast(result, rows.type.dataType), SWAP),
      rows.type.shape.with(-1, count * wide),
    );
    body.setOperand(product, 0, flat);
    const weight = product.tensorOperand(1);
    if (weight === undefined) return false;
    const side = product.read(MATMUL).transpose_b ? 1 : 0;
    raiseConstant(weight, product, body);
    body.setOperand(product, 1, withPaddedHeads(weight, side, [count, size], last));
    return true;
  },
};

/**
 * Predicted µs of the reshape that splits or merges heads that are no whole tiles, those of columns or, between two
 * transposes, of rows, whichever is less. Heads of whole tiles would stay in place.
 */
function splitMicroseconds({ type }: TensorValue, context: PassContext): number {
  const { shape: [batch = 1, heads = 1, rows = 1, size = 1], dataType } = type;
  const reshaped = (...shapes: readonly (readonly number[])[]): number => {
    const [whole, apart] = shapes.map((shape) => tensorType(context.chip, shape, dataType));
    return whole === undefined || apart === undefined ? 0 : reshapeMicroseconds(whole, apart, context);
  };
  return Math.min(
    reshaped([batch, rows, heads * size], [batch, rows, heads, size]),
    reshaped([batch, heads * size, rows], [batch, heads, size, rows]),
  );
}

/** Order of a permute that swaps heads and positions. */
const SWAP = [0, 2, 1, 3] as const;

/** Heads as a product with constant weights makes them. */
interface ProjectedHeads {
  readonly product: TtnnOp;
  /** The columns of the product that are these heads; `undefined` for all. */
  readonly columns: { readonly from: number; readonly to: number } | undefined;
  /** `[batch, positions, heads, size]`. */
  readonly apart: TensorValue;
  /** `[batch, heads, positions, size]`, what attention reads. */
  readonly made: TensorValue;
}

/** The product below heads that are cut out of it, reshaped, permuted, and perhaps converted, all for one reader. */
function projectedHeads(
  made: TensorValue | undefined,
  reader: TtnnOp,
  constants: InvariantValues,
): ProjectedHeads | undefined {
  if (made === undefined || made.onlyUser !== reader || !isPlain(made.type)) return undefined;
  const permute = madeBy(below(made, "typecast"), "permute");
  const apart = permute?.tensorOperand(0);
  if (permute === undefined || apart === undefined || apart.onlyUser !== permute) return undefined;
  if (!swaps(permute)) return undefined;
  const split = below(apart, "reshape");
  const slice = madeBy(split, "slice_static");
  const columns = cutOf(slice);
  const result = slice?.tensorOperand(0) ?? split;
  const product = madeBy(result, "matmul", "linear");
  const isSplit = product !== undefined && isWidenable(product, constants) &&
    split.type.shape.at(-1) === volume(apart.type.shape.slice(2)) &&
    (slice === undefined || columns?.dim === result.type.shape.length - 1);
  return isSplit ? { product, columns, apart, made } : undefined;
}

/** The value below ops of one name that have one reader each; itself if there is none. */
function below(value: TensorValue, name: string): TensorValue {
  for (let at = value;;) {
    const source = at.onlyUser === undefined ? undefined : madeBy(at, name)?.tensorOperand(0);
    if (source === undefined || source.onlyUser === undefined) return at;
    at = source;
  }
}

/** The product that alone reads merged heads, and its operand; `undefined` if there is none with constant weights. */
function mergedHeads(
  attended: TensorValue,
  constants: InvariantValues,
): { readonly product: TtnnOp; readonly rows: TensorValue } | undefined {
  const [, heads = 1, , size = 1] = attended.type.shape;
  const permuted = above(above(attended, "typecast") ?? attended, "permute");
  if (permuted === undefined || !swaps(permuted.producer)) return undefined;
  let rows = permuted;
  for (let next = above(rows, "reshape"); next !== undefined; next = above(rows, "reshape")) rows = next;
  const product = madeBy(rows.onlyUser?.tensorResult, "matmul", "linear");
  const isRead = product !== undefined && product.operands.indexOf(rows) === 0 &&
    rows.type.shape.at(-1) === heads * size && isWidenable(product, constants);
  return isRead ? { product, rows } : undefined;
}

/** The result of the one reader of a value, if it has this name, given without `ttnn.`. */
function above(value: TensorValue, name: string): TensorValue | undefined {
  return madeBy(value.onlyUser?.tensorResult, name)?.tensorResult;
}

function swaps(permute: TtnnOp | undefined): boolean {
  return permute !== undefined && sameExtents(permute.read(PERMUTE).permutation, SWAP);
}

/** Whether a matmul has plain constant weights of rank 2 and, if any, a bias of one row. */
function isWidenable(product: TtnnOp, constants: InvariantValues): boolean {
  const [weight, bias] = [product.tensorOperand(1), product.tensorOperand(2)];
  const isConstant = (value: TensorValue): boolean =>
    isPlain(value.type) && !isBlockFloat(value.type.dataType) && constants.has(value);
  return product.read(MATMUL).activation === undefined &&
    !product.read(MATMUL).transpose_a && weight?.type.shape.length === 2 && isConstant(weight) &&
    isPlain(product.tensorResult?.type) &&
    (bias === undefined || isConstant(bias) && volume(bias.type.shape) === bias.type.shape.at(-1));
}

/** `[batch, positions, heads, wide]`: the heads of a product with columns of zeros for each. */
function withWiderHeads(
  { product, columns, apart }: ProjectedHeads,
  wide: number,
  site: PassBuilder,
): TensorValue {
  const { shape } = apart.type;
  const heads = shape.slice(2);
  const [weight, bias, result] = [product.tensorOperand(1), product.tensorOperand(2), product.tensorResult];
  if (weight === undefined || result === undefined) throw new RangeError("a product without a weight");
  const side = product.read(MATMUL).transpose_b ? 0 : 1;
  const widened = (value: TensorValue, dim: number): TensorValue => {
    raiseConstant(value, site.anchor, site.body);
    return withPaddedHeads(columns === undefined ? value : site.slice(value, dim, columns), dim, heads, site);
  };
  const operands = [
    ...product.operands.slice(0, 1),
    widened(weight, side),
    ...(bias === undefined ? [] : [widened(bias, bias.type.shape.length - 1)]),
  ];
  const type = site.type(result.type.shape.with(-1, (heads[0] ?? 1) * wide), result.type.dataType);
  const made = site.op(product.name, operands, type, product.properties, product.attributes);
  return site.reshape(made, shape.with(-1, wide));
}

/** A constant with zeros behind each of the heads that one of its dimensions holds; computed at load. */
function withPaddedHeads(
  value: TensorValue,
  dim: number,
  heads: readonly number[],
  site: PassBuilder,
): TensorValue {
  const { shape } = value.type;
  const apart = padded(site, site.reshape(value, shape.toSpliced(dim, 1, ...heads)), dim + 1);
  return site.reshape(apart, shape.with(dim, (heads[0] ?? 1) * (apart.type.shape[dim + 1] ?? 1)));
}
