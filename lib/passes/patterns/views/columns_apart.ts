// SPDX-License-Identifier: Apache-2.0
import { normalDim, sameExtents, volume } from "../../../layout/extents.ts";
import { TILE } from "../../../layout/tile_shape.ts";
import { CONCAT, PERMUTE } from "../../../ops/attributes/movement.ts";
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";
import {
  constantOf,
  cutOf,
  dimensionOf,
  isFasterBeyondError,
  isPlain,
  madeBy,
  tilizedRows,
} from "../matching.ts";
import { withoutSteps } from "./slices_with_steps.ts";

/** Most columns of a tensor that are computed apart: tiles pad so few to 32. */
const MOST_COLUMNS = 4;

/**
 * Largest share of the time that the columns may take: patterns behind this one find other forms of tensors with a single
 * column, and what saved less made the decoding steps of six models up to 21 % slower (predicted).
 */
const LARGEST_SHARE = 0.5;

/** Most ops of a region. */
const MOST_OPS = 96;

/**
 * Tensors of few columns, such as the corners of all pairs of boxes `[1000, 300, 2]`, the offsets of points
 * `[1024, 1024, 3]` or the indices of JAX `[…, n, 1]`, are computed column by column: in tiles of 32 columns most of each is
 * padding, and a column has none. The region is what elementwise ops, reductions and views that leave the last dimension
 * connect. Where others read a tensor of it, its columns are joined again.
 */
export const columnsApart: RewritePattern = replacing({
  name: "columns-apart",
  upstream: "none",
  roots: [...ELEMENTWISE_OPS],
  pays: (after, before) => after < LARGEST_SHARE * before && isFasterBeyondError(after, before),
  replace: (op, site, result) => {
    const region = isNarrow(result) ? regionAround(op) : undefined;
    if (region === undefined) return undefined;
    const ops = [...region].sort((a, b) => (site.body.isBefore(a, b) ? -1 : 1));
    // The first of them speaks for all.
    if (ops.find(({ name }) => ELEMENTWISE_OPS.has(name)) !== op) return undefined;
    const columns: ColumnsByTensor = new Map();
    const replaced = new Map<TensorValue, TensorValue>();
    for (const each of ops) {
      const value = each.tensorResult;
      const made = value === undefined ? undefined : columnsOf(each, value, columns, site.at(each));
      if (value === undefined || made === undefined) return undefined;
      columns.set(value, made);
      const left = leaving(value, made, { region, site: site.at(each) });
      if (left === undefined) return undefined;
      for (const [from, to] of left) replaced.set(from, to);
    }
    return replaced;
  },
});

/** Reductions that work on each column alone. */
const REDUCTIONS: ReadonlySet<string> = new Set(["ttnn.sum", "ttnn.mean", "ttnn.max", "ttnn.min"]);

/** Columns of tensors, by the tensor: each in its shape without the last dimension. */
type ColumnsByTensor = Map<TensorValue, readonly TensorValue[]>;

/** Whether a tensor in tiles has few columns, each of which is a matrix. */
function isNarrow({ type }: TensorValue): boolean {
  const columns = type.shape.at(-1) ?? 0;
  return isPlain(type) && type.shape.length > 2 && columns >= 1 && columns <= MOST_COLUMNS;
}

/** Whether an op of a narrow result treats columns alike, joins them or selects some. */
function isInRegion(op: TtnnOp | undefined): op is TtnnOp {
  const result = op?.tensorResult;
  if (op === undefined || result === undefined || !isNarrow(result) || op.appliesFunctions) return false;
  const input = op.tensorOperand(0);
  if (input === undefined || !isPlain(input.type)) return false;
  const { shape } = result.type;
  const keepsLast = isNarrow(input) && input.type.shape.at(-1) === shape.at(-1);
  switch (op.name) {
    case "ttnn.reshape":
      return keepsLast;
    case "ttnn.permute":
      return op.read(PERMUTE).permutation.at(-1) === shape.length - 1;
    case "ttnn.repeat":
      return keepsLast && input.type.shape.length === shape.length;
    case "ttnn.slice_static":
      return keepsLast || cutOf(op)?.dim === shape.length - 1 && isNarrow(input);
    case "ttnn.concat":
      return op.tensorOperands.every(isNarrow);
    default:
      if (REDUCTIONS.has(op.name)) {
        return keepsLast && reducedDims(op)?.includes(input.type.shape.length - 1) === false;
      }
      return ELEMENTWISE_OPS.has(op.name) && op.operands.length === op.tensorOperands.length &&
        op.tensorOperands.every(({ type }) =>
          isPlain(type) && (type.shape.at(-1) === shape.at(-1) || type.shape.at(-1) === 1)
        );
  }
}

