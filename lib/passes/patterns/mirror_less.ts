// SPDX-License-Identifier: Apache-2.0
import type { RewritePattern } from "../rewrite_pattern.ts";

/** The name of a comparison with its operands swapped. */
const MIRRORED: ReadonlyMap<string, string> = new Map([
  ["ttnn.le", "ttnn.ge"],
  ["ttnn.lt", "ttnn.gt"],
]);

/** `a < b` is `b > a`: one spelling of both, which upstream's canonicaliser has too (files that `ttmlir-opt` wrote). */
export const mirrorLess: RewritePattern = {
  name: "mirror-less",
  option: undefined,
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
