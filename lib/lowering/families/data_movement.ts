// SPDX-License-Identifier: Apache-2.0
import { inversePermutation, sameExtents, volume, withLeadingOnes } from "../../layout/extents.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { DEFAULT_L1_CAP, usableL1Bytes } from "../../device/chip_description.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { denseList } from "../dense_constant.ts";
import { type FunctionLowering, SI32, splat, U32 } from "../function_lowering.ts";
import { broadcasted, type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { lookUp } from "./embedding.ts";

/** Ops that move elements. */
export const DATA_MOVEMENT: LoweringRules = {
  "ttir.reshape": { lower: reshape, operands: 1 },
  "ttir.squeeze": { lower: squeeze, operands: 1 },
  "ttir.unsqueeze": { lower: unsqueeze, operands: 1 },
  "ttir.permute": { lower: permute, operands: 1 },
  "ttir.rearrange": { lower: rearrange, operands: 1 },
  "ttir.transpose": { lower: transpose, operands: 1 },
  "ttir.broadcast": { lower: broadcast, operands: 1 },
  "ttir.repeat": { lower: repeat, operands: 1 },
  "ttir.repeat_interleave": { lower: repeatInterleave, operands: 1 },
  "ttir.concat": { lower: concat },
  "ttir.slice_static": { lower: sliceStatic, operands: 1 },
  "ttir.slice": { lower: sliceStatic, operands: 1 },
  "ttir.slice_dynamic": { lower: sliceDynamic, operands: 3 },
  "ttir.index": { lower: index, operands: 1 },
  "ttir.index_select": { lower: indexSelect, operands: 1 },
  "ttir.select": { lower: indexSelect, operands: 1 },
  "ttir.reverse": { lower: reverse, operands: 1 },
  "ttir.pad": { lower: pad, operands: 1 },
  "ttir.convert_to_hwc": { lower: convertToHwc, operands: 1 },
};

function reshape(op: TtirOp, f: FunctionLowering): void {
  const { shape } = op.resultType();
  const asked = op.integers("shape")?.map((extent, dim) => extent < 0 ? shape[dim] ?? extent : extent);
  // Behind the extents of a complex result are its pairs.
  const isOfPairs = shape.length - 1 === asked?.length && shape.at(-1) === 2;
  if (asked !== undefined) op.expectShape(isOfPairs ? [...asked, 2] : asked);
  const input = f.operand(op, 0);
  f.defineResult(op, mergedRepeat(input, shape, f) ?? reshaped(input, shape));
}

/**
 * `[1, batch, channels, pixels]` becomes `[1, 1, batch * pixels, channels]` by a permute, which takes any
 * layout. The kernel of this name requires shards, which only a layout decision gives.
 */
function convertToHwc(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const [one = 1, batch = 1, channels = 1, ...pixels] = input.shape;
  op.expectShape([1, 1, one * batch * volume(pixels), channels]);
  const channelsLast = permuted(reshaped(input, [one * batch, channels, volume(pixels)]), [0, 2, 1]);
  f.defineResult(op, reshaped(channelsLast, op.resultType().shape));
}

function squeeze(op: TtirOp, f: FunctionLowering): void {
  const { shape } = f.operand(op, 0);
  const dim = op.dimension(op.requiredInteger("dim"), shape.length);
  if (shape[dim] !== 1) {
    throw op.error(`dimension ${dim} has extent ${shape[dim]}, only 1 can be removed`, "shape");
  }
  op.expectShape(shape.toSpliced(dim, 1));
  reshape(op, f);
}

function unsqueeze(op: TtirOp, f: FunctionLowering): void {
  const { shape } = f.operand(op, 0);
  const dim = op.dimension(op.requiredInteger("dim"), shape.length + 1);
  op.expectShape(shape.toSpliced(dim, 0, 1));
  reshape(op, f);
}

/** `[…, a, 1, b]` broadcast to `[…, a, n, b]` and merged to `[…, a * n, b]`, with a > 1, is a `repeat_interleave`. */
function mergedRepeat(
  input: LazyTensor,
  shape: readonly number[],
  f: FunctionLowering,
): LazyTensor | undefined {
  if (input.form.kind !== "broadcast") return undefined;
  const { source } = input.form;
  const grown = source.shape.flatMap((extent, dim) => (extent === input.shape[dim] ? [] : [dim]));
  const dim = grown[0];
  if (dim === undefined || dim === 0 || grown.length !== 1 || input.shape[dim - 1] === 1) return undefined;
  const repeats = input.shape[dim] ?? 1;
  const merged = input.shape.map((extent, at) => at === dim - 1 ? extent * repeats : extent)
    .toSpliced(dim, 1);
  if (!sameExtents(merged, shape)) return undefined;
  const flat = reshaped(source, source.shape.filter((_, at) => at !== dim));
  return f.apply("repeat_interleave", [flat], { shape, element: input.element }, {
    dim: dim - 1,
    repeats,
  });
}

function permute(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const permutation = op.requiredIntegers("permutation").map((dim) => op.dimension(dim, input.shape.length));
  if (new Set(permutation).size !== input.shape.length) {
    throw op.error(
      `[${permutation.join(", ")}] is not a permutation of rank ${input.shape.length}`,
      "attribute",
    );
  }
  f.defineResult(op, permuted(input, permutation));
}

/** `z y x -> (y z) x`: dimensions by name, into another order and then together. */
function rearrange(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const pattern = op.attributeText("pattern") ?? "";
  const [, from = "", to = ""] = /^"(.*)->(.*)"$/.exec(pattern) ?? [];
  const wordsOf = (side: string): string[] => side.match(/[A-Za-z_]\w*/g) ?? [];
  const names = wordsOf(from);
  const order = wordsOf(to).map((name) => names.indexOf(name));
  const isOrder = new Set(order).size === names.length && order.length === names.length &&
    !order.includes(-1);
  if (names.length !== input.shape.length || from.includes("(") || !isOrder) {
    throw op.error(`${pattern} does not name each of its ${input.shape.length} dimensions once`, "attribute");
  }
  const groups = to.match(/\([^)]*\)|\w+/g) ?? [];
  const shape = groups.map((group) =>
    volume(wordsOf(group).map((name) => input.shape[names.indexOf(name)] ?? 1))
  );
  f.defineResult(op, reshaped(permuted(input, order), shape));
}

