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
 * Moves a slice of at most half of the rows above row-wise ops, so that only the sliced rows are computed, where that is predicted faster: the
 * logits of the last prefill position, or the last block of an encoder whose first token is classified. It passes all ops at
 * once whose results nothing else reads: a sum of two slices may take longer than the slice of the sum, although what is in
 * front of it saves more.
 */
export const raiseRowSlices: RewritePattern = replacing({
  name: "raise-row-slices",
  upstream: "none",
  roots: ["ttnn.slice_static"],
  // Every slice above is a step on its own, however little it saves.
  pays: (after, before) => after < before,
  replace: (op, site, result) => {
    const sliced = op.tensorOperand(0);
    const last = sliced === undefined ? undefined : madeBelow(sliced)?.producer;
    if (sliced === undefined || last === undefined) return undefined;
    const [space, { shape }] = [sliced.type.shape, result.type];
    if (2 * volume(shape) > volume(space) || volume(shape) === 0 || !isPlain(result.type)) return undefined;
    if (shape.at(-1) !== space.at(-1) || shape.length < 2) return undefined;
    const cut = { slice: op, space, rows: shape.slice(0, -1), above: onlyReadBy(op, last) };
    const rows = rowsComputed(site, sliced, cut, new Map());
    return rows === undefined ? undefined : site.reshape(rows, shape);
  },
});

/** The row-wise ops whose results only a slice and each other read, and the last of them in any case. */
function onlyReadBy(slice: TtnnOp, last: TtnnOp): ReadonlySet<TtnnOp> {
  const ops = new Set([last]);
  const isAmong = (reader: TtnnOp): boolean =>
    reader === slice || ops.has(reader) ||
    reader.name === "ttnn.reshape" && [...reader.tensorResult?.uses.keys() ?? []].every(isAmong);
  const isOnlyRead = ({ results }: TtnnOp): boolean =>
    results.every(({ uses }) => uses.keys().every(isAmong));
  if (!isOnlyRead(last)) return ops;
  for (let count = 0; count < ops.size;) {
    count = ops.size;
    for (
      const { producer } of [...ops].flatMap((op) => op.tensorOperands.flatMap((x) => madeBelow(x) ?? []))
    ) {
      if (producer !== undefined && isOnlyRead(producer)) ops.add(producer);
    }
  }
  return ops;
}

/**
 * The tensor that reshapes with the same last dimension turn into `value`; `value` itself if no reshape makes it, and
 * `undefined` if one changes the last dimension.
 */
function madeBelow(value: TensorValue): TensorValue | undefined {
  const reshape = madeBy(value, "reshape");
  const below = reshape?.tensorOperand(0);
  if (reshape === undefined) return value;
  const keepsRows = below !== undefined && below.type.shape.at(-1) === value.type.shape.at(-1) &&
    below.type.dataType === value.type.dataType && below.type.shape.length > 1;
  return keepsRows ? madeBelow(below) : undefined;
}

/** A slice of rows. */
interface RowSlice {
  readonly slice: TtnnOp;
  /** The shape that is sliced; tensors with another last dimension are sliced alike. */
  readonly space: readonly number[];
  /** Extents of the slice, without the last dimension. */
  readonly rows: readonly number[];
  /** Ops that compute the sliced rows only. */
  readonly above: ReadonlySet<TtnnOp>;
}

/**
 * The rows that a slice takes of a tensor that has all rows, in any grouping, computed by the op that makes all of them: as
 * sliced, or as one list if that op has another grouping. `undefined` if that op is none of those that are to compute rows,
 * or does not work row by row.
 *
 * @param computed rows by the tensor that has all of them
 */
function rowsComputed(
  site: PassBuilder,
  whole: TensorValue,
  cut: RowSlice,
  computed: Map<TensorValue, TensorValue>,
): TensorValue | undefined {
  const made = madeBelow(whole);
  const producer = made?.producer;
  if (made === undefined || producer === undefined || producer.tensorResult !== made) return undefined;
  const known = computed.get(made);
  if (known !== undefined || !cut.above.has(producer)) return known;
  const roles = operandRoles(producer, made);
  if (roles === undefined || ![whole, made].every(({ type }) => isPlain(type))) return undefined;
  const { shape, dataType } = made.type;
  const width = shape.at(-1) ?? 1;
  const isList = !sameExtents(shape, cut.space.with(-1, width));
  if (roles.includes("broadcast") && isList) return undefined;
  const extents = isList ? [volume(cut.rows), width] : [...cut.rows, width];
  const operands = roles.flatMap((role, index) => {
    const operand = producer.tensorOperand(index);
    if (operand === undefined) return producer.operands[index] ?? [];
    return role === "shared"
      ? ofRank(site, operand, extents.length)
      : rowsOf(site, operand, cut, isList, computed);
  });
  const properties = producer.name === "ttnn.softmax"
    ? producer.propertiesWith({ dimension: extents.length - 1 })
    : producer.properties;
  const rows = site.op(producer.name, operands, site.type(extents, dataType), properties);
  computed.set(made, rows);
  return rows;
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

/** The sliced rows of an operand, as one list if it has all rows in another grouping than the sliced one. */
function rowsOf(
  site: PassBuilder,
  operand: TensorValue,
  cut: RowSlice,
  isList: boolean,
  computed: Map<TensorValue, TensorValue>,
): TensorValue {
  const { space, rows } = cut;
  const width = operand.type.shape.at(-1) ?? 1;
  const hasAll = isList || sameExtents(operand.type.shape, space.with(-1, width));
  const known = (hasAll ? rowsComputed(site, operand, cut, computed) : undefined) ?? computed.get(operand);
  const taken = known ??
    rowsSliced(site, isList ? site.reshape(operand, space.with(-1, width)) : operand, cut);
  computed.set(operand, taken);
  if (!hasAll) return taken;
  return site.reshape(taken, isList ? [volume(rows), width] : [...rows, width]);
}

/** The slice of a tensor of the sliced extents, some of which may be 1 or missing. */
function rowsSliced(site: PassBuilder, whole: TensorValue, { slice, space, rows }: RowSlice): TensorValue {
  const { shape, dataType } = whole.type;
  const [begins, ends, steps] = slicedBounds(slice);
  const offset = space.length - shape.length;
  const isCut = (dim: number): boolean => dim < shape.length - 1 && shape[dim] === space[dim + offset];
  return site.tensor(slice.name, [whole], {
    shape: shape.map((extent, dim) => isCut(dim) ? rows[dim + offset] ?? extent : extent),
    dataType,
  }, {
    begins: shape.map((_, dim) => isCut(dim) ? begins?.[dim + offset] ?? 0 : 0),
    ends: shape.map((extent, dim) => isCut(dim) ? ends?.[dim + offset] ?? extent : extent),
    step: shape.map((_, dim) => isCut(dim) ? steps?.[dim + offset] ?? 1 : 1),
  });
}
