// SPDX-License-Identifier: Apache-2.0
import { readNumber } from "../../dialect/attribute_values.ts";
import { denseArrayText, integerText } from "../../dialect/printed_attributes.ts";
import { sameExtents } from "../../layout/extents.ts";
import type { BodyOp } from "../body/body_op.ts";
import type { TensorValue } from "../body/body_value.ts";
import { tensorType } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { integersOf, isPlain, madeBy, makeReshape, makeTyped, tensorOf } from "./matching.ts";

/**
 * Folds a pad with minus infinity into the max pool after it (tt-mlir:ttnn-fusing). The kernel pads by half of its
 * window at most.
 */
export const foldPadIntoPool: RewritePattern = {
  name: "fold-pad-into-pool",
  option: undefined,
  upstream: "level-0",
  roots: ["ttnn.max_pool2d"],
  rewrite: (op, body, context) => {
    const found = paddedImage(op);
    const result = op.tensorResult;
    if (found === undefined || result === undefined) return false;
    const { image, top, bottom, left, right } = found;
    const [batch = 1, height = 1, width = 1, channels = 1] = image.type.shape;
    const site = { anchor: op, body, context };
    const flat = makeReshape(site, image, [1, 1, batch * height * width, channels]);
    const isRowMajor = op.operandType(0)?.layout.tile === undefined;
    const rows = tensorType(context, flat.type.shape, flat.type.dataType, { rowMajor: true });
    const input = isRowMajor ? makeTyped(site, "ttnn.to_layout", [flat], rows) : flat;
    const properties = new Map([
      ...op.properties,
      ["input_height", integerText(height, "si32")] as const,
      ["input_width", integerText(width, "si32")] as const,
      ["padding", paddingText(top, bottom, left, right)] as const,
    ]);
    const pooled = makeTyped(site, op.name, [input, ...op.operands.slice(1)], result.type, properties);
    body.replaceAllUses(result, pooled);
    return true;
  },
};

/** One number per side when both sides of a dimension are padded alike. */
function paddingText(top: number, bottom: number, left: number, right: number): string {
  const sides = top === bottom && left === right ? [top, left] : [top, bottom, left, right];
  return denseArrayText(sides, "i32");
}

/** The image before a pad, `[batch, height, width, channels]`, and what the pool has to pad in all. */
interface PaddedImage {
  readonly image: TensorValue;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

function paddedImage(pool: BodyOp): PaddedImage | undefined {
  const flat = samePages(pool.operands[0]);
  const pad = madeBy(samePages(madeBy(flat, "reshape")?.operands[0]), "pad");
  const [image, padded] = [samePages(pad?.operands[0]), pad?.tensorResult];
  if (pad === undefined || image === undefined || padded === undefined || !isPlain(image.type)) {
    return undefined;
  }
  const [input, kernel, own] = [
    ["batch_size", "input_height", "input_width", "channels"].map((name) => integersOf(pool, name)[0]),
    integersOf(pool, "kernel_size"),
    integersOf(pool, "padding"),
  ];
  const isWhole = input.every((extent) => extent !== undefined) &&
    sameExtents(padded.type.shape, input.flatMap((extent) => extent ?? []));
  if (!isWhole || readNumber(pad.attributeMap(), "value") !== -Infinity) return undefined;
  if (image.type.dataType !== pool.operandType(0)?.dataType) return undefined;
  const [b0, b1, h0 = 0, h1 = 0, w0 = 0, w1 = 0, c0, c1] = integersOf(pad, "padding");
  if ([b0, b1, c0, c1].some((extent) => extent !== 0)) return undefined;
  const [ownTop = 0, ownBottom = 0, ownLeft = 0, ownRight = 0] = own.length === 2
    ? own.flatMap((extent) => [extent, extent])
    : own;
  const sides = { top: ownTop + h0, bottom: ownBottom + h1, left: ownLeft + w0, right: ownRight + w1 };
  const [high = 1, wide = 1] = kernel;
  const fits = 2 * Math.max(sides.top, sides.bottom) <= high && 2 * Math.max(sides.left, sides.right) <= wide;
  return fits ? { image, ...sides } : undefined;
}

/** The tensor below changes of pages. */
function samePages(value: BodyOp["operands"][number] | undefined): TensorValue | undefined {
  const below = madeBy(value, "to_layout")?.tensorOperand(0);
  return below === undefined || below.type.dataType !== tensorOf(value)?.type.dataType
    ? tensorOf(value)
    : samePages(below);
}
