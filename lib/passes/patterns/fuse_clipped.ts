// SPDX-License-Identifier: Apache-2.0

/** Clipping activations: `relu6`, `hardsigmoid`. */

import { CLAMP } from "../../ops/attributes/elementwise.ts";
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import type { PassContext } from "../graph_pass.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { constantOf, eitherOrder, isAbout, madeBy, roundedConstant } from "./matching.ts";

/** The upper bound of `relu6` and the divisor of `hardsigmoid`. */
const SIX = 6;

/** `minimum(relu(x), 6)` → `relu6(x)` (tt-mlir:ttnn-fusing); also `clamp_scalar(x, 0, 6)`. */
export const fuseRelu6: RewritePattern = replacing({
  name: "fuse-relu6",
  upstream: "level-0",
  roots: ["ttnn.minimum", "ttnn.clamp_scalar"],
  replace: (op, site, result) => {
    const input = op.name === "ttnn.minimum"
      ? rectifiedBelow(eitherOrder(op), site.context)
      : op.read(CLAMP).min === 0 && op.read(CLAMP).max === SIX
      ? op.tensorOperand(0)
      : undefined;
    if (input === undefined || !sameType(input.type, result.type)) return undefined;
    return site.op("ttnn.relu6", [input], result.type);
  },
});

/** The operand of a relu below a clamp. */
function rectifiedBelow(
  orders: readonly (readonly [TensorValue, TensorValue])[],
  context: PassContext,
): TensorValue | undefined {
  for (const [rectified, bound] of orders) {
    const relu = constantOf(bound, context) === SIX ? madeBy(rectified, "relu") : undefined;
    if (relu !== undefined && rectified.onlyUser !== undefined) return relu.tensorOperand(0);
  }
  return undefined;
}

/** `relu6(x + 3) / 6` → `hardsigmoid(x)` (tt-mlir:ttnn-fusing); also with `· 1/6`. */
export const fuseHardsigmoid: RewritePattern = replacing({
  name: "fuse-hardsigmoid",
  upstream: "level-0",
  roots: ["ttnn.divide", "ttnn.multiply"],
  replace: (op, site, result) => {
    const isQuotient = op.name === "ttnn.divide";
    for (const [clipped, constant] of eitherOrder(op).slice(0, isQuotient ? 1 : 2)) {
      const number = roundedConstant(constant, site.context);
      const sum = clipped.onlyUser === op ? madeBy(clipped, "relu6")?.tensorOperand(0) : undefined;
      const addition = sum?.onlyUser === undefined ? undefined : madeBy(sum, "add");
      if (number === undefined || addition === undefined) continue;
      if (!isAbout(number, isQuotient ? SIX : 1 / SIX)) continue;
      const [input] = eitherOrder(addition).find(([, three]) =>
        constantOf(three, site.context) === SIX / 2
      ) ?? [];
      if (input === undefined || !sameType(input.type, result.type)) continue;
      return site.op("ttnn.hardsigmoid", [input], result.type);
    }
    return undefined;
  },
});
