// SPDX-License-Identifier: Apache-2.0
import { CONV3D } from "../../ops/attributes/window.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import { writtenPadding } from "../../ops/op_windows.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { joinedPadding, makeUnpadded, paddedBelow, paddedImage, type PaddedTensor } from "./padded_image.ts";

/**
 * Folds a zero pad into the convolution after it (tt-mlir:ttnn-fusing): for 2D any padding per side, for 3D
 * equal padding on both sides of a dimension.
 */
export const foldPadIntoConvolution: RewritePattern = replacing({
  name: "fold-pad-into-convolution",
  upstream: "level-0",
  roots: ["ttnn.conv2d", "ttnn.conv3d"],
  replace: (op, site, result) => {
    const folded = op.name === "ttnn.conv2d" ? foldedImage(op) : foldedVolume(op);
    if (folded === undefined || folded.found.filler !== 0) return undefined;
    const isRowMajor = op.operandType(0)?.layout.tile === undefined;
    const input = makeUnpadded(site, folded.found, folded.shapeOf, isRowMajor);
    const properties = op.propertiesWith({ ...folded.extents, padding: folded.padding });
    const made = site.op(op.name, [input, ...op.operands.slice(1)], result.type, properties);
    return made;
  },
});

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

function foldedImage(op: TtnnOp): Folded | undefined {
  const found = paddedImage(op);
  if (found === undefined) return undefined;
  const [, height = 1, width = 1] = unpadded(found);
  return {
    found,
    padding: writtenPadding(op.name, joinedPadding(op, found)),
    extents: { input_height: height, input_width: width },
    shapeOf: (extents) => [1, 1, volume(extents.slice(0, -1)), extents.at(-1) ?? 1],
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
function unpadded({ source, permutation }: PaddedTensor): readonly number[] {
  return permutation.map((dim) => source.type.shape[dim] ?? 1);
}
