// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, madeBy, rowMajorType } from "../matching.ts";
import { permutedBack } from "../views/view.ts";

/**
 * Pixels repeated along their own dimensions, `[N, C, H, 1, W, 1]` to `[N, C, H, s, W, t]`, and merged to
 * `[N, C, sH, tW]` (or channels last) → nearest `upsample`: tiles of single pixels would be mostly padding.
 */
export const fuseUpsample: RewritePattern = replacing({
  name: "fuse-upsample",
  upstream: "none",
  roots: ["ttnn.reshape"],
  replace: (op, site, result) => {
    const found = repeatedPixels(op);
    if (found === undefined) return undefined;
    const { pixels, channelDim, height, width } = found;
    const [batch = 1, ...image] = pixels.type.shape;
    const { dataType } = result.type;
    const [rows = 1, columns = 1, channels = 1] = channelDim === 3
      ? image
      : [image[1], image[2], image[0]].map((extent) => extent ?? 1);
    const small = [batch, rows, columns, channels];
    const large = [batch, rows * height, columns * width, channels];
    const last = channelDim === 3 ? pixels : permutedBack(site, pixels, TO_FRONT);
    const inRows = site.op("ttnn.to_layout", [last], rowMajorType({ shape: small, dataType }, site.context));
    const sampled = site.opIfLegal(
      "ttnn.upsample",
      [inRows],
      rowMajorType({ shape: large, dataType }, site.context),
      { mode: "nearest", scale_factor: [height, width] },
    );
    if (sampled === undefined) return undefined;
    const tiles = site.tiled(sampled);
    return channelDim === 3 ? tiles : site.permute(tiles, TO_FRONT);
  },
});

/** Moves channels from the last to the second dimension. */
const TO_FRONT: readonly number[] = [0, 3, 1, 2];

interface RepeatedPixels {
  /** `[N, C, H, W]` or `[N, H, W, C]`. */
  readonly pixels: TensorValue;
  readonly channelDim: 1 | 3;
  /** Repetitions of every row and column. */
  readonly height: number;
  readonly width: number;
}

function repeatedPixels(op: TtnnOp): RepeatedPixels | undefined {
  const result = op.tensorResult;
  const repeat = madeBy(op.operands[0], "repeat");
  const apart = madeBy(repeat?.operands[0], "reshape");
  const pixels = apart?.tensorOperand(0);
  const [repeated, single] = [repeat?.tensorResult?.type.shape, repeat?.operandType(0)?.shape];
  if (result === undefined || pixels === undefined || repeated?.length !== 6 || single === undefined) {
    return undefined;
  }
  // The kernel takes row-major bf16.
  if (![result, pixels].every(({ type }) => isPlain(type) && type.dataType === "bf16")) return undefined;
  if (pixels.type.shape.length !== 4 || result.type.shape.length !== 4) return undefined;
  for (const channelDim of [1, 3] as const) {
    const first = channelDim === 1 ? 2 : 1;
    const [rows = 1, height = 1, columns = 1, width = 1] = repeated.slice(first, first + 4);
    const image = (rowExtents: readonly number[]) => pixels.type.shape.toSpliced(first, 2, ...rowExtents);
    const fits = height > 1 && width > 1 && sameExtents(image([rows, columns]), pixels.type.shape) &&
      sameExtents(single, image([rows, 1, columns, 1])) &&
      sameExtents(repeated, image([rows, height, columns, width])) &&
      sameExtents(result.type.shape, image([rows * height, columns * width]));
    if (fits) return { pixels, channelDim, height, width };
  }
  return undefined;
}