/** Dimensions of a reduction, ≥ 0; `undefined` where it names none and reduces all. */
function reducedDims(op: TtnnOp): readonly number[] | undefined {
  const rank = op.operandType(0)?.shape.length ?? 0;
  const dims = op.read(REDUCE).dim_arg?.map((dim) => normalDim(dim, rank)) ?? [];
  return dims.length === 0 ? undefined : dims;
}

/** The ops that narrow tensors connect with an op; `undefined` if they are too many. */
function regionAround(op: TtnnOp): ReadonlySet<TtnnOp> | undefined {
  const region = new Set([op]);
  for (const { tensorOperands, tensorResult } of region) {
    if (region.size > MOST_OPS) return undefined;
    for (const operand of tensorOperands) {
      if (isNarrow(operand) && isInRegion(operand.producer)) region.add(operand.producer);
    }
    tensorResult?.uses.keys().filter(isInRegion).forEach((user) => region.add(user));
  }
  return region;
}

/** Columns of what an op of the region makes; `undefined` where it cannot be computed so. */
function columnsOf(
  op: TtnnOp,
  { type }: TensorValue,
  columns: ColumnsByTensor,
  site: PassBuilder,
): readonly TensorValue[] | undefined {
  const { shape, dataType } = type;
  const column = shape.slice(0, -1);
  const inputs = op.tensorOperands.map((operand) =>
    columns.getOrInsertComputed(operand, () => columnsTaken(operand, site))
  );
  const [first = []] = inputs;
  const perColumn = (properties = op.properties): readonly TensorValue[] =>
    first.map((part) => site.op(op.name, [part], site.type(column, dataType), properties, op.attributes));
  switch (op.name) {
    case "ttnn.reshape":
      return first.map((part) => site.reshape(part, column));
    case "ttnn.repeat":
      return first.map((part) => site.repeat(part, column));
    case "ttnn.permute":
      return first.map((part) => site.permute(part, op.read(PERMUTE).permutation.slice(0, -1)));
    case "ttnn.slice_static": {
      const cut = cutOf(op);
      if (cut === undefined) return undefined;
      const { dim, from, to } = cut;
      return dim === column.length
        ? first.slice(from, to)
        : first.map((part) => site.slice(part, dim, { from, to }));
    }
    case "ttnn.concat": {
      const dim = dimensionOf(op, op.read(CONCAT).dim);
      if (dim === column.length) return inputs.flat();
      return first.map((_, index) => {
        const parts = inputs.flatMap((each) => each[index] ?? []);
        return site.tensor(op.name, parts, { shape: column, dataType }, { dim });
      });
    }
    default:
      if (REDUCTIONS.has(op.name)) return perColumn(op.propertiesWith({ dim_arg: reducedDims(op) ?? [] }));
      return Array.from({ length: shape.at(-1) ?? 1 }, (_, index) => {
        const operands = inputs.flatMap((parts) => parts[index] ?? parts[0] ?? []);
        return site.op(op.name, operands, site.type(column, dataType), op.properties, op.attributes);
      });
  }
}

/** Columns of a tensor that is made outside of the region, in the fastest of several ways. */
function columnsTaken(value: TensorValue, site: PassBuilder): readonly TensorValue[] {
  const { shape, dataType } = value.type;
  const number = constantOf(value, site.context);
  const columns = shape.at(-1) ?? 1;
  // A row has single numbers for columns.
  const column = shape.length > 1 ? shape.slice(0, -1) : [1];
  const indices = Array.from({ length: columns }, (_, index) => index);
  if (number !== undefined) return indices.map(() => site.full(column, dataType, number));
  const from = everyFewBelow(value);
  if (columns === 1 && from.step === 1) return [site.reshape(from.source, column)];
  const below = madeBy(value, "reshape")?.tensorOperand(0) ?? value;
  const whole = below.type.shape.at(-1) === columns && isPlain(below.type) ? below : value;
  const sliced = (): readonly TensorValue[] =>
    indices.map((index) => site.reshape(site.slice(whole, -1, { from: index, to: index + 1 }), column));
  const step = from.step * columns;
  const merged = mergedRows(from.source.type.shape, step);
  if (merged === undefined) return sliced();
  const everyFew = (): readonly TensorValue[] => {
    const rows = inShape(from.source, merged, site);
    const parts = indices.flatMap((index) => {
      const part = withoutSteps(site, rows, {
        begins: merged.map(() => 0).with(-1, from.begin + index * from.step),
        counts: merged.with(-1, (merged.at(-1) ?? step) / step),
        steps: merged.map(() => 1).with(-1, step),
      });
      return part === undefined ? [] : [site.reshape(part, column)];
    });
    return parts.length === columns ? parts : sliced();
  };
  return site.fastest([sliced, everyFew]) ?? sliced();
}

