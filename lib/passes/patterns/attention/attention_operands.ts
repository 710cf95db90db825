// SPDX-License-Identifier: Apache-2.0
import { broadcastShape, swapExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, sameType, type TensorValue, type TtnnValue } from "../../../ttnn/value.ts";
import { PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { eitherOrder, isPlain, madeBy, proposedWith, tensorOf, transposedFrom } from "../matching.ts";
import { ATTENTION_FORM, SPLIT_HEADS } from "../../../ops/attributes/attention.ts";
import { PAD } from "../../../ops/attributes/movement.ts";
import { makeAttributes } from "../../../ops/attributes/print_attributes.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { DEFAULT_TILE } from "../../../layout/ttnn_layout.ts";
import type { PassContext } from "../../graph_pass.ts";

/**
 * Adds several masks of one softmax (relative position biases, shifted-window masks) to each other before
 * they are added to the scores: attention takes one mask, and a sum of constants is computed at load.
 */
export const joinMasks: RewritePattern = replacing({
  name: "join-masks",
  upstream: "none",
  roots: ["ttnn.add"],
  replace: (op, site, result) => {
    if (result.type.shape.length !== 4 || !isReadBySoftmax(result)) return undefined;
    for (const [sum, outer] of eitherOrder(op)) {
      const inner = madeBy(sum, "add");
      if (inner === undefined || sum.onlyUser !== op || !isPlain(sum.type)) continue;
      for (const [scores, mask] of eitherOrder(inner)) {
        const shape = joinedShape(mask, outer);
        if (shape === undefined || !isScores(scores, result) || isProduct(mask) || isProduct(outer)) continue;
        const joined = site.tensor("ttnn.add", [mask, outer], { shape, dataType: mask.type.dataType });
        const { dataType } = result.type;
        return site.tensor("ttnn.add", [scores, joined], { shape: result.type.shape, dataType });
      }
    }
    return undefined;
  },
});

/** The joint shape of two masks; `undefined` unless they are plain, of four dimensions and one format, and broadcast. */
function joinedShape(a: TensorValue, b: TensorValue): readonly number[] | undefined {
  const [left, right] = [a.type.shape, b.type.shape];
  const isMask = left.length === 4 && right.length === 4 && a.type.dataType === b.type.dataType &&
    isPlain(a.type) && isPlain(b.type);
  return isMask ? broadcastShape([left, right]) : undefined;
}

/** Whether a value is a scaled query–key matmul. */
function isScores(scores: TensorValue, result: TensorValue): boolean {
  return sameShape(scores, result) && isProduct(scores);
}

/** Most ops that scale or convert a matmul. */
const MOST_SCALINGS = 16;

/** Whether a value is a matmul below scalings and conversions. */
function isProduct(value: TensorValue): boolean {
  const open = [value];
  for (let seen = 0; seen < MOST_SCALINGS; seen++) {
    const op = madeBy(open.pop(), "matmul", "multiply", "divide", "typecast");
    if (op?.name === "ttnn.matmul") return true;
    const inputs = op?.operands.slice(0, op.name === "ttnn.multiply" ? 2 : 1) ?? [];
    open.push(...inputs.flatMap((operand) => tensorOf(operand) ?? []).reverse());
    if (open.length === 0) return false;
  }
  return false;
}

/** Whether a softmax reads a value, directly or converted. */
function isReadBySoftmax(value: TtnnValue): boolean {
  const open: TtnnOp[] = [...value.uses.keys()];
  for (let user = open.pop(); user !== undefined; user = open.pop()) {
    if (user.name === "ttnn.softmax") return true;
    if (user.name === "ttnn.typecast") open.push(...user.result.uses.keys());
  }
  return false;
}

/** The size of a head rounded up to whole tiles, as prefill attention requires (tt-metal:sdpa). */
export function paddedHead(size: number): number {
  return DEFAULT_TILE.width * Math.ceil(size / DEFAULT_TILE.width);
}

/**
 * Pads heads to whole tiles with zeros for prefill attention, and slices the result (tt-metal:sdpa, files
 * that `ttmlir-opt` wrote at level 2). The scale stays that of the real size.
 */
export const padAttentionHeads: RewritePattern = replacing({
  name: "pad-attention-heads",
  upstream: "level-1",
  roots: ["ttnn.scaled_dot_product_attention"],
  replace: (op, site, result) => {
    const size = op.operandType(0)?.shape.at(-1) ?? 0;
    if (paddedHead(size) === size) return undefined;
    const operands = op.operands.map((value, index) => {
      const tensor = op.tensorOperand(index);
      return index < 3 && tensor !== undefined ? padded(site, tensor) : value;
    });
    const { shape, dataType } = result.type;
    const wide = site.type(shape.with(-1, paddedHead(shape.at(-1) ?? 0)), dataType);
    const attended = site.op(op.name, operands, wide, scaledAsBefore(op, size));
    return site.slice(attended, -1, { from: 0, to: shape.at(-1) ?? 0 });
  },
});

/** The attributes of attention over padded heads: the scale stays that of the real size. */
export function scaledAsBefore(op: TtnnOp, size: number): TtnnOp["properties"] {
  return op.read(ATTENTION_FORM).scale === undefined
    ? op.propertiesWith({ scale: 1 / Math.sqrt(size) })
    : op.properties;
}

/** A tensor with zeros behind one dimension, the last one by default, up to whole tiles. */
export function padded(
  site: PassBuilder,
  tensor: TensorValue,
  dim: number = tensor.type.shape.length - 1,
): TensorValue {
  const { shape, dataType } = tensor.type;
  return site.tensor("ttnn.pad", [tensor], { shape: paddedAlong(shape, dim), dataType }, padOf(shape, dim));
}

/** Predicted µs of a pad of heads in every inference; `undefined` if unknown. */
export function predictedPad({ type }: TensorValue, context: PassContext): number | undefined {
  const { shape, dataType } = type;
  const last = shape.length - 1;
  return context.microseconds({
    name: "ttnn.pad",
    operands: [type],
    results: [tensorType(context.chip, paddedAlong(shape, last), dataType)],
    attributes: makeAttributes(PAD, padOf(shape, last)),
  });
}

function paddedAlong(shape: readonly number[], dim: number): readonly number[] {
  return shape.with(dim, paddedHead(shape[dim] ?? 0));
}

function padOf(shape: readonly number[], dim: number) {
  const padding = shape.flatMap((extent, at) => [0, at === dim ? paddedHead(extent) - extent : 0]);
  return { padding, use_multicore: true, value: 0 };
}

const STYLE = {
  upstream: "none",
  roots: ["ttnn.split_query_key_value_and_split_heads"],
} as const;

/**
 * A split into heads that transposes the keys → one that does not, and a transpose, behind which attention is found. Where
 * none is, {@linkcode transposeInSplit} undoes it.
 */
export const transposeBehindSplit: RewritePattern = {
  name: "transpose-behind-split",
  ...STYLE,
  rewrite: (op, body, context) => {
    const keys = op.tensorResults[1];
    if (!op.read(SPLIT_HEADS).transpose_key || keys === undefined) return false;
    const site = new PassBuilder(body, op, context);
    const upright = splitAgain(op, site, keys, false);
    if (upright === undefined) return false;
    body.replaceAllUses(keys, site.inferred("ttnn.transpose", [upright], { dim0: -2, dim1: -1 }));
    return true;
  },
};

/** A transpose of the keys that nobody else reads → the split into heads before it does that as well. */
export const transposeInSplit: RewritePattern = {
  name: "transpose-in-split",
  ...STYLE,
  rewrite: (op, body, context) => {
    const keys = op.tensorResults[1];
    const [reader, ...more] = keys?.uses.keys() ?? [];
    const transposed = reader?.tensorResult;
    if (op.read(SPLIT_HEADS).transpose_key || keys === undefined || more.length > 0) return false;
    if (transposed === undefined || transposedFrom(transposed) !== keys) return false;
    const results = op.results.map(({ type }) => type).with(1, transposed.type);
    if (!context.isLegal(proposedWith(op, { results, properties: { transpose_key: true } }))) return false;
    const made = splitAgain(op, new PassBuilder(body, op, context), keys, true);
    if (made === undefined) return false;
    body.replaceAllUses(transposed, made);
    return true;
  },
};

/** The keys of a second split, which also gives queries and values; `undefined` for results that lie elsewhere than in DRAM. */
function splitAgain(
  op: TtnnOp,
  site: PassBuilder,
  { type: { shape, dataType, ...type } }: TensorValue,
  transposes: boolean,
): TensorValue | undefined {
  if (!sameType({ shape, dataType, ...type }, site.type(shape, dataType))) return undefined;
  const swapped = swapExtents(shape, shape.length - 2, shape.length - 1);
  const types = op.results.map((result) => result.type).with(1, site.type(swapped, dataType));
  const properties = op.propertiesWith({ transpose_key: transposes });
  const split = site.insert(op.name, op.operands, types, properties, op.attributes);
  for (const index of [0, 2]) {
    const [from, to] = [op.results[index], split.results[index]];
    if (from !== undefined && to !== undefined) site.body.replaceAllUses(from, to);
  }
  return split.tensorResultAt(1);
}
