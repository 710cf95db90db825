// SPDX-License-Identifier: Apache-2.0
import { readNumber } from "../../dialect/attribute_values.ts";
import { attributes } from "../../dialect/printed_attributes.ts";
import { sameType, type TensorValue } from "../body/body_value.ts";
import type { PassContext } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { constantOf, eitherOrder, madeBy } from "./matching.ts";

/** Numbers of the formula may be off by what bf16 rounds away. */
const TOLERANCE: number = 2 ** -8;

/**
 * `0.5 x (1 + tanh(0.79788 (x + 0.044715 x³)))` is `gelu` (tt-mlir: `GeluFusionPattern`). The formula is an approximation of
 * gelu; the two differ by less than 0.001.
 */
export const fuseGelu: RewritePattern = {
  name: "fuse-gelu",
  option: undefined,
  roots: ["ttnn.multiply"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    if (result === undefined) return false;
    for (const [left, right] of eitherOrder(op)) {
      const input = timesNumber(left, 0.5, context);
      const gate = plusNumber(right, 1, context);
      const angle = timesNumber(madeBy(gate, "tanh")?.tensorOperand(0), Math.sqrt(2 / Math.PI), context);
      if (input === undefined || angle === undefined || !isCubic(angle, input, context)) continue;
      if (!sameType(input.type, result.type)) continue;
      body.replaceOp(op, {
        name: "ttnn.gelu",
        operands: [input],
        resultTypes: [result.type],
        properties: attributes({}),
      });
      return true;
    }
    return false;
  },
};

/** `x + 0.044715 x³`. */
function isCubic(value: TensorValue, x: TensorValue, context: PassContext): boolean {
  const sum = madeBy(value, "add");
  return sum !== undefined && eitherOrder(sum).some(([linear, cubic]) => {
    const power = madeBy(timesNumber(cubic, 0.044715, context), "pow_scalar");
    return linear === x && power?.operands[0] === x && readNumber(power.attributeMap(), "rhs") === 3;
  });
}

/** The other factor of a product with about this number. */
function timesNumber(
  value: TensorValue | undefined,
  number: number,
  context: PassContext,
): TensorValue | undefined {
  return besideNumber(value, "multiply", number, context);
}

function plusNumber(value: TensorValue, number: number, context: PassContext): TensorValue | undefined {
  return besideNumber(value, "add", number, context);
}

function besideNumber(
  value: TensorValue | undefined,
  name: string,
  number: number,
  context: PassContext,
): TensorValue | undefined {
  const op = madeBy(value, name);
  const found = op === undefined ? undefined : eitherOrder(op).find(([, other]) => {
    const constant = constantOf(other, context);
    return constant !== undefined && Math.abs(constant / number - 1) <= TOLERANCE;
  });
  return found?.[0];
}
