// SPDX-License-Identifier: Apache-2.0
import { readBool } from "../../dialect/attribute_values.ts";
import { InvariantValues } from "../invariant_values.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { integersOf, isPlain, madeBy, makePermute } from "./matching.ts";

/**
 * A factor that a permute brought with its own rows in the place of the columns is read transposed: what is left of the
 * permute keeps rows whole, and is the one that moves heads in front of positions, or none (tt-mlir: permutes into
 * matmuls). Not of parameters, which are turned at load.
 */
export const transposedFactors: RewritePattern = {
  name: "transposed-factors",
  option: "enable-fusing-pass",
  upstream: "none",
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    for (const [index, flag] of [[0, "transpose_a"], [1, "transpose_b"]] as const) {
      const factor = op.tensorOperand(index);
      const permute = madeBy(factor, "permute");
      const source = permute?.tensorOperand(0);
      if (factor === undefined || permute === undefined || source === undefined) continue;
      const order = integersOf(permute, "permutation");
      const rank = order.length;
      const isTurned = rank >= 2 && order[rank - 2] === rank - 1;
      if (!isTurned || factor.onlyUser !== op || !isPlain(factor.type) || !isPlain(source.type)) continue;
      if (factor.type.dataType !== source.type.dataType || new InvariantValues(body).has(factor)) continue;
      const upright = [...order.slice(0, -2), order[rank - 1] ?? 0, order[rank - 2] ?? 0];
      const site = { anchor: op, body, context };
      const isIdentity = upright.every((dim, position) => dim === position);
      body.setOperand(op, index, isIdentity ? source : makePermute(site, source, upright));
      op.setProperty(flag, String(!(readBool(op.attributeMap(), flag) ?? false)));
      return true;
    }
    return false;
  },
};
