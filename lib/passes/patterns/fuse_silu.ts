// SPDX-License-Identifier: Apache-2.0
import { sameType } from "../body/body_value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { eitherOrder, isWrittenBetween, madeBy } from "./matching.ts";

/** `x * sigmoid(x)` is `silu(x)` (tt-mlir: `SiluFusionPattern`). */
export const fuseSilu: RewritePattern = {
  name: "fuse-silu",
  option: undefined,
  upstream: "level-0",
  roots: ["ttnn.multiply"],
  rewrite: (op, body) => {
    const result = op.tensorResult;
    for (const [input, gate] of eitherOrder(op)) {
      const sigmoid = madeBy(gate, "sigmoid");
      if (sigmoid?.operands[0] !== input || gate.onlyUser !== op || result === undefined) continue;
      if (!sameType(input.type, result.type) || isWrittenBetween(body, input, sigmoid, op)) continue;
      body.replaceOp(op, { name: "ttnn.silu", operands: [input], resultTypes: [result.type] });
      return true;
    }
    return false;
  },
};
