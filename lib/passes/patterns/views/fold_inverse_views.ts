// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { sameShape, sameType } from "../../../ttnn/value.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TtnnFunction } from "../../../ttnn/function.ts";
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";
import { tileCount } from "../../../layout/tile_shape.ts";
import type { PassContext } from "../../graph_pass.ts";
import { ELEMENTWISE_OPS, recompute, ROWWISE } from "../elementwise_ops.ts";
import { isPlain, madeBy } from "../matching.ts";
import { rowwiseSources } from "./view_sources.ts";

/**
 * Merges consecutive reshapes and consecutive permutes, and removes identities (tt-mlir: folders of
 * `ReshapeOp` and `PermuteOp`).
 */
export const foldInverseViews: RewritePattern = {
  name: "fold-inverse-views",
  upstream: "level-0",
  roots: ["ttnn.reshape", "ttnn.permute"],
  rewrite: (op, body) => foldIdentity(op, body) || joinWithProducer(op, body),
};

function foldIdentity(op: TtnnOp, body: TtnnFunction): boolean {
  const input = op.tensorOperand(0);
  const result = op.tensorResult;
  if (input === undefined || result === undefined || !sameType(input.type, result.type)) return false;
  if (op.name === "ttnn.permute" && !permutationOf(op).every((dim, index) => dim === index)) return false;
  body.replaceAllUses(result, input);
  body.erase(op);
  return true;
}

function joinWithProducer(op: TtnnOp, body: TtnnFunction): boolean {
  const inner = op.operands[0]?.producer;
  const source = inner?.tensorOperand(0);
  const result = op.tensorResult;
  if (inner?.name !== op.name || source === undefined || result === undefined) return false;
  // A view of a converted tensor is left alone, because the conversion is needed.
  if (source.type.dataType !== result.type.dataType) return false;
  const common = { name: op.name, operands: [source], resultTypes: [result.type], location: op.location };
  if (op.name === "ttnn.reshape") {
    body.replaceOp(op, { ...common, properties: { shape: result.type.shape } });
    return true;
  }
  const first = permutationOf(inner);
  const joined = permutationOf(op).map((dim) => first[dim] ?? dim);
  body.replaceOp(op, { ...common, properties: op.propertiesWith({ permutation: joined }) });
  return true;
}

function permutationOf(op: TtnnOp): readonly number[] {
  return op.read(PERMUTE).permutation;
}

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
