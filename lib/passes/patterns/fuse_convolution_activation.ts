// SPDX-License-Identifier: Apache-2.0
import { CONV2D } from "../../ops/attributes/window.ts";
import { sameType } from "../../ttnn/value.ts";
import { convolutionConfig, hasConvolutionField } from "../convolution_config.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";

/** Activations that upstream lets a convolution apply to its result (tt-mlir:ttnn-fusing). */
const ACTIVATIONS: readonly string[] = ["relu", "relu6", "silu", "sigmoid"];

/** Fuses an activation into the convolution whose only reader it is. */
export const fuseConvolutionActivation: RewritePattern = {
  name: "fuse-convolution-activation",
  upstream: "level-0",
  roots: ACTIVATIONS.map((name) => `ttnn.${name}`),
  rewrite: (op, body) => {
    const [input] = op.operands;
    const convolution = input?.producer;
    const [result] = op.results;
    if (convolution === undefined || !/^ttnn\.conv(?:_transpose)?2d$/.test(convolution.name)) return false;
    if (input?.onlyUser !== op || result === undefined || !sameType(input.type, result.type)) return false;
    const before = convolution.read(CONV2D).conv2d_config;
    const weights = convolution.operandType(1)?.dataType;
    const config = convolutionConfig(before, {
      activation: op.name.slice("ttnn.".length),
      ...(weights === undefined || hasConvolutionField(before, "weights_dtype")
        ? {}
        : { weights_dtype: weights }),
    });
    if (config === undefined || hasConvolutionField(before, "activation")) return false;
    convolution.set({ conv2d_config: config });
    body.replaceAllUses(result, input);
    body.erase(op);
    return true;
  },
};
