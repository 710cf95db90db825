// SPDX-License-Identifier: Apache-2.0
import { normalDim, swapExtents } from "../../../lib/layout/extents.ts";
import {
  attributesOf,
  DRAM_ROWS,
  fromOneTensor,
  type OpQuestion,
  type PlaceRequest,
  tensorAt,
} from "../op_question.ts";
import type { MeasuredChip, OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import {
  dataTypeIn,
  dataTypeOf,
  integersIn,
  NO_SHAPES,
  numberIn,
  placesOf,
  type RowPlaces,
  shapeIn,
  shapesIn,
  textIn,
} from "./texts.ts";
import { leaveOut, required, requiring } from "../row_model.ts";

type RowShape = readonly number[];

/** Places of a row's tensors, row-major if the layout says so. */
function places(params: Params, chip: MeasuredChip): RowPlaces {
  const layout = textIn(params, "layout", "page_layout");
  const tile = params.row_major === true || /row.?major|\bRM\b/i.test(layout) ? null : undefined;
  const memory = textIn(params, "memory") || layout.replace(/^.*?(DRAM|L1)/, "$1");
  return placesOf(memory, chip, { cores: numberIn(params, "cores"), tile });
}

/** One op with one input. */
function move(
  name: string,
  attributes: Parameters<typeof attributesOf>[0],
  { from, to }: { readonly from: RowShape; readonly to: RowShape },
  params: Params,
  chip: MeasuredChip,
): readonly OpQuestion[] {
  const { input, output } = places(params, chip);
  const dataType =
    dataTypeIn(["dtype", "dtypes", "layout", "padding"].map((name) => textIn(params, name)).join(" ")) ??
      "bf16";
  return [
    fromOneTensor(name, dataType, [from, input], [to, output], { attributes: attributesOf(attributes) }),
  ];
}

/** The order of dimensions that turns one shape into another, when there is just one. */
function orderBetween(from: RowShape, to: RowShape): RowShape | undefined {
  const used = new Set<number>();
  const order = to.map((extent) => {
    const dim = from.findIndex((candidate, index) => candidate === extent && !used.has(index));
    used.add(dim);
    return dim;
  });
  return order.every((dim) => dim >= 0) && from.length === to.length ? order : undefined;
}

/** `permute` by `dims`, or by the shapes before and behind as in `80x24x32x256 > 1x24x96x256`. */
export const permuteOp: OpReader = ({ params }, chip) => {
  const [between, behind] = shapesIn(textIn(params, "io"));
  if (between !== undefined && behind !== undefined) {
    const order = required("the dimensions do not follow from the shapes", orderBetween(between, behind));
    return move("permute", { permutation: order }, { from: between, to: behind }, params, chip);
  }
  const need = requiring("shapes or dimensions are not in the row");
  const shape = need(integersIn(params.shape) ?? integersIn(params.in_shape));
  const dims = need(integersIn(params.dims));
  const result = dims.map((dim) => shape[normalDim(dim, shape.length)] ?? 1);
  return move("permute", { permutation: dims }, { from: shape, to: result }, params, chip);
};

/** `transpose` of two dimensions; between two shapes the ones that swap. */
export const transposeOp: OpReader = ({ params }, chip) => {
  const [before, behind] = shapesIn(params.in_shape ?? params.shape);
  const dims = integersIn(params.dims) ??
    (before === undefined || behind === undefined ? undefined : swapped(before, behind));
  const need = requiring("the swapped dimensions are not in the row");
  const from = need(before);
  const [first, second] = [need(dims?.[0]), need(dims?.[1])];
  const result = swapExtents(from, first, second);
  return move("transpose", { dim0: first, dim1: second }, { from, to: result }, params, chip);
};

/** The two dimensions in which shapes of equal rank differ; `undefined` unless there are just two. */
function swapped(from: RowShape, to: RowShape): RowShape | undefined {
  const differ = from.flatMap((extent, dim) => extent === to[dim] ? [] : [dim]);
  return differ.length === 2 && from.length === to.length ? differ : undefined;
}

const NO_RESULT = "the shape of the result is not in the row";

/** `reshape` between two shapes, or to so many rows of the same width. */
export const reshapeOp: OpReader = ({ params }, chip) => {
  const [before, told] = shapesIn([params.in_shape ?? params.shape, params.out_shape]);
  const rows = /-> (\d+) rows/.exec(textIn(params, "shape"))?.[1];
  const need = requiring(NO_RESULT);
  const from = need(before);
  const to = need(told ?? (rows === undefined ? undefined : [Number(rows), before?.at(-1) ?? 1]));
  return move("reshape", { shape: to }, { from, to }, params, chip);
};

/** `slice` from the first element on, between two shapes. */
export const sliceOp: OpReader = ({ params }, chip) => {
  const shapes = shapesIn(params.shape ?? params.desc);
  const [from, to] = [required(NO_RESULT, shapes[0]), required(NO_RESULT, shapes[1])];
  const range = { begins: from.map(() => 0), ends: to, step: from.map(() => 1) };
  return move("slice_static", range, { from, to }, params, chip);
};

/** `pad` by `[[before, after], …]`, missing leading dimensions not at all. */
export const padOp: OpReader = ({ params }, chip) => {
  const pairs = [...textIn(params, "padding").matchAll(/\[(\d+),(\d+)\]/g)]
    .map(([, before, behind]) => [Number(before), Number(behind)]);
  const need = requiring("shapes or padding are not in the row");
  const shape = need(integersIn(params.shape));
  need(pairs[0]);
  const padding = [...Array.from({ length: shape.length - pairs.length }, () => [0, 0]), ...pairs];
  const result = shape.map((extent, dim) => extent + (padding[dim]?.[0] ?? 0) + (padding[dim]?.[1] ?? 0));
  return move("pad", { padding: padding.flat() }, { from: shape, to: result }, params, chip);
};

/** `repeat` by a factor per dimension. */
export const repeatOp: OpReader = ({ params }, chip) => {
  const need = requiring("shapes or factors are not in the row");
  const shape = need(integersIn(params.shape));
  const factors = need(integersIn(params.repeat_dims));
  const result = shape.map((extent, dim) => extent * (factors[dim] ?? 1));
  return move("repeat", { repeat_dims: factors }, { from: shape, to: result }, params, chip);
};

/** `repeat_interleave` as in `dim=1 x2`. */
export const repeatInterleaveOp: OpReader = ({ params }, chip) => {
  const need = requiring("shape, dimension or factor is not in the row");
  const shape = need(integersIn(params.shape));
  const told = /dim=(-?\d+) x(\d+)/.exec(textIn(params, "repeat"))?.map(Number);
  const [, dim = 0, repeats = 1] = need(told);
  const axis = normalDim(dim, shape.length);
  const result = shape.with(axis, (shape[axis] ?? 1) * repeats);
  return move("repeat_interleave", { dim, repeats }, { from: shape, to: result }, params, chip);
};

/** `concat` of the shapes along a dimension, the one in which they differ where the row does not say. */
export const concatOp: OpReader = ({ params, what }, chip) => {
  const shapes = shapesIn(params.shapes ?? params.shape);
  const [first, second] = [required(NO_SHAPES, shapes[0]), required(NO_SHAPES, shapes[1])];
  const told = /dim=(-?\d+)/.exec(textIn(params, "dim"))?.[1];
  const differ = first.findIndex((extent, dim) => extent !== second[dim]);
  const dim = told === undefined ? differ : Number(told);
  if (told === undefined && differ < 0) leaveOut("the dimension is not in the row");
  const axis = normalDim(dim, first.length);
  const pages = /row-major/.test(what) ? { layout: "ROW_MAJOR", ...params } : params;
  const { input, output } = places(pages, chip);
  const dataType = dataTypeOf(params);
  const width = shapes.reduce((sum, shape) => sum + (shape[axis] ?? 0), 0);
  return [{
    name: "ttnn.concat",
    attributes: attributesOf({ dim }),
    inputs: shapes.map((shape) => tensorAt(shape, input, dataType)),
    outputs: [tensorAt(first.with(axis, width), output, dataType)],
  }];
};

const NOT_FOLDED = "the folded tensor is not in the row";

/** A change of pages in one direction. */
function pages(toTiles: boolean): OpReader {
  return ({ params }, chip) => {
    if (params.pipeline !== undefined) leaveOut(NOT_FOLDED);
    if (/\bclass\b/.test(textIn(params, "desc"))) leaveOut("shapes are not in the row, only their class");
    const text = params.shape ?? params.in_shape ?? params.desc;
    // `1 row x 2816`
    const shape = shapeIn(typeof text === "string" ? text.replace(/^(\d+) rows? /, "$1 ") : text);
    const memory = textIn(params, "memory") || textIn(params, "shape");
    const { input, output } = placesOf(memory, chip, { cores: numberIn(params, "cores") });
    const dataType = dataTypeIn(textIn(params, "dtype", "dtypes") || textIn(params, "shape")) ?? "bf16";
    const rows = (at: PlaceRequest): PlaceRequest => ({ ...at, tile: null });
    const [from, to] = toTiles ? [rows(input), output] : [input, rows(output)];
    return [fromOneTensor("to_layout", dataType, [shape, from], [shape, to])];
  };
}

/** `to_layout` to tiles. */
export const tilizeOp: OpReader = pages(true);

/** `to_layout` to rows of elements. */
export const untilizeOp: OpReader = pages(false);

/** Between interleaved memory and shards, or between shards. */
export const memoryOp: OpReader = ({ group, params }, chip) => {
  if (params.pipeline !== undefined) leaveOut(NOT_FOLDED);
  const shape = shapeIn(params.shape ?? params.desc);
  if (group === "reshard") leaveOut("the shards of input or output are not in the row");
  const shard = textIn(params, "shard");
  const memory = group === "s2i" && shard !== ""
    ? `L1 ${shard} -> ${textIn(params, "out")}`
    : textIn(params, "memory");
  const { input, output } = places({ ...params, memory: arrowed(memory, group) }, chip);
  if (input.memoryLayout === output.memoryLayout && input.bufferType === output.bufferType) {
    leaveOut("the shards are not in the row");
  }
  return [fromOneTensor("to_memory_config", dataTypeOf(params), [shape, input], [shape, output])];
};

/** A copy that leaves shards without saying where to goes to DRAM. */
function arrowed(memory: string, group: string): string {
  return group === "s2i" && !/->| to /.test(memory) ? `${memory} -> DRAM` : memory;
}

/** `assign` between two memories. */
export const copyOp: OpReader = ({ params }, chip) => {
  const shape = shapeIn(params.shape);
  const { input, output } = places(params, chip);
  return [fromOneTensor("assign", dataTypeOf(params), [shape, input], [shape, output])];
};

/** Lookups of rows of a table, in tiles as models go on with them. */
export const embeddingOp: OpReader = ({ params }) => {
  const told = /(\d+) indices, row (\d+) wide/.exec(textIn(params, "shape"))?.map(Number);
  const [, indices = 1, width = 1] = required("indices or the width of the table are not in the row", told);
  return [{
    name: "ttnn.embedding",
    inputs: [tensorAt([1, indices], DRAM_ROWS, "u32"), tensorAt([1024, width], DRAM_ROWS)],
    outputs: [tensorAt([1, indices, width])],
  }];
};