function transpose(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const rank = input.shape.length;
  const first = op.dimension(op.requiredInteger("dim0"), rank);
  const second = op.dimension(op.requiredInteger("dim1"), rank);
  const permutation = input.shape.map((_, dim) => (dim === first ? second : dim === second ? first : dim));
  f.defineResult(op, permuted(input, permutation));
}

/** Repeat factors (`broadcast_dimensions` at HEAD) follow from the shapes; lower ranks are padded with leading ones. */
function broadcast(op: TtirOp, f: FunctionLowering): void {
  const { shape } = op.resultType();
  const input = f.operand(op, 0);
  const missing = shape.length - input.shape.length;
  const filled = reshaped(input, withLeadingOnes(input.shape, shape.length));
  const fits = missing >= 0 && filled.shape.every((extent, dim) => extent === shape[dim] || extent === 1);
  if (!fits) {
    throw op.error(`${input.shape.join("x")} does not broadcast to ${shape.join("x")}`, "shape");
  }
  f.defineResult(op, broadcasted(filled, shape));
}

function repeat(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const factors = op.integers("repeat_dimensions") ?? op.requiredIntegers("repeat_dims");
  if (factors.length !== input.shape.length) {
    throw op.error(
      `repeat_dimensions needs ${input.shape.length} numbers, it has ${factors.length}`,
      "attribute",
    );
  }
  if (factors.every((factor) => factor === 1)) return f.defineResult(op, input);
  op.expectShape(input.shape.map((extent, dim) => extent * (factors[dim] ?? 1)));
  f.replace(op, "repeat", [input], { repeat_dims: factors });
}

function repeatInterleave(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const dim = op.dimension(op.requiredInteger("dim"), op.resultType().shape.length);
  const repeats = op.requiredInteger("repeats");
  op.expectShape(input.shape.map((extent, at) => (at === dim ? extent * repeats : extent)));
  if (repeats === 1) return f.defineResult(op, input);
  f.replace(op, "repeat_interleave", [input], {
    dim,
    repeats,
  });
}

/** Concat of empty operands: the first, or a splat of the result's shape. */
function joinedNothing(op: TtirOp, [first]: readonly LazyTensor[]): LazyTensor {
  const { shape, element } = op.resultType();
  return first !== undefined && sameExtents(first.shape, shape) ? first : splat(shape, element, 0);
}

/** Concat; empty operands are dropped. */
function concat(op: TtirOp, f: FunctionLowering): void {
  const dim = op.dimension(op.requiredInteger("dim"), op.resultType().shape.length);
  const given = f.operandsFrom(op, 0);
  const inputs = given.filter((input) => volume(input.shape) > 0);
  const [only] = inputs;
  if (only === undefined) return f.defineResult(op, joinedNothing(op, given));
  if (inputs.length === 1) return f.defineResult(op, only);
  const total = inputs.reduce((sum, input) => sum + (input.shape[dim] ?? 0), 0);
  if (inputs.some((input) => !sameExtents(input.shape.with(dim, 0), only.shape.with(dim, 0)))) {
    throw op.error("operands differ in more than the joined dimension", "shape");
  }
  op.expectShape(only.shape.with(dim, total));
  f.replace(op, "concat", inputs, { dim: dim });
}

