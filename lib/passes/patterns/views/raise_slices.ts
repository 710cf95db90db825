// SPDX-License-Identifier: Apache-2.0
import { CONCAT, PERMUTE } from "../../../ops/attributes/movement.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { cutOf, dimensionOf, isPlain, madeBy, slicedBounds } from "../matching.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { rowOp } from "../../row_forms/row_op.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";

/**
 * Slices one of several tensors, or some of their heads, directly from the matmul that computed them side by side, instead
 * of from a view `[…, 3, heads, size]`, permuted or not: from `[…, 3 · heads · size]` a slice takes whole columns, and the
 * permute only moves heads, which the head-splitting patterns match (tt-mlir: `SplitQueryKeyValueAndSplitHeads` fusing).
 * The view stays if it has other users.
 */
export const raiseSlices: RewritePattern = replacing({
  name: "raise-slices",
  upstream: "none",
  roots: ["ttnn.slice_static"],
  replace: (op, site, result) => {
    const cut = cutOf(op);
    const sliced = op.tensorOperand(0);
    const permute = madeBy(sliced, "permute");
    const view = madeBy(permute?.operands[0] ?? sliced, "reshape");
    const [source, split] = [view?.tensorOperand(0), view?.tensorResult];
    if (cut === undefined || sliced === undefined || source === undefined || split === undefined) {
      return undefined;
    }
    if (![result, sliced, split, source].every(({ type }) => isPlain(type))) return undefined;
    // Only such slices may read the view, so that it is erased with the last of them.
    if ([...sliced.uses.keys()].some((user) => cutOf(user)?.dim !== cut.dim)) return undefined;
    const { shape } = split.type;
    const order = permute?.read(PERMUTE).permutation ?? shape.map((_, dim) => dim);
    const dim = order[cut.dim] ?? 0;
    // Rows may be grouped otherwise: a batch of one in front of them is none of the matmul's.
    const isColumns = dim < shape.length - 1 && volume(shape.slice(dim)) === source.type.shape.at(-1) &&
      split.type.dataType === source.type.dataType;
    if (!isColumns) return undefined;
    const width = volume(shape.slice(dim + 1));
    const columns = site.slice(source, -1, { from: cut.from * width, to: cut.to * width });
    const alone = site.reshape(columns, shape.with(dim, cut.to - cut.from));
    if (permute === undefined) return site.reshape(alone, result.type.shape);
    if (cut.to - cut.from > 1) return site.permute(alone, order);
    const kept = order.filter((from) => from !== dim).map((from) => (from > dim ? from - 1 : from));
    const reordered = site.permute(site.reshape(columns, shape.toSpliced(dim, 1)), kept);
    return site.reshape(reordered, result.type.shape);
  },
});

/** Slices a part of a concat directly: JAX joins the numbers of each dimension of an index, and upstream takes them apart. */
export const slicePartOfConcat: RewritePattern = replacing({
  name: "slice-part-of-concat",
  upstream: "none",
  roots: ["ttnn.slice_static"],
  replace: (op, site, result) => {
    const cut = cutOf(op);
    const concat = madeBy(op.operands[0], "concat");
    if (cut === undefined || concat === undefined || !isPlain(result.type)) return undefined;
    const dim = dimensionOf(concat, concat.read(CONCAT).dim);
    if (dim !== cut.dim) return undefined;
    let begin = 0;
    for (const part of concat.tensorOperands) {
      const end = begin + (part.type.shape[dim] ?? 0);
      if (cut.from >= begin && cut.to <= end) {
        const isSameKind = isPlain(part.type) && part.type.dataType === result.type.dataType;
        return isSameKind ? site.slice(part, dim, { from: cut.from - begin, to: cut.to - begin }) : undefined;
      }
      begin = end;
    }
    return undefined;
  },
});

/**
 * Moves a slice of rows above row-wise ops, so that only the sliced rows are computed, where that is predicted faster: the
 * logits of the last prefill position. If the unsliced result has other readers, rows are computed twice. Applied only if
 * the slice takes at most half of the rows.
 */
export const raiseRowSlices: RewritePattern = replacing({
  name: "raise-row-slices",
  upstream: "none",
  roots: ["ttnn.slice_static"],
  // Every op above is a step on its own, however little it saves.
  pays: (after, before) => after < before,
  replace: (op, site, result) => {
    const sliced = op.tensorOperand(0);
    if (sliced === undefined) return undefined;
    if (2 * volume(result.type.shape) > volume(sliced.type.shape) || volume(result.type.shape) === 0) {
      return undefined;
    }
    const made = madeBelow(sliced);
    const producer = made?.producer;
    if (made === undefined || producer === undefined || producer.tensorResult !== made) return undefined;
    const last = sliced.type.shape.length - 1;
    if (result.type.shape.at(last) !== sliced.type.shape.at(last) || last === 0) return undefined;
    if (![result, sliced, made].every(({ type }) => isPlain(type))) return undefined;
    const cut: RowSlice = { slice: op, space: sliced.type.shape, rows: result.type.shape.slice(0, -1) };
    const roles = operandRoles(producer, made);
    const broadcasts = roles?.includes("broadcast") === true && made !== sliced;
    if (roles === undefined || broadcasts) return undefined;
    const { shape, dataType } = made.type;
    const extents = made === sliced ? result.type.shape : [volume(cut.rows), shape.at(-1) ?? 1];
    const operands = roles.flatMap((role, index) => {
      const operand = producer.tensorOperand(index);
      if (operand === undefined) return producer.operands[index] ?? [];
      return role === "shared" ? ofRank(site, operand, extents.length) : rowsOf(site, operand, cut, made);
    });
    const properties = producer.name === "ttnn.softmax"
      ? producer.propertiesWith({ dimension: extents.length - 1 })
      : producer.properties;
    const rows = site.op(
      producer.name,
      operands,
      site.type(extents, dataType),
      properties,
    );
    return site.reshape(rows, result.type.shape);
  },
});

