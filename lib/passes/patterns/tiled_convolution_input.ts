// SPDX-License-Identifier: Apache-2.0
import type { RewritePattern } from "../rewrite_pattern.ts";
import { sameType } from "../../ttnn/value.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";

/**
 * Makes a convolution read tiles where level 0 untilizes them first: upstream's layout workarounds are off
 * from level 1 on, and the plan decides (tt-mlir:options, `enable-layout-workaround-pass`).
 */
export const tiledConvolutionInput: RewritePattern = {
  name: "tiled-convolution-input",
  upstream: "level-0",
  roots: ["ttnn.conv2d", "ttnn.conv_transpose2d"],
  rewrite: (op, body, context) => {
    const input = op.tensorOperand(0);
    const source = input?.producer?.tensorOperand(0);
    if (input === undefined || source === undefined || input.producer?.name !== "ttnn.to_layout") {
      return false;
    }
    const { shape, dataType } = source.type;
    const isDetour = input.type.layout.tile === undefined && input.type.dataType === dataType &&
      sameType(source.type, tensorType(context.chip, shape, dataType));
    if (!isDetour) return false;
    body.setOperand(op, 0, source);
    return true;
  },
};
