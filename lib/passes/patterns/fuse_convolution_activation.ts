// SPDX-License-Identifier: Apache-2.0
import { sameType } from "../body/body_value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";

/** Activations that upstream lets a convolution apply to its output (tt-mlir:ttnn-fusing). */
const ACTIVATIONS: readonly string[] = ["relu", "relu6", "silu", "sigmoid"];

/** Fuses an activation into the convolution that it alone reads. */
export const fuseConvolutionActivation: RewritePattern = {
  name: "fuse-convolution-activation",
  option: undefined,
  upstream: "level-0",
  roots: ACTIVATIONS.map((name) => `ttnn.${name}`),
  rewrite: (op, body) => {
    const [input] = op.operands;
    const convolution = input?.producer;
    const [result] = op.results;
    if (convolution === undefined || !/^ttnn\.conv(?:_transpose)?2d$/.test(convolution.name)) return false;
    if (input?.onlyUser !== op || result === undefined || !sameType(input.type, result.type)) return false;
    const config = withActivation(convolution.properties.get("conv2d_config"), op.name.slice("ttnn.".length));
    if (config === undefined) return false;
    convolution.setProperty("conv2d_config", config);
    body.replaceAllUses(result, input);
    body.erase(op);
    return true;
  },
};

/** `activation` stands after `weights_dtype` (tt-mlir:config-attributes); `undefined` where there is one already. */
function withActivation(config: string | undefined, name: string): string | undefined {
  const activation = `activation = <op_type = ${name}>`;
  if (config === undefined) return `#ttnn.conv2d_config<${activation}>`;
  const body = /^#ttnn\.conv2d_config<(.*)>$/s.exec(config)?.[1];
  if (body === undefined || /\bactivation\s*=/.test(body)) return undefined;
  const [, weights = "", rest = ""] = /^(\s*weights_dtype\s*=\s*\w+\s*)?,?\s*(.*)$/s.exec(body) ?? [];
  const fields = [weights.trim(), activation, rest.trim()].filter((field) => field !== "");
  return `#ttnn.conv2d_config<${fields.join(", ")}>`;
}
