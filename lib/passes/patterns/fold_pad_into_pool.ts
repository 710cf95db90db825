// SPDX-License-Identifier: Apache-2.0
import { POOL2D } from "../../ops/attributes/window.ts";
import { volume } from "../../layout/extents.ts";
import { writtenPadding } from "../../ops/op_windows.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { joinedPadding, makeUnpadded, paddedImage } from "./padded_image.ts";

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
    const [height = 1, width = 1] = found.permutation.slice(1).map((dim) => found.source.type.shape[dim]);
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

/** All pixels of an image in one dimension. */
function flatShape([batch = 1, height = 1, width = 1, channels = 1]: readonly number[]): readonly number[] {
  return [1, 1, volume([batch, height, width]), channels];
}
