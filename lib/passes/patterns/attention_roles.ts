// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../../ttnn/op.ts";
import { isTensorValue, type TtnnValue } from "../../ttnn/value.ts";
import type { TtnnFunction } from "../../ttnn/function.ts";
import { madeBy, withoutCasts } from "./matching.ts";

/** Query, key, value, or none of them. */
type AttentionRole = 0 | 1 | 2 | 3;

/** Ops that pass their first operand through, possibly permuted, scaled, normalised or reshaped. */
const CARRIERS: ReadonlySet<string> = new Set(
  [
    ..."concat layer_norm multiply neg pad permute repeat_interleave reshape rms_norm rotary_embedding".split(
      " ",
    ),
    ..."slice_static to_layout to_memory_config transpose typecast add".split(" "),
  ].map((name) => `ttnn.${name}`),
);

/** Ops that write operand 1 into a cache, operand 0. */
const CACHE_WRITES: ReadonlySet<string> = new Set([
  "ttnn.paged_update_cache",
  "ttnn.fill_cache",
  "ttnn.paged_fill_cache",
]);

/** Steps to follow a value before assuming that it is not part of attention. */
const FARTHEST = 24;

/**
 * Sorts ops by the attention operand that they produce: query, key, value, others; ties keep program order.
 */
export function byAttentionRole(ops: readonly TtnnOp[], body: TtnnFunction): readonly TtnnOp[] {
  const roles = new Map(ops.map((op) => [op, roleOf(op.result, body, 0)]));
  return ops.toSorted((a, b) => (roles.get(a) ?? 3) - (roles.get(b) ?? 3));
}

function roleOf(value: TtnnValue, body: TtnnFunction, steps: number): AttentionRole {
  if (steps > FARTHEST) return 3;
  for (const user of value.uses.keys()) {
    const role = roleAt(user, value, body, steps);
    if (role !== 3) return role;
  }
  return 3;
}

function roleAt(user: TtnnOp, value: TtnnValue, body: TtnnFunction, steps: number): AttentionRole {
  const position = user.operands.indexOf(value);
  if (/^ttnn\.(?:paged_)?scaled_dot_product_attention/.test(user.name)) {
    return position === 0 || position === 1 || position === 2 ? position : 3;
  }
  const cache = user.operands[0];
  if (CACHE_WRITES.has(user.name) && position === 1 && cache !== undefined) {
    return roleOf(cache, body, steps + 1);
  }
  if (user.name === "ttnn.matmul") return factorRole(user, position);
  const result = user.results[0];
  return CARRIERS.has(user.name) && result !== undefined ? roleOf(result, body, steps + 1) : 3;
}

/** The role of a matmul's operand in decomposed attention: the second matmul reads a softmax. */
function factorRole(product: TtnnOp, position: number): AttentionRole {
  const [left, right] = product.operands;
  if (left === undefined || right === undefined || !isTensorValue(left)) return 3;
  if (left.type.shape.length < 3) return 3;
  if (position === 0) return 0;
  const weights = withoutCasts(left);
  const guarded = madeBy(weights, "where")?.tensorOperand(2);
  const isWeights = madeBy(guarded === undefined ? weights : withoutCasts(guarded), "softmax") !== undefined;
  return isWeights ? 2 : 1;
}
