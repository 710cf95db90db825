// SPDX-License-Identifier: Apache-2.0
import { PAD, PERMUTE } from "../../../ops/attributes/movement.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import { paddingOf, windowOf, writtenPadding } from "../../../ops/op_windows.ts";
import type { WindowPadding } from "../../../ops/sliding_window.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue, TtnnValue } from "../../../ttnn/value.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { isInRows, isPlain, madeBy, tensorOf } from "../matching.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { CONV3D, POOL2D } from "../../../ops/attributes/window.ts";

/** A tensor that is padded before an op with windows reads it. */
interface PaddedTensor {
  /** The tensor below the pad and an optional permute after it; in rows only without a permute. */
  readonly source: TensorValue;
  /** Source dimension of each dimension after the permute. */
  readonly permutation: readonly number[];
  /** Padding before and after, per dimension after the permute. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Value of the padding. */
  readonly filler: number;
  /** Extents after the permute. */
  readonly shape: readonly number[];
}

/**
 * The pad below page conversions and at most one permute; `undefined` if there is none, or if its padding is
 * negative.
 */
function paddedBelow(value: TtnnValue | undefined): PaddedTensor | undefined {
  const tensor = samePages(value);
  const permute = madeBy(tensor, "permute");
  const pad = madeBy(permute === undefined ? tensor : samePages(permute.operands[0]), "pad");
  const source = samePages(pad?.operands[0]);
  const filler = pad === undefined ? undefined : pad.read(PAD).value;
  if (tensor === undefined || pad === undefined || source === undefined || filler === undefined) {
    return undefined;
  }
  if (source.type.dataType !== tensor.type.dataType) return undefined;
  const isReshaped = permute === undefined && isInRows(source.type);
  if (!isReshaped && !isPlain(source.type)) return undefined;
  const padding = pad.read(PAD).padding;
  if (padding.some((amount) => amount < 0)) return undefined;
  const permutation = permute === undefined
    ? source.type.shape.map((_, dim) => dim)
    : permute.read(PERMUTE).permutation;
  const side = (offset: 0 | 1): readonly number[] => permutation.map((dim) => padding[2 * dim + offset] ?? 0);
  return { source, permutation, before: side(0), after: side(1), filler, shape: tensor.type.shape };
}

/** The unpadded tensor after the permute, in another shape, tiled or row-major. */
function makeUnpadded(
  site: PassBuilder,
  { source, permutation }: PaddedTensor,
  shapeOf: (extents: readonly number[]) => readonly number[],
  rowMajor: boolean,
): TensorValue {
  if (isInRows(source.type)) {
    const rows = site.rowMajorReshape(source, shapeOf(source.type.shape));
    return rowMajor ? rows : site.tiled(rows);
  }
  const isPermuted = permutation.some((dim, position) => dim !== position);
  const permuted = isPermuted ? site.permute(source, permutation) : source;
  const tiles = site.reshape(permuted, shapeOf(permuted.type.shape));
  if (!rowMajor) return tiles;
  const { shape, dataType } = tiles.type;
  return site.op("ttnn.to_layout", [tiles], tensorType(site.chip, shape, dataType, { rowMajor }));
}

/** The padded image `[batch, height, width, channels]`, or line of height 1, that a 2D window op reads as a list of pixels. */
function paddedImage(op: TtnnOp, isLine = false): PaddedTensor | undefined {
  const flat = samePages(op.operands[0]);
  const below = paddedBelow(madeBy(flat, "reshape")?.operands[0]);
  const window = windowOf({ name: op.name, attributes: op.attributeMap() });
  if (below === undefined || window === undefined) return undefined;
  const { batch, inputHeight, inputWidth, inChannels } = window;
  const found = isLine && below.shape.length === 3 && inputHeight === 1 ? asImage(below) : below;
  const isWhole = sameExtents(found.shape, [batch, inputHeight, inputWidth, inChannels]) &&
    found.source.type.dataType === op.operandType(0)?.dataType;
  if (!isWhole) return undefined;
  const { before, after } = found;
  return [before, after].every((sides) => sides[0] === 0 && sides[3] === 0) ? found : undefined;
}

/** A line `[batch, length, channels]` as an image of height 1. */
function asImage(line: PaddedTensor): PaddedTensor {
  const { before, after, shape } = line;
  return {
    ...line,
    before: before.toSpliced(1, 0, 0),
    after: after.toSpliced(1, 0, 0),
    shape: shape.toSpliced(1, 0, 1),
  };
}

/** The sum of an op's own 2D padding and the padding of its image. */
function joinedPadding(op: TtnnOp, { before, after }: PaddedTensor): WindowPadding {
  const { top, left, bottom, right } = paddingOf({ name: op.name, attributes: op.attributeMap() });
  return {
    top: top + (before[1] ?? 0),
    left: left + (before[2] ?? 0),
    bottom: bottom + (after[1] ?? 0),
    right: right + (after[2] ?? 0),
  };
}

/** The tensor below page conversions. */
function samePages(value: TtnnValue | undefined): TensorValue | undefined {
  let current = tensorOf(value);
  for (;;) {
    const below = madeBy(current, "to_layout")?.tensorOperand(0);
    if (below === undefined || below.type.dataType !== current?.type.dataType) return current;
    current = below;
  }
}

