// SPDX-License-Identifier: Apache-2.0
import { normalDim, swapExtents } from "../../../lib/layout/extents.ts";
import {
  attributesOf,
  DRAM,
  DRAM_ROWS,
  fromOneTensor,
  type OpQuestion,
  type PlaceRequest,
} from "../op_question.ts";
import type { MeasuredChip, OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import {
  dataTypeIn,
  dataTypeOf,
  integersIn,
  numberIn,
  placesOf,
  type RowPlaces,
  shapesIn,
  textIn,
} from "./texts.ts";

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
    const order = orderBetween(between, behind);
    if (order === undefined) return "the dimensions do not follow from the shapes";
    return move("permute", { permutation: order }, { from: between, to: behind }, params, chip);
  }
  const shape = integersIn(params.shape) ?? integersIn(params.in_shape);
  const dims = integersIn(params.dims);
  if (shape === undefined || dims === undefined) return "shapes or dimensions are not in the row";
  const result = dims.map((dim) => shape[normalDim(dim, shape.length)] ?? 1);
  return move("permute", { permutation: dims }, { from: shape, to: result }, params, chip);
};

/** `transpose` of two dimensions; between two shapes the ones that swap. */
export const transposeOp: OpReader = ({ params }, chip) => {
  const [from, to] = shapesIn(params.in_shape ?? params.shape);
  const dims = integersIn(params.dims) ??
    (from === undefined || to === undefined ? undefined : swapped(from, to));
  const [first, second] = dims ?? [];
  if (from === undefined || first === undefined || second === undefined) {
    return "the swapped dimensions are not in the row";
  }
  const result = swapExtents(from, first, second);
  return move("transpose", { dim0: first, dim1: second }, { from, to: result }, params, chip);
};

/** The two dimensions in which shapes of equal rank differ; `undefined` unless there are just two. */
function swapped(from: RowShape, to: RowShape): RowShape | undefined {
  const differ = from.flatMap((extent, dim) => extent === to[dim] ? [] : [dim]);
  return differ.length === 2 && from.length === to.length ? differ : undefined;
}

/** `reshape` between two shapes, or to so many rows of the same width. */
export const reshapeOp: OpReader = ({ params }, chip) => {
  const [from, told] = shapesIn([params.in_shape ?? params.shape, params.out_shape]);
  const rows = Number(/-> (\d+) rows/.exec(textIn(params, "shape"))?.[1] ?? NaN);
  const to = told ?? (Number.isFinite(rows) ? [rows, from?.at(-1) ?? 1] : undefined);
  if (from === undefined || to === undefined) return "the shape of the result is not in the row";
  return move("reshape", { shape: to }, { from, to }, params, chip);
};

/** `slice` from the first element on, between two shapes. */
export const sliceOp: OpReader = ({ params }, chip) => {
  const [from, to] = shapesIn(params.shape ?? params.desc);
  if (from === undefined || to === undefined) return "the shape of the result is not in the row";
  const zeros = from.map(() => 0);
  return move(
    "slice_static",
    { begins: zeros, ends: to, step: from.map(() => 1) },
    { from, to },
    params,
    chip,
  );
};

/** `pad` by `[[before, after], …]`, missing leading dimensions not at all. */
export const padOp: OpReader = ({ params }, chip) => {
  const shape = integersIn(params.shape);
  const pairs = [...textIn(params, "padding").matchAll(/\[(\d+),(\d+)\]/g)].map((
    [, a, b],
  ) => [Number(a), Number(b)]);
  if (shape === undefined || pairs.length === 0) return "shapes or padding are not in the row";
  const padding = [...Array.from({ length: shape.length - pairs.length }, () => [0, 0]), ...pairs];
  const result = shape.map((extent, dim) => extent + (padding[dim]?.[0] ?? 0) + (padding[dim]?.[1] ?? 0));
  return move("pad", { padding: padding.flat() }, { from: shape, to: result }, params, chip);
};

/** `repeat` by a factor per dimension. */
export const repeatOp: OpReader = ({ params }, chip) => {
  const shape = integersIn(params.shape);
  const factors = integersIn(params.repeat_dims);
  if (shape === undefined || factors === undefined) return "shapes or factors are not in the row";
  const result = shape.map((extent, dim) => extent * (factors[dim] ?? 1));
  return move("repeat", { repeat_dims: factors }, { from: shape, to: result }, params, chip);
};