/** The elements of a tensor as every `step`-th of a source from `begin` on, through reshapes and single columns of it. */
interface EveryFew {
  readonly source: TensorValue;
  readonly begin: number;
  readonly step: number;
}

function everyFewBelow(value: TensorValue): EveryFew {
  let found: EveryFew = { source: value, begin: 0, step: 1 };
  for (;;) {
    const { source, begin, step } = found;
    const op = madeBy(source, "reshape", "slice_static");
    const input = op?.tensorOperand(0);
    if (op === undefined || input === undefined || !isPlain(input.type)) return found;
    if (input.type.dataType !== source.type.dataType) return found;
    const cut = cutOf(op);
    const width = input.type.shape.at(-1) ?? 1;
    const isColumn = cut?.dim === input.type.shape.length - 1 && cut.to - cut.from === 1;
    if (op.name !== "ttnn.reshape" && !isColumn) return found;
    found = isColumn
      ? { source: input, begin: cut.from + width * begin, step: width * step }
      : { ...found, source: input };
  }
}

/** A shape with the last dimensions merged to rows of a tile's width or more, which whole steps fill; `undefined` without. */
function mergedRows(shape: readonly number[], step: number): readonly number[] | undefined {
  const rank = shape.findLastIndex((_, dim) => {
    const width = volume(shape.slice(dim));
    return width >= TILE && width % step === 0;
  });
  return rank < 1 ? undefined : [...shape.slice(0, rank), volume(shape.slice(rank))];
}

/** A tensor in another shape, from rows where it was converted from rows. */
function inShape(value: TensorValue, shape: readonly number[], site: PassBuilder): TensorValue {
  const rows = tilizedRows(value);
  return rows === undefined ? site.reshape(value, shape) : site.tiled(site.rowMajorReshape(rows, shape));
}

/**
 * What replaces a tensor of the region for those outside, and what they make of it alone. `undefined` where others than views
 * read a single column as it is: it would be a column again.
 */
function leaving(
  value: TensorValue,
  columns: readonly TensorValue[],
  { region, site }: { readonly region: ReadonlySet<TtnnOp>; readonly site: PassBuilder },
): readonly (readonly [TensorValue, TensorValue])[] | undefined {
  const { shape } = value.type;
  const readers = [...value.uses.keys()].filter((reader) => !region.has(reader));
  const replaced = readers.flatMap((reader): readonly (readonly [TensorValue, TensorValue])[] => {
    const result = reader.tensorResult;
    const made = result === undefined ? undefined : madeOfAll(reader, result, columns, site);
    return made === undefined || result === undefined ? [] : [[result, made]];
  });
  if (replaced.length === readers.length) return replaced;
  if (columns.length === 1) return undefined;
  const parts = columns.map((column) => site.reshape(column, shape.with(-1, 1)));
  return [...replaced, [value, site.inferred("ttnn.concat", parts, { dim: shape.length - 1 })]];
}

/** Elementwise ops that reduce two columns. */
const OF_TWO: Readonly<Record<string, string>> = {
  "ttnn.sum": "add",
  "ttnn.max": "maximum",
  "ttnn.min": "minimum",
};

/** What a reader makes of all columns: a view of the only one, or what a reduction over them gives. */
function madeOfAll(
  reader: TtnnOp,
  { type }: TensorValue,
  columns: readonly TensorValue[],
  site: PassBuilder,
): TensorValue | undefined {
  const [only, ...others] = columns;
  if (only === undefined || !isPlain(type) || reader.appliesFunctions) return undefined;
  if (reader.name === "ttnn.reshape" && others.length === 0) return site.reshape(only, type.shape);
  const rank = only.type.shape.length;
  const dims = REDUCTIONS.has(reader.name) ? reducedDims(reader) : undefined;
  if (dims?.includes(rank) === false) {
    const parts = columns.map((column) => {
      const properties = reader.propertiesWith({ dim_arg: dims, keep_dim: true });
      const shape = column.type.shape.map((extent, dim) => (dims.includes(dim) ? 1 : extent));
      const reduced = site.tensor(reader.name, [column], { shape, dataType: type.dataType }, properties);
      return site.reshape(reduced, type.shape.with(-1, 1));
    });
    return others.length === 0
      ? parts[0]
      : site.inferred("ttnn.concat", parts, { dim: type.shape.length - 1 });
  }
  const name = OF_TWO[reader.name];
  if (name === undefined || !sameExtents(dims ?? [], [rank])) return undefined;
  // A kernel adds up in f32: sums of more than two in a narrower format would round more often.
  if (name === "add" && type.dataType !== "f32" && others.length > 1) return undefined;
  if (type.dataType !== only.type.dataType) return undefined;
  return site.reshape(others.reduce((sum, each) => site.binary(name, sum, each), only), type.shape);
}