/**
 * Folds a zero pad into the convolution after it (tt-mlir:ttnn-fusing): for 2D any padding per side, for 3D
 * equal padding on both sides of a dimension.
 */
export const foldPadIntoConvolution: RewritePattern = foldingPad(
  "fold-pad-into-convolution",
  "level-0",
  false,
);

/** {@linkcode foldPadIntoConvolution} for lines, such as causal convolutions pad at their beginning; upstream leaves those. */
export const foldPadOfLine: RewritePattern = foldingPad("fold-pad-of-line", "none", true);

function foldingPad(name: string, upstream: RewritePattern["upstream"], isLine: boolean): RewritePattern {
  return replacing({
    name,
    upstream,
    roots: isLine ? ["ttnn.conv2d"] : ["ttnn.conv2d", "ttnn.conv3d"],
    replace: (op, site, result) => {
      const folded = op.name === "ttnn.conv2d" ? foldedImage(op, isLine) : foldedVolume(op);
      if (folded === undefined || folded.found.filler !== 0) return undefined;
      const isRowMajor = op.operandType(0)?.layout.tile === undefined;
      const input = makeUnpadded(site, folded.found, folded.shapeOf, isRowMajor);
      const properties = op.propertiesWith({ ...folded.extents, padding: folded.padding });
      return site.op(op.name, [input, ...op.operands.slice(1)], result.type, properties);
    },
  });
}

/** A convolution after folding the pad. */
interface Folded {
  readonly found: PaddedTensor;
  /** In the op's order. */
  readonly padding: readonly number[];
  /** Properties with the input's extents. */
  readonly extents: Readonly<Record<string, number>>;
  /** The shape in which the convolution reads its input. */
  readonly shapeOf: (extents: readonly number[]) => readonly number[];
}

function foldedImage(op: TtnnOp, isLine: boolean): Folded | undefined {
  const found = paddedImage(op, isLine);
  if (found === undefined) return undefined;
  const [, height = 1, width = 1] = unpadded(found);
  return {
    found,
    padding: writtenPadding(op.name, joinedPadding(op, found)),
    extents: { input_height: height, input_width: width },
    shapeOf: flatShape,
  };
}

function foldedVolume(op: TtnnOp): Folded | undefined {
  const found = paddedBelow(op.operands[0]);
  if (found === undefined || op.read(CONV3D).padding_mode !== "zeros") return undefined;
  const { before, after, shape } = found;
  const [depth, height, width] = [1, 2, 3].map((dim) => before[dim] ?? 0);
  const isEven = sameExtents(before, after) && before[0] === 0 && before.at(-1) === 0;
  if (!isEven || !sameExtents(shape, op.operandType(0)?.shape ?? [])) return undefined;
  const [ownDepth = 0, ownHeight = 0, ownWidth = 0] = op.read(CONV3D).padding;
  const [, deep = 1, high = 1, wide = 1] = unpadded(found);
  return {
    found,
    padding: [ownDepth + (depth ?? 0), ownHeight + (height ?? 0), ownWidth + (width ?? 0)],
    extents: { input_depth: deep, input_height: high, input_width: wide },
    shapeOf: (extents) => extents,
  };
}

/** Extents after the permute without the pad. */
function unpadded({ shape, before, after }: PaddedTensor): readonly number[] {
  return shape.map((extent, dim) => extent - (before[dim] ?? 0) - (after[dim] ?? 0));
}

/**
 * Folds a pad into the pool after it (tt-mlir:ttnn-fusing): with −∞ into a maximum, with zeros into an
 * average that counts padding. The kernel pads by at most half of its window.
 */
export const foldPadIntoPool: RewritePattern = replacing({
  name: "fold-pad-into-pool",
  upstream: "level-0",
  roots: ["ttnn.max_pool2d", "ttnn.avg_pool2d"],
  replace: (op, site, result) => {
    const found = paddedImage(op);
    if (found === undefined || found.filler !== fillerOf(op)) return undefined;
    const padding = joinedPadding(op, found);
    const { top, left, bottom, right } = padding;
    const [high = 1, wide = 1] = op.read(POOL2D).kernel_size;
    if (2 * Math.max(top, bottom) > high || 2 * Math.max(left, right) > wide) return undefined;
    const isRowMajor = op.operandType(0)?.layout.tile === undefined;
    const input = makeUnpadded(site, found, flatShape, isRowMajor);
    const [, height = 1, width = 1] = unpadded(found);
    const properties = op.propertiesWith({
      input_height: height,
      input_width: width,
      padding: writtenPadding(op.name, padding),
    });
    const pooled = site.op(op.name, [input, ...op.operands.slice(1)], result.type, properties);
    return pooled;
  },
});

/** Value of the pool's own padding; `undefined` if padding does not count. */
function fillerOf(pool: TtnnOp): number | undefined {
  if (pool.name === "ttnn.max_pool2d") return -Infinity;
  return pool.read(POOL2D).count_include_pad ? 0 : undefined;
}

/** All pixels of an image or line in one dimension. */
function flatShape(extents: readonly number[]): readonly number[] {
  return [1, 1, volume(extents.slice(0, -1)), extents.at(-1) ?? 1];
}
