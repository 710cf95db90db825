// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { sameType } from "../../../ttnn/value.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TtnnFunction } from "../../../ttnn/function.ts";
import type { RewritePattern } from "../../rewrite_pattern.ts";

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
