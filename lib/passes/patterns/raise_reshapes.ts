// SPDX-License-Identifier: Apache-2.0
import { tileCount } from "../../layout/tile_shape.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameShape } from "../../ttnn/value.ts";
import type { TtnnFunction } from "../../ttnn/function.ts";
import type { PassContext } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { ELEMENTWISE_OPS, recompute, ROWWISE } from "./elementwise_ops.ts";
import { isPlain, madeBy } from "./matching.ts";
import { rowwiseSources } from "./view_sources.ts";
import { PassBuilder } from "../pass_builder.ts";

/**
 * Moves a reshape to fewer tiles from the result of an elementwise (or row-wise) op to its operands, so that
 * the op computes fewer tiles (tt-mlir: `TTIREraseInverseOps`, commuting upwards).
 */
export const raiseReshapes: RewritePattern = {
  name: "raise-reshapes",
  upstream: "none",
  roots: ["ttnn.reshape"],
  rewrite: (op, body, context) => {
    let raised = raiseReshape(op, body, context);
    if (raised === undefined) return false;
    // Repeated at once, because a sweep does not return to earlier ops.
    while (raised !== undefined) raised = raiseReshape(raised, body, context);
    return true;
  },
};

/** Moves a reshape above the producer of its operand; returns the reshape at its new place. */
function raiseReshape(op: TtnnOp, body: TtnnFunction, context: PassContext): TtnnOp | undefined {
  const [made, result] = [op.tensorOperand(0), op.tensorResult];
  const producer = made?.producer;
  const input = producer?.tensorOperand(0);
  if (producer === undefined || made?.onlyUser !== op || result === undefined || input === undefined) {
    return undefined;
  }
  if (
    ![made, result, input].every(({ type }) => isPlain(type)) ||
    !sameShape(input, made)
  ) {
    return undefined;
  }
  if (
    tileCount(result.type.shape) >= tileCount(made.type.shape) || result.type.dataType !== made.type.dataType
  ) {
    return undefined;
  }
  const site = new PassBuilder(body, producer, context);
  const operands = producer.tensorOperands;
  const single = operands.length === 1 && ELEMENTWISE_OPS.has(producer.name);
  // From the result's side, the reshape is the inverse view.
  const rows = ROWWISE.has(producer.name)
    ? rowwiseSources(producer, operands, { source: result, permutation: undefined })
    : undefined;
  if (!single && rows === undefined) return undefined;
  const raised = site.reshape(input, result.type.shape);
  const computed = recompute(site, [raised, ...operands.slice(1)], result.type);
  body.replaceAllUses(result, computed);
  body.erase(op);
  body.erase(producer);
  return madeBy(raised, "reshape");
}