function sliceStatic(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const begins = normalBounds(op.requiredIntegers("begins"), input.shape);
  const ends = normalBounds(op.requiredIntegers("ends"), input.shape);
  f.defineResult(op, slice(op, f, input, { begins, ends, step: op.requiredIntegers("step") }));
}

/** Negative bounds count from the end. */
function normalBounds(bounds: readonly number[], shape: readonly number[]): readonly number[] {
  return bounds.map((bound, dim) => (bound < 0 ? bound + (shape[dim] ?? 0) : bound));
}

/** Two corners of a tensor and the strides between them, by dimension; by default its own corners, and ones. */
interface SliceBounds {
  readonly begins?: readonly number[];
  readonly ends?: readonly number[];
  readonly step?: readonly number[];
}

/** The part between two corners, with strides. @throws {DiagnosticError} if it is not inside the tensor */
export function slice(
  op: TtirOp,
  f: FunctionLowering,
  input: LazyTensor,
  {
    begins = input.shape.map(() => 0),
    ends = input.shape,
    step = input.shape.map(() => 1),
  }: SliceBounds,
): LazyTensor {
  const shape = input.shape.map((_, dim) =>
    Math.ceil(((ends[dim] ?? 0) - (begins[dim] ?? 0)) / (step[dim] ?? 1))
  );
  const isInside = input.shape.every((extent, dim) => (begins[dim] ?? 0) >= 0 && (ends[dim] ?? 0) <= extent);
  if (!isInside || step.some((stride) => stride < 1)) {
    throw op.error(
      `slice [${begins.join(", ")}] to [${ends.join(", ")}] by [${step.join(", ")}] is not within ${
        input.shape.join("x")
      }`,
      "attribute",
    );
  }
  if (shape.some((extent) => !(extent >= 0))) {
    throw op.error(`slice [${begins.join(", ")}] to [${ends.join(", ")}] ends before it begins`, "attribute");
  }
  if (sameExtents(shape, input.shape)) return input;
  if (input.form.kind === "splat") return { ...input, shape };
  return f.apply("slice_static", [input], { shape, element: input.element }, {
    begins,
    ends,
    step,
  });
}

/** The part from `begin` to `end` along one dimension, see {@linkcode slice}. */
export function sliceAlong(
  op: TtirOp,
  f: FunctionLowering,
  input: LazyTensor,
  dim: number,
  begin: number,
  end: number,
): LazyTensor {
  const begins = input.shape.map((_, at) => at === dim ? begin : 0);
  return slice(op, f, input, { begins, ends: input.shape.with(dim, end) });
}

/** u8 and u16 data are cast to u32 for the kernel. It takes row-major data and tiled u32 bounds. */
function sliceDynamic(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const input = f.operand(op, 0);
  const wide = element.dataType === "u8" || element.dataType === "u16" ? U32 : element;
  const bounds = [1, 2].map((index) => f.tile(f.typecast(f.operand(op, index), U32)));
  const operands = [f.rowMajor(f.typecast(input, wide)), ...bounds];
  const step = op.integers("step") ?? shape.map(() => 1);
  const rowMajor = { place: { rowMajor: true } };
  const output = f.apply("slice_dynamic", operands, { shape, element: wide }, { step }, rowMajor);
  f.defineResult(op, f.typecast(output, element));
}

function index(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const dim = op.dimension(op.requiredInteger("dim"), input.shape.length);
  const at = (value: number, fill: (extent: number) => number): readonly number[] =>
    input.shape.map((extent, own) => (own === dim ? value : fill(extent)));
  const begins = normalBounds(at(op.requiredInteger("begin"), () => 0), input.shape);
  const ends = normalBounds(at(op.requiredInteger("end"), (extent) => extent), input.shape);
  const step = at(op.requiredInteger("step"), () => 1);
  f.defineResult(op, slice(op, f, input, { begins, ends, step }));
}

/** Slices of `length` every `stride` between `begin` and `end`, joined; one slice if `stride` ≤ 0. */
function indexSelect(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const dim = op.dimension(op.requiredInteger("dim"), input.shape.length);
  const extent = input.shape[dim] ?? 1;
  const begin = op.requiredInteger("begin");
  const end = op.integer("end") ?? extent;
  const length = op.requiredInteger("length");
  const stride = op.integer("stride") ?? 0;
  if (stride <= 0 && begin + length < end) throw op.error("a stride is needed", "attribute");
  const parts: LazyTensor[] = [];
  for (let from = begin; from < end; from += Math.max(stride, 1)) {
    parts.push(sliceAlong(op, f, input, dim, from, Math.min(from + length, extent)));
    if (stride <= 0) break;
  }
  const only = parts[0];
  if (only !== undefined && parts.length === 1) return f.defineResult(op, only);
  f.replace(op, "concat", parts, { dim: dim });
}