/**
 * The tensor that a reshape with the same last dimension turns into `sliced`; `sliced` itself if no reshape makes it, and
 * `undefined` if the reshape changes the last dimension.
 */
function madeBelow(sliced: TensorValue): TensorValue | undefined {
  const reshape = madeBy(sliced, "reshape");
  const below = reshape?.tensorOperand(0);
  if (reshape === undefined) return sliced;
  const keepsRows = below !== undefined && below.type.shape.at(-1) === sliced.type.shape.at(-1) &&
    below.type.dataType === sliced.type.dataType && below.type.shape.length > 1;
  return keepsRows ? below : undefined;
}

/** A slice of rows: the shape that is sliced, and the range. */
interface RowSlice {
  readonly slice: TtnnOp;
  readonly space: readonly number[];
  /** Extents of the slice, without the last dimension. */
  readonly rows: readonly number[];
}

/**
 * The role of an operand: `rows`: one of its rows per result row; `shared`: the same for all rows;
 * `broadcast`: repeated along some dimensions.
 */
type RowRole = "rows" | "shared" | "broadcast";

/** Row-wise ops that only join or slice rows: other patterns move slices through those. */
const ONLY_MOVED: ReadonlySet<string> = new Set(["ttnn.concat", "ttnn.slice_static"]);

/** Roles of the operands of a row-wise op; `undefined` for other ops. */
function operandRoles(op: TtnnOp, made: TensorValue): readonly RowRole[] | undefined {
  if ([...op.properties.keys()].some((name) => name.endsWith("program_config"))) return undefined;
  if (ONLY_MOVED.has(op.name)) return undefined;
  const known = rowOp(op);
  if (known !== undefined) return op.operands.map((_, index) => known.rows.has(index) ? "rows" : "shared");
  if (!ELEMENTWISE_OPS.has(op.name) || !op.operands.every((_, index) => isPlain(op.operandType(index)))) {
    return undefined;
  }
  const { shape } = made.type;
  const roles = op.operands.flatMap((_, index): readonly RowRole[] => {
    const operand = op.tensorOperand(index);
    return operand === undefined ? [] : [elementwiseRole(operand.type.shape, shape)];
  });
  return roles.includes("rows") ? roles : undefined;
}

function elementwiseRole(operand: readonly number[], shape: readonly number[]): RowRole {
  if (sameExtents(operand, shape)) return "rows";
  return operand.slice(0, -1).every((extent) => extent === 1) ? "shared" : "broadcast";
}

/**
 * An operand that broadcasts along all rows, reshaped to at most the rank of the rows; its other dimensions
 * have extent 1.
 */
function ofRank(site: PassBuilder, operand: TensorValue, rank: number): TensorValue {
  const { shape } = operand.type;
  return shape.length > rank ? site.reshape(operand, shape.slice(-rank)) : operand;
}

/** The sliced rows of an operand. */
function rowsOf(
  site: PassBuilder,
  operand: TensorValue,
  { slice, space, rows }: RowSlice,
  made: TensorValue,
): TensorValue {
  const width = operand.type.shape.at(-1) ?? 1;
  const isFlat = !sameExtents(made.type.shape, space);
  const spread = isFlat ? site.reshape(operand, space.with(-1, width)) : operand;
  const { shape, dataType } = spread.type;
  const [begins, ends, steps] = slicedBounds(slice);
  const offset = space.length - shape.length;
  const isCut = (dim: number): boolean => dim < shape.length - 1 && shape[dim] === space[dim + offset];
  const taken = site.tensor(slice.name, [spread], {
    shape: shape.map((extent, dim) => isCut(dim) ? rows[dim + offset] ?? extent : extent),
    dataType,
  }, {
    begins: shape.map((_, dim) => isCut(dim) ? begins?.[dim + offset] ?? 0 : 0),
    ends: shape.map((extent, dim) => isCut(dim) ? ends?.[dim + offset] ?? extent : extent),
    step: shape.map((_, dim) => isCut(dim) ? steps?.[dim + offset] ?? 1 : 1),
  });
  return isFlat ? site.reshape(taken, [volume(rows), width]) : taken;
}
