// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import type { TtnnFunction } from "../../ttnn/function.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { losslessSource } from "./fold_typecasts.ts";
import { eitherOrder, madeBy } from "./matching.ts";
import { isPlainFloat } from "../../layout/data_type.ts";

/**
 * `x · sigmoid(x)` → `silu(x)`, also if both are widened for the product and the product is narrowed again
 * (tt-mlir: `SiluFusionPattern`).
 */
export const fuseSilu: RewritePattern = {
  name: "fuse-silu",
  upstream: "level-0",
  roots: ["ttnn.multiply"],
  rewrite: (op, body) => {
    const result = op.tensorResult;
    if (result === undefined) return false;
    for (const [factor, gate] of eitherOrder(op)) {
      if (gate.onlyUser !== op) continue;
      const isFused = makeSilu(body, op, factor, gate, op) || makeNarrowSilu(body, result, factor, gate);
      if (isFused) return true;
    }
    return false;
  },
};

/** Replaces an op by `silu` if a gate is the sigmoid of an input that has the type of the op's result. */
function makeSilu(
  body: TtnnFunction,
  place: TtnnOp,
  input: TensorValue,
  gate: TensorValue,
  reader: TtnnOp,
): boolean {
  const sigmoid = madeBy(gate, "sigmoid");
  const result = place.tensorResult;
  if (sigmoid?.operands[0] !== input || gate.onlyUser !== reader || result === undefined) return false;
  if (!sameType(input.type, result.type)) return false;
  body.replaceOp(place, { name: "ttnn.silu", operands: [input], resultTypes: [result.type] });
  return true;
}

/** {@linkcode makeSilu} around a product of widened factors that is only narrowed again. */
function makeNarrowSilu(
  body: TtnnFunction,
  product: TensorValue,
  factor: TensorValue,
  gate: TensorValue,
): boolean {
  const narrowed = product.onlyUser;
  const widening = madeBy(gate, "typecast");
  const [input, sigmoid] = [losslessSource(factor), losslessSource(gate)];
  if (narrowed?.name !== "ttnn.typecast" || widening === undefined) return false;
  if (input === undefined || sigmoid === undefined || !isPlainFloat(input.type.dataType)) return false;
  return makeSilu(body, narrowed, input, sigmoid, widening);
}