/** `repeat_interleave` as in `dim=1 x2`. */
export const repeatInterleaveOp: OpReader = ({ params }, chip) => {
  const shape = integersIn(params.shape);
  const [, dim, repeats] = /dim=(-?\d+) x(\d+)/.exec(textIn(params, "repeat"))?.map(Number) ?? [];
  if (shape === undefined || dim === undefined || repeats === undefined) {
    return "shape, dimension or factor is not in the row";
  }
  const axis = normalDim(dim, shape.length);
  const result = shape.map((extent, at) => at === axis ? extent * repeats : extent);
  return move("repeat_interleave", { dim, repeats }, { from: shape, to: result }, params, chip);
};

/** `concat` of the shapes along a dimension, the one in which they differ where the row does not say. */
export const concatOp: OpReader = ({ params, what }, chip) => {
  const shapes = shapesIn(params.shapes ?? params.shape);
  const [first, second] = shapes;
  if (first === undefined || second === undefined) return "shapes are not in the row";
  const told = /dim=(-?\d+)/.exec(textIn(params, "dim"))?.[1];
  const differ = first.findIndex((extent, dim) => extent !== second[dim]);
  const dim = told === undefined ? differ : Number(told);
  if (told === undefined && differ < 0) return "the dimension is not in the row";
  const axis = normalDim(dim, first.length);
  const pages = /row-major/.test(what) ? { layout: "ROW_MAJOR", ...params } : params;
  const { input, output } = places(pages, chip);
  const dataType = dataTypeOf(params);
  const width = shapes.reduce((sum, shape) => sum + (shape[axis] ?? 0), 0);
  return [{
    name: "ttnn.concat",
    attributes: attributesOf({ dim }),
    inputs: shapes.map((shape) => ({ shape, dataType, place: input })),
    outputs: [{ shape: first.map((extent, at) => at === axis ? width : extent), dataType, place: output }],
  }];
};

/** A change of pages in one direction. */
function pages(toTiles: boolean): OpReader {
  return ({ params }, chip) => {
    if (params.pipeline !== undefined) return "the folded tensor is not in the row";
    if (/\bclass\b/.test(textIn(params, "desc"))) return "shapes are not in the row, only their class";
    const text = params.shape ?? params.in_shape ?? params.desc;
    // `1 row x 2816`
    const [shape] = shapesIn(typeof text === "string" ? text.replace(/^(\d+) rows? /, "$1 ") : text);
    if (shape === undefined) return "shapes are not in the row";
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
  if (params.pipeline !== undefined) return "the folded tensor is not in the row";
  const [shape] = shapesIn(params.shape ?? params.desc);
  if (shape === undefined) return "shapes are not in the row";
  if (group === "reshard") return "the shards of input or output are not in the row";
  const shard = textIn(params, "shard");
  const memory = group === "s2i" && shard !== ""
    ? `L1 ${shard} -> ${textIn(params, "out")}`
    : textIn(params, "memory");
  const { input, output } = places({ ...params, memory: arrowed(memory, group) }, chip);
  if (input.memoryLayout === output.memoryLayout && input.bufferType === output.bufferType) {
    return "the shards are not in the row";
  }
  return [fromOneTensor("to_memory_config", dataTypeOf(params), [shape, input], [shape, output])];
};

/** A copy that leaves shards without saying where to goes to DRAM. */
function arrowed(memory: string, group: string): string {
  return group === "s2i" && !/->| to /.test(memory) ? `${memory} -> DRAM` : memory;
}

/** `assign` between two memories. */
export const copyOp: OpReader = ({ params }, chip) => {
  const [shape] = shapesIn(params.shape);
  if (shape === undefined) return "shapes are not in the row";
  const { input, output } = places(params, chip);
  return [fromOneTensor("assign", dataTypeOf(params), [shape, input], [shape, output])];
};

/** Lookups of rows of a table, in tiles as models go on with them. */
export const embeddingOp: OpReader = ({ params }) => {
  const match = /(\d+) indices, row (\d+) wide/.exec(textIn(params, "shape"));
  if (match === null) return "indices or the width of the table are not in the row";
  const [indices, width] = [Number(match[1]), Number(match[2])];
  return [{
    name: "ttnn.embedding",
    inputs: [
      { shape: [1, indices], dataType: "u32", place: DRAM_ROWS },
      { shape: [1024, width], dataType: "bf16", place: DRAM_ROWS },
    ],
    outputs: [{ shape: [1, indices, width], dataType: "bf16", place: DRAM }],
  }];
};
