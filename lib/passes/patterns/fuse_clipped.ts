// SPDX-License-Identifier: Apache-2.0

/** Clipping activations: `relu6`, `hardsigmoid`. */

import { CLAMP } from "../../ops/attributes/elementwise.ts";
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import type { PassContext } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { constantOf, eitherOrder, isAbout, madeBy, roundedConstant } from "./matching.ts";

/** The upper bound of `relu6` and the divisor of `hardsigmoid`. */
const SIX = 6;

/** `minimum(relu(x), 6)` → `relu6(x)` (tt-mlir:ttnn-fusing); also `clamp_scalar(x, 0, 6)`. */
export const fuseRelu6: RewritePattern = {
  name: "fuse-relu6",
  upstream: "level-0",
  roots: ["ttnn.minimum", "ttnn.clamp_scalar"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    const input = op.name === "ttnn.minimum"
      ? rectifiedBelow(eitherOrder(op), context)
      : op.read(CLAMP).min === 0 && op.read(CLAMP).max === SIX
      ? op.tensorOperand(0)
      : undefined;
    if (result === undefined || input === undefined || !sameType(input.type, result.type)) return false;
    body.replaceOp(op, { name: "ttnn.relu6", operands: [input], resultTypes: [result.type] });
    return true;
  },
};

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
export const fuseHardsigmoid: RewritePattern = {
  name: "fuse-hardsigmoid",
  upstream: "level-0",
  roots: ["ttnn.divide", "ttnn.multiply"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    const isQuotient = op.name === "ttnn.divide";
    for (const [clipped, constant] of eitherOrder(op).slice(0, isQuotient ? 1 : 2)) {
      const number = roundedConstant(constant, context);
      const sum = clipped.onlyUser === op ? madeBy(clipped, "relu6")?.tensorOperand(0) : undefined;
      const addition = sum?.onlyUser === undefined ? undefined : madeBy(sum, "add");
      if (number === undefined || addition === undefined || result === undefined) continue;
      if (!isAbout(number, isQuotient ? SIX : 1 / SIX)) continue;
      const [input] = eitherOrder(addition).find(([, three]) => constantOf(three, context) === SIX / 2) ?? [];
      if (input === undefined || !sameType(input.type, result.type)) continue;
      body.replaceOp(op, { name: "ttnn.hardsigmoid", operands: [input], resultTypes: [result.type] });
      return true;
    }
    return false;
  },
};
