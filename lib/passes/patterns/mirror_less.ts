// SPDX-License-Identifier: Apache-2.0
import type { RewritePattern } from "../rewrite_pattern.ts";

/** The name of a comparison with swapped operands. */
const MIRRORED: ReadonlyMap<string, string> = new Map([
  ["ttnn.le", "ttnn.ge"],
  ["ttnn.lt", "ttnn.gt"],
]);

/** Rewrites `a < b` to `b > a`, the canonical form of upstream too (files written by `ttmlir-opt`). */
export const mirrorLess: RewritePattern = {
  name: "mirror-less",
  upstream: "level-0",
  roots: [...MIRRORED.keys()],
  rewrite: (op, body) => {
    const [left, right, ...others] = op.operands;
    const name = MIRRORED.get(op.name);
    const [result] = op.results;
    if (left === undefined || right === undefined || name === undefined || result === undefined) return false;
    if (others.length > 0) return false;
    const { properties, attributes } = op;
    body.replaceOp(op, { name, operands: [right, left], resultTypes: [result.type], properties, attributes });
    return true;
  },
};
