// SPDX-License-Identifier: Apache-2.0
import { CONCAT, PERMUTE } from "../../../ops/attributes/movement.ts";
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain, madeBy } from "../matching.ts";

/**
 * Concatenates the halves of queries and keys, `[…, 2n]`, where a rotary embedding stacks them to pairs, `[…, n, 2]`, and
 * a product sums over them: it stays the same if both factors permute that dimension alike (rotary embeddings of GPT-J
 * and of Llama as published). A tensor of pairs fills no tile.
 */
export const pairsInProduct: RewritePattern = replacing({
  name: "pairs-in-product",
  upstream: "none",
  roots: ["ttnn.matmul"],
  replace: (op, before) => {
    const { transpose_a, transpose_b } = op.read(MATMUL);
    if (transpose_a || !transpose_b) return undefined;
    const [left, right] = [op.tensorOperand(0), op.tensorOperand(1)].map((side) => stackBelow(side, op));
    if (left === undefined || right === undefined) return undefined;
    if (left.parts.length !== right.parts.length || left.value === right.value) return undefined;
    return new Map([left, right].map(({ value, parts }) => {
      const { shape } = value.type;
      const site = before.at(value.producer ?? op);
      const beside = parts.map((part) =>
        site.reshape(part, shape.with(-1, (shape.at(-1) ?? 1) / parts.length))
      );
      return [value, site.inferred("ttnn.concat", beside, { dim: shape.length - 1 })];
    }));
  },
});

/**
 * Interleaves what is stacked to pairs as rows of the transpose, where that is faster: `n` rows of `k` parts side by side
 * are `k · n` rows. A tensor of pairs fills no tile, nor do its parts, and columns that were taken apart as rows of the
 * transpose meet it there.
 */
export const pairsAsRows: RewritePattern = replacing({
  name: "pairs-as-rows",
  upstream: "none",
  roots: ["ttnn.reshape"],
  pays: isFasterBeyondError,
  replace: (_op, site, result) => {
    const parts = stackedParts(result);
    if (parts === undefined) return undefined;
    const width = result.type.shape.at(-1) ?? 1;
    const [rows, count] = [volume(result.type.shape) / width, width / parts.length];
    const columns = parts.map((part) => site.permute(site.reshape(sourceOf(part), [rows, count]), [1, 0]));
    const beside = site.inferred("ttnn.concat", columns, { dim: 1 });
    return site.reshape(site.permute(site.reshape(beside, [width, rows]), [1, 0]), result.type.shape);
  },
});

/** What a reshape made a part of. */
function sourceOf(part: TensorValue): TensorValue {
  const source = madeBy(part, "reshape")?.tensorOperand(0);
  return source !== undefined && isPlain(source.type) && source.type.dataType === part.type.dataType
    ? source
    : part;
}

/** `[…, n, 1]` tensors stacked along the last dimension and merged with the one before, `[…, parts · n]`. */
interface Stack {
  readonly value: TensorValue;
  readonly parts: readonly TensorValue[];
}

/** Most ops between a stack and the product. */
const MOST_STEPS = 16;

/** The stack that is one side of a product, through ops that keep its columns; `undefined` if others read any of it. */
function stackBelow(side: TensorValue | undefined, product: TtnnOp): Stack | undefined {
  let [at, reader] = [side, product];
  for (let step = 0; step < MOST_STEPS && at !== undefined && at.onlyUser === reader; step++) {
    const parts = stackedParts(at);
    if (parts !== undefined) return { value: at, parts };
    const maker = at.producer;
    const input = maker?.tensorOperand(0);
    if (maker === undefined || input === undefined || !keepsColumns(maker, input, at)) return undefined;
    [at, reader] = [input, maker];
  }
  return undefined;
}

function stackedParts(value: TensorValue): readonly TensorValue[] | undefined {
  const stacked = madeBy(value, "reshape")?.tensorOperand(0);
  const concat = madeBy(stacked, "concat");
  if (stacked === undefined || concat === undefined || !isPlain(value.type)) return undefined;
  const { shape } = stacked.type;
  const isLast = dimensionOf(concat, concat.read(CONCAT).dim) === shape.length - 1;
  // The dimensions before may be split and merged.
  const isMerged = value.type.shape.at(-1) === volume(shape.slice(-2));
  const parts = concat.tensorOperands;
  const areSingle = parts.every(({ type }) => type.shape.at(-1) === 1 && isPlain(type));
  return isLast && isMerged && areSingle && parts.length > 1 && (shape.at(-2) ?? 1) > 1 ? parts : undefined;
}

/** Whether an op treats all columns of its first operand alike, and leaves them in their places. */
function keepsColumns(op: TtnnOp, input: TensorValue, result: TensorValue): boolean {
  if (input.type.shape.at(-1) !== result.type.shape.at(-1)) return false;
  if (op.name === "ttnn.permute") return op.read(PERMUTE).permutation.at(-1) === input.type.shape.length - 1;
  const scaled = madeBy(result, "multiply", "divide");
  if (scaled !== undefined) return volume(scaled.operandType(1)?.shape ?? [2]) === 1;
  return madeBy(result, "typecast", "reshape", "repeat", "repeat_interleave") !== undefined;
}
