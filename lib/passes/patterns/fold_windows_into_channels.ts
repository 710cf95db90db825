// SPDX-License-Identifier: Apache-2.0
import { CONV2D } from "../../ops/attributes/window.ts";
import { withoutConvolutionField } from "../convolution_config.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { predictedMicroseconds } from "./matching.ts";

/**
 * Lets the backend fold windows that tile the image into channels, after which the convolution is one of single
 * pixels: removes `enable_kernel_stride_folding = false`, which upstream writes everywhere, where the convolution is
 * predicted to be faster without it, or to run only without it (`ttnn:backend-0-81-1`, patches of ViT).
 */
export const foldWindowsIntoChannels: RewritePattern = {
  name: "fold-windows-into-channels",
  upstream: "none",
  roots: ["ttnn.conv2d"],
  rewrite: (op, _body, context) => {
    const { conv2d_config: config, kernel_size: kernel, stride } = op.read(CONV2D);
    const tiles = kernel.every((extent, axis) => extent > 1 && extent === stride[axis]);
    if (!tiles || op.tensorOperand(1)?.type.layout.bufferType !== "system_memory") return false;
    const folded = withoutConvolutionField(config, "enable_kernel_stride_folding", "false");
    if (folded === undefined) return false;
    const properties = { conv2d_config: folded };
    const microseconds = context.microseconds({
      name: op.name,
      operands: op.operands.map(({ type }) => type),
      results: op.results.map(({ type }) => type),
      attributes: op.attributesWith(properties),
    });
    const before = predictedMicroseconds(op, context) ?? Infinity;
    if (microseconds === undefined || microseconds >= before) return false;
    op.set(properties);
    return true;
  },
};
