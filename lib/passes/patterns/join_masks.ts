// SPDX-License-Identifier: Apache-2.0
import { broadcastShape } from "../../layout/extents.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameShape, type TensorValue, type TtnnValue } from "../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { eitherOrder, isPlain, madeBy, tensorOf } from "./matching.ts";

/**
 * Adds several masks of one softmax (relative position biases, shifted-window masks) to each other before
 * they are added to the scores: attention takes one mask, and a sum of constants is computed at load.
 */
export const joinMasks: RewritePattern = replacing({
  name: "join-masks",
  upstream: "none",
  roots: ["ttnn.add"],
  replace: (op, site, result) => {
    if (result.type.shape.length !== 4 || !isReadBySoftmax(result)) return undefined;
    for (const [sum, outer] of eitherOrder(op)) {
      const inner = madeBy(sum, "add");
      if (inner === undefined || sum.onlyUser !== op || !isPlain(sum.type)) continue;
      for (const [scores, mask] of eitherOrder(inner)) {
        const shape = joinedShape(mask, outer);
        if (shape === undefined || !isScores(scores, result) || isProduct(mask) || isProduct(outer)) continue;
        const joined = site.tensor("ttnn.add", [mask, outer], { shape, dataType: mask.type.dataType });
        const { dataType } = result.type;
        return site.tensor("ttnn.add", [scores, joined], { shape: result.type.shape, dataType });
      }
    }
    return undefined;
  },
});

/** The joint shape of two masks; `undefined` if they do not broadcast to each other. */
function joinedShape(a: TensorValue, b: TensorValue): readonly number[] | undefined {
  const [left, right] = [a.type.shape, b.type.shape];
  const isMask = left.length === 4 && right.length === 4 && a.type.dataType === b.type.dataType &&
    isPlain(a.type) && isPlain(b.type);
  return isMask ? broadcastShape([left, right]) : undefined;
}

/** Whether a value is a scaled query–key matmul. */
function isScores(scores: TensorValue, result: TensorValue): boolean {
  return sameShape(scores, result) && isProduct(scores);
}

/** Most ops that scale or convert a matmul. */
const MOST_SCALINGS = 16;

/** Whether a value is a matmul below scalings and conversions. */
function isProduct(value: TensorValue): boolean {
  const open = [value];
  for (let seen = 0; seen < MOST_SCALINGS; seen++) {
    const op = madeBy(open.pop(), "matmul", "multiply", "divide", "typecast");
    if (op?.name === "ttnn.matmul") return true;
    const inputs = op?.operands.slice(0, op.name === "ttnn.multiply" ? 2 : 1) ?? [];
    open.push(...inputs.flatMap((operand) => tensorOf(operand) ?? []).reverse());
    if (open.length === 0) return false;
  }
  return false;
}

/** Whether a softmax reads a value, directly or converted. */
function isReadBySoftmax(value: TtnnValue): boolean {
  const open: TtnnOp[] = [...value.uses.keys()];
  for (let user = open.pop(); user !== undefined; user = open.pop()) {
    if (user.name === "ttnn.softmax") return true;
    if (user.name === "ttnn.typecast") open.push(...user.result.uses.keys());
  }
  return false;
}
