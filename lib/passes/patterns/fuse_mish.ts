// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import type { PassContext } from "../graph_pass.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { losslessSource } from "./fold_typecasts.ts";
import { constantOf, eitherOrder, madeBy, withoutCasts } from "./matching.ts";

/** From here on `log(1 + exp(x))` rounds to `x` in bf16: the difference is `exp(-x)`. */
const ALMOST_ITSELF = 8;

/**
 * `x · tanh(softplus(x))` → `mish(x)` (tt-mlir:ttnn-fusing). PyTorch/XLA spells softplus `x > 20 ? x :
 * log1p(exp(x))`; the product may be in a wider type.
 */
export const fuseMish: RewritePattern = replacing({
  name: "fuse-mish",
  upstream: "level-0",
  roots: ["ttnn.multiply"],
  replace: (op, site, result) => {
    for (const [factor, gate] of eitherOrder(op)) {
      const tanh = gate.onlyUser === op ? madeBy(losslessSource(gate) ?? gate, "tanh") : undefined;
      const soft = tanh?.tensorOperand(0);
      const input = tanh?.tensorResult?.onlyUser === undefined
        ? undefined
        : softplusBelow(soft, tanh, site.context);
      if (input === undefined || tanh === undefined) continue;
      if (factor !== input && losslessSource(factor) !== input) continue;
      const made = site.op("ttnn.mish", [input], input.type);
      return sameType(input.type, result.type) ? made : site.op("ttnn.typecast", [made], result.type);
    }
    return undefined;
  },
});

/** The operand of a softplus whose only user is `reader`. */
function softplusBelow(
  value: TensorValue | undefined,
  reader: TtnnOp,
  context: PassContext,
): TensorValue | undefined {
  if (value?.onlyUser !== reader) return undefined;
  const plain = logOfExponential(value);
  const choice = madeBy(value, "where");
  if (plain !== undefined || choice === undefined) return plain;
  const [condition, large, small] = [0, 1, 2].map((index) => choice.tensorOperand(index));
  const input = logOfExponential(small);
  if (input === undefined || large !== input || condition === undefined) return undefined;
  const comparison = madeBy(withoutCasts(condition), "gt", "ge");
  const threshold = constantOf(comparison?.operands[1], context);
  const isSafe = comparison?.operands[0] === input && threshold !== undefined && threshold >= ALMOST_ITSELF;
  return isSafe ? input : undefined;
}

/** The `x` of `log1p(exp(x))`. */
function logOfExponential(value: TensorValue | undefined): TensorValue | undefined {
  return madeBy(madeBy(value, "log1p")?.operands[0], "exp")?.tensorOperand(0);
}
