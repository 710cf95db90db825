// SPDX-License-Identifier: Apache-2.0
import type { BodyValue } from "../body/body_value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";

/** What an op is called when its operands change places. */
const MIRRORED: ReadonlyMap<string, string> = new Map([
  ["ttnn.eq", "ttnn.eq"],
  ["ttnn.ge", "ttnn.le"],
  ["ttnn.gt", "ttnn.lt"],
  ["ttnn.le", "ttnn.ge"],
  ["ttnn.lt", "ttnn.gt"],
  ["ttnn.ne", "ttnn.ne"],
]);

const CREATIONS: ReadonlySet<string> = new Set(
  "arange constant full ones zeros".split(" ").map((name) => `ttnn.${name}`),
);

/** A comparison of a constant with a tensor compares the tensor with the constant, as upstream's canonicaliser has it. */
export const constantsRight: RewritePattern = {
  name: "constants-right",
  option: undefined,
  upstream: "level-0",
  roots: [...MIRRORED.keys()],
  rewrite: (op, body) => {
    const [left, right] = op.operands;
    const name = MIRRORED.get(op.name);
    const [result] = op.results;
    if (left === undefined || right === undefined || name === undefined || result === undefined) return false;
    if (!isCreated(left) || isCreated(right)) return false;
    const { properties, attributes } = op;
    body.replaceOp(op, { name, operands: [right, left], resultTypes: [result.type], properties, attributes });
    return true;
  },
};

/** A constant, in whichever shape. */
function isCreated({ producer }: BodyValue): boolean {
  if (producer?.name !== "ttnn.reshape") return producer !== undefined && CREATIONS.has(producer.name);
  return producer.operands.every(isCreated);
}
