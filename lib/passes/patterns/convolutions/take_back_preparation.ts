// SPDX-License-Identifier: Apache-2.0
import { isPreparingOp } from "../../../ops/preparing_ops.ts";
import { loadedOp, operandsOfLoaded } from "../../below_load.ts";
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";

/**
 * A convolution reads the filter and the bias that a compiler prepared at load as they were before: patterns fold factors
 * and addends into them, and `prepare-convolution-weights` prepares what comes out for the layouts of the plan.
 */
export const takeBackPreparation: RewritePattern = {
  name: "take-back-preparation",
  option: "enable-const-eval",
  upstream: "none",
  roots: ["ttnn.conv2d", "ttnn.conv_transpose2d"],
  rewrite: (op, body, context) => {
    // Input, weight, bias if there is one, device.
    const indices = op.operands.map((_, index) => index).slice(1, -1);
    const prepared = indices.flatMap((index) => {
      const found = loadedOp(op.operands[index], context);
      return found !== undefined && isPreparingOp(found.op.name) ? [found] : [];
    });
    if (prepared.length === 0 || prepared.length < indices.length) return false;
    const emit = new PassBuilder(body, op, context);
    prepared.forEach((found, at) => {
      const [source] = operandsOfLoaded(found, found.op.operands.slice(0, 1), emit);
      if (source !== undefined) body.setOperand(op, at + 1, source);
    });
    return true;
  },
};
