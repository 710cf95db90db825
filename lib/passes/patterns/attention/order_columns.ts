// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { cutOf, isPlain } from "../matching.ts";

/**
 * Reorders the columns of a matmul whose result is ordered by head, `[heads, 3 · size]` or `[heads, 3, size]`, if
 * every user slices the same part of every head (query, key and value of GPT-NeoX and BLOOM). Columns of weight and
 * bias are reordered at load, `[3, heads · size]`, so that each part is a range of whole columns of the one product.
 */
export const orderColumns: RewritePattern = replacing({
  name: "order-columns",
  option: "enable-const-eval",
  upstream: "none",
  roots: ["ttnn.matmul", "ttnn.linear"],
  replace: (op, site, product) => {
    const [weight, bias] = [op.tensorOperand(1), op.tensorOperand(2)];
    if (weight === undefined || !isPlain(product.type)) return undefined;
    const parts = partsOf(product);
    if (parts === undefined || !isOrderable(op, weight, bias)) return undefined;
    if (!site.preparesAtLoad(weight, bias)) return undefined;
    const isTransposed = op.read(MATMUL).transpose_b;
    const ordered = inParts(site, weight, isTransposed ? 0 : 1, parts);
    const operands = [
      ...op.operands.slice(0, 1),
      ordered,
      ...(bias === undefined ? [] : [
        site.reshape(inParts(site, site.reshape(bias, [volume(bias.type.shape)]), 0, parts), bias.type.shape),
      ]),
    ];
    const made = site.op(op.name, operands, product.type, op.properties, op.attributes);
    let end = 0;
    return new Map(parts.map(({ slice, seen, from, to }) => {
      const result = slice.tensorResultAt(0);
      const part = site.slice(made, -1, { from: end, to: end += volume(seen.with(1, to - from)) });
      const { shape, dataType } = result.type;
      return [result, site.reshape(site.typecast(part, dataType), shape)];
    }));
  },
});

/** Columns of a tile. */
const TILE = 32;

/** A part that one user slices: the same columns of every head. */
interface HeadColumns {
  readonly slice: TtnnOp;
  /** `[heads, parts, size]`: the columns in the shape in which they are sliced. */
  readonly seen: readonly number[];
  /** First element of the slice along the second of these dimensions. */
  readonly from: number;
  readonly to: number;
}

/** The parts that readers slice, if together they cover every column once and are not in order already. */
function partsOf(product: TensorValue): readonly HeadColumns[] | undefined {
  const width = product.type.shape.at(-1) ?? 1;
  const found = [...product.uses.keys()].map((user) => partsIn(user, width));
  if (found.length === 0 || found.includes(undefined)) return undefined;
  const parts = found.flatMap((part) => part ?? []).sort((a, b) => a.from - b.from);
  const covers = parts.every((part, index) => part.from === (parts[index - 1]?.to ?? 0)) &&
    parts.every(({ seen }) => sameExtents(seen, parts[0]?.seen ?? [])) &&
    parts.at(-1)?.to === parts[0]?.seen[1];
  return parts.length > 1 && covers && (parts[0]?.seen[0] ?? 1) > 1 ? parts : undefined;
}

/** Slices after a reshape of the matmul result, or of that in another format; `undefined` if it has other readers. */
function partsIn(user: TtnnOp, width: number): readonly HeadColumns[] | undefined {
  const read = user.name === "ttnn.typecast" ? user.tensorResult?.onlyUser : user;
  const view = read?.name === "ttnn.reshape" ? read.tensorResult : undefined;
  if (view === undefined || !isPlain(view.type)) return undefined;
  const { shape } = view.type;
  // Heads are the first dimension that the columns are split into.
  const first = shape.findLastIndex((_, dim) => volume(shape.slice(dim)) === width);
  if (first === -1) return undefined;
  const parts = [...view.uses.keys()].map((slice) => {
    const cut = cutOf(slice);
    if (cut === undefined || cut.dim <= first || !isPlain(slice.tensorResult?.type)) return undefined;
    // Whole tiles of each head are sliced as fast from all heads at once.
    const cutsTiles = cut.dim === shape.length - 1 && [cut.from, cut.to].some((place) => place % TILE !== 0);
    if (cut.dim > first + 1 && !cutsTiles) return undefined;
    const seen = [
      volume(shape.slice(first, cut.dim)),
      shape[cut.dim] ?? 1,
      volume(shape.slice(cut.dim + 1)),
    ];
    return { slice, seen, from: cut.from, to: cut.to };
  });
  return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
}

/** Whether the columns of a matmul are those of a plain weight of rank 2 and, if any, a bias of one row. */
function isOrderable(
  op: TtnnOp,
  weight: TensorValue,
  bias: TensorValue | undefined,
): boolean {
  const width = op.tensorResult?.type.shape.at(-1) ?? 1;
  const copied = [weight, ...(bias === undefined ? [] : [bias])];
  return weight.type.shape.length === 2 && op.read(MATMUL).activation === undefined &&
    (bias === undefined || volume(bias.type.shape) === width) &&
    copied.every((value) => isPlain(value.type));
}

/** A tensor with its columns (or rows) reordered part by part. */
function inParts(
  site: PassBuilder,
  value: TensorValue,
  dim: number,
  parts: readonly HeadColumns[],
): TensorValue {
  const { shape, dataType } = value.type;
  const apart = site.reshape(value, shape.toSpliced(dim, 1, ...(parts[0]?.seen ?? [])));
  const pieces = parts.map(({ from, to }) => {
    const piece = site.slice(apart, dim + 1, { from, to });
    const width = volume(piece.type.shape) / (volume(shape) / (shape[dim] ?? 1));
    return site.reshape(piece, shape.with(dim, width));
  });
  return site.tensor("ttnn.concat", pieces, { shape, dataType }, { dim: dim });
}
