// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "./attributes/read_attributes.ts";
import { POOL2D, UPSAMPLE } from "./attributes/window.ts";
import { defineOps, type OpDefinition } from "./definition.ts";
import type { InferredShape, ShapedOp } from "./shape_inference.ts";
import { POOL_WINDOW, windowResult } from "./sliding_window.ts";

export type PoolFamily = "max_pool" | "avg_pool" | "max_pool_with_indices" | "global_pool" | "upsample";

function pool(name: string, family: PoolFamily, results: number): readonly OpDefinition<PoolFamily>[] {
  return defineOps(name, family, "pool", {
    attributes: POOL2D,
    results,
    window: POOL_WINDOW,
    inferShape: windowResult(POOL_WINDOW),
    formatOf: 0,
    returnsRows: true,
  });
}

/** Pooling and resampling of images. */
export const POOL: readonly OpDefinition<PoolFamily>[] = [
  ...pool("max_pool2d", "max_pool", 1),
  ...pool("avg_pool2d", "avg_pool", 1),
  ...pool("max_pool2d_with_indices", "max_pool_with_indices", 2),
  ...defineOps("global_avg_pool2d", "global_pool", "pool", {
    formatOf: 0,
    inferShape: ({ operands: [image] }) =>
      image?.map((extent, dim) => dim === 0 || dim === image.length - 1 ? extent : 1),
  }),
  ...defineOps("upsample", "upsample", "upsample", {
    attributes: UPSAMPLE,
    inferShape: upsampled,
    formatOf: 0,
  }),
];

function upsampled(op: ShapedOp): InferredShape {
  const [image] = op.operands;
  const [vertical, horizontal = vertical] = readAttributes(op, UPSAMPLE).scale_factor;
  if (image?.length !== 4 || vertical === undefined || horizontal === undefined) return undefined;
  const [batch = 1, height = 1, width = 1, channels = 1] = image;
  return [batch, height * vertical, width * horizontal, channels];
}
