// SPDX-License-Identifier: Apache-2.0
import { PAD, PERMUTE } from "../../ops/attributes/movement.ts";
import { sameExtents } from "../../layout/extents.ts";
import { paddingOf, windowOf } from "../../ops/op_windows.ts";
import type { WindowPadding } from "../../ops/sliding_window.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import type { TensorValue, TtnnValue } from "../../ttnn/value.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import { isPlain, madeBy, tensorOf } from "./matching.ts";
import type { PassBuilder } from "../pass_builder.ts";

/** A tiled tensor that is padded before an op with windows reads it. */
export interface PaddedTensor {
  /** The tensor below the pad and an optional permute after it. */
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
export function paddedBelow(value: TtnnValue | undefined): PaddedTensor | undefined {
  const tensor = samePages(value);
  const permute = madeBy(tensor, "permute");
  const pad = madeBy(permute === undefined ? tensor : samePages(permute.operands[0]), "pad");
  const source = samePages(pad?.operands[0]);
  const filler = pad === undefined ? undefined : pad.read(PAD).value;
  if (tensor === undefined || pad === undefined || source === undefined || filler === undefined) {
    return undefined;
  }
  if (!isPlain(source.type) || source.type.dataType !== tensor.type.dataType) return undefined;
  const padding = pad.read(PAD).padding;
  if (padding.some((amount) => amount < 0)) return undefined;
  const permutation = permute === undefined
    ? source.type.shape.map((_, dim) => dim)
    : permute.read(PERMUTE).permutation;
  const side = (offset: 0 | 1): readonly number[] => permutation.map((dim) => padding[2 * dim + offset] ?? 0);
  return { source, permutation, before: side(0), after: side(1), filler, shape: tensor.type.shape };
}

/** The unpadded tensor after the permute, in another shape, tiled or row-major. */
export function makeUnpadded(
  site: PassBuilder,
  { source, permutation }: PaddedTensor,
  shapeOf: (extents: readonly number[]) => readonly number[],
  rowMajor: boolean,
): TensorValue {
  const isPermuted = permutation.some((dim, position) => dim !== position);
  const permuted = isPermuted ? site.permute(source, permutation) : source;
  const tiles = site.reshape(permuted, shapeOf(permuted.type.shape));
  if (!rowMajor) return tiles;
  const { shape, dataType } = tiles.type;
  return site.op("ttnn.to_layout", [tiles], tensorType(site.chip, shape, dataType, { rowMajor }));
}

/** The padded image `[batch, height, width, channels]` that a 2D window op reads as a list of pixels. */
export function paddedImage(op: TtnnOp): PaddedTensor | undefined {
  const flat = samePages(op.operands[0]);
  const found = paddedBelow(madeBy(flat, "reshape")?.operands[0]);
  const window = windowOf({ name: op.name, attributes: op.attributeMap() });
  if (found === undefined || window === undefined) return undefined;
  const { batch, inputHeight, inputWidth, inChannels } = window;
  const isWhole = sameExtents(found.shape, [batch, inputHeight, inputWidth, inChannels]) &&
    found.source.type.dataType === op.operandType(0)?.dataType;
  if (!isWhole) return undefined;
  const { before, after } = found;
  return [before, after].every((sides) => sides[0] === 0 && sides[3] === 0) ? found : undefined;
}

/** The sum of an op's own 2D padding and the padding of its image. */
export function joinedPadding(op: TtnnOp, { before, after }: PaddedTensor): WindowPadding {
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
