// SPDX-License-Identifier: Apache-2.0
import { sameType } from "../../ttnn/value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { constantOf, eitherOrder } from "./matching.ts";

/** `maximum(x, 0)` → `relu(x)` (tt-mlir: `ReluFusionPattern`). */
export const fuseRelu: RewritePattern = {
  name: "fuse-relu",
  upstream: "level-0",
  roots: ["ttnn.maximum"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    for (const [input, bound] of eitherOrder(op)) {
      if (result === undefined || constantOf(bound, context) !== 0 || !sameType(input.type, result.type)) {
        continue;
      }
      body.replaceOp(op, { name: "ttnn.relu", operands: [input], resultTypes: [result.type] });
      return true;
    }
    return false;
  },
};