function reverse(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const dimensions = op.requiredIntegers("dimensions").map((dim) => op.dimension(dim, input.shape.length));
  f.defineResult(op, fallingOrder(f, input, dimensions));
}

/** Reverses dimensions: their positions, as rows of a table, are looked up in descending order. */
export function fallingOrder(
  f: FunctionLowering,
  input: LazyTensor,
  dimensions: readonly number[],
): LazyTensor {
  const reversed = new Set(dimensions);
  const order = input.shape.map((_, dim) => dim).toSorted((a, b) =>
    Number(reversed.has(b)) - Number(reversed.has(a)) || a - b
  );
  const rows = [...reversed].reduce((count, dim) => count * (input.shape[dim] ?? 1), 1);
  if (rows === 1) return input;
  const front = permuted(input, order);
  const table = reshaped(front, [rows, volume(front.shape) / rows]);
  const falling = Array.from({ length: rows }, (_, at) => rows - 1 - at);
  const looked = f.typecast(lookUp(f, denseList([rows], U32, falling), table), input.element);
  return permuted(reshaped(looked, front.shape), inversePermutation(order));
}

function pad(op: TtirOp, f: FunctionLowering): void {
  const padding = op.requiredIntegers("padding");
  let input = f.operand(op, 0);
  if (padding.length !== 2 * input.shape.length) {
    throw op.error(`padding needs ${2 * input.shape.length} numbers, it has ${padding.length}`, "attribute");
  }
  if (padding.some((amount) => amount < 0)) {
    const begins = input.shape.map((_, dim) => Math.max(0, -(padding[2 * dim] ?? 0)));
    const ends = input.shape.map((extent, dim) => extent - Math.max(0, -(padding[2 * dim + 1] ?? 0)));
    input = slice(op, f, input, { begins, ends });
  }
  const positive = padding.map((amount) => Math.max(0, amount));
  if (positive.every((amount) => amount === 0)) return f.defineResult(op, input);
  const grown = (dim: number): number => (positive[2 * dim] ?? 0) + (positive[2 * dim + 1] ?? 0);
  op.expectShape(input.shape.map((extent, dim) => extent + grown(dim)));
  // The kernel for tiles pads only at the end.
  const isInFront = positive.some((amount, at) => at % 2 === 0 && amount > 0);
  const rowBytes = (op.resultType().shape.at(-1) ?? 1) * elementBytes(input.element.dataType);
  if (isInFront && PADDED_ROWS * rowBytes > usableL1Bytes(f.chip, DEFAULT_L1_CAP, 0)) {
    return f.defineResult(op, joinedPadding(f, input, positive, op.float("value") ?? 0));
  }
  const { shape, element } = op.resultType();
  const wide = definitionOf("ttnn.pad").takesFormats([element.dataType], undefined) ? element : SI32;
  const whole = f.typecast(input, wide);
  // Tiles are added to tensors of two dimensions or more (`ttnn:backend-0-81-1`).
  const isLine = shape.length === 1 && !isInFront;
  const lifted = isLine ? reshaped(whole, [1, ...whole.shape]) : whole;
  const padded = f.apply(
    "pad",
    [isInFront ? f.rowMajor(lifted) : lifted],
    { shape: isLine ? [1, ...shape] : shape, element: wide },
    {
      padding: isLine ? [0, 0, ...positive] : positive,
      use_multicore: true,
      value: op.float("value") ?? 0,
    },
    isInFront ? { place: { rowMajor: true } } : {},
  );
  f.defineResult(op, f.typecast(reshaped(padded, shape), element));
}

/**
 * If 18 padded rows exceed usable L1, a front pad becomes concats, as upstream (tt-mlir:wide-front-pad). The
 * kernel of 0.81.1 holds fewer if rows are long, and accepts longer rows.
 */
const PADDED_ROWS = 18;

/** Padding by concat: the value in front of and behind the input, dimension by dimension. */
function joinedPadding(
  f: FunctionLowering,
  input: LazyTensor,
  padding: readonly number[],
  value: number,
): LazyTensor {
  return input.shape.reduce((padded, _, dim) => {
    const fill = (extent: number): readonly LazyTensor[] =>
      extent === 0 ? [] : [splat(padded.shape.with(dim, extent), padded.element, value)];
    const parts = [...fill(padding[2 * dim] ?? 0), padded, ...fill(padding[2 * dim + 1] ?? 0)];
    if (parts.length === 1) return padded;
    const extent = parts.reduce((sum, { shape }) => sum + (shape[dim] ?? 0), 0);
    return f.apply("concat", parts, { shape: padded.shape.with(dim, extent), element: padded.element }, {
      dim,
    });
  }, input);
}
