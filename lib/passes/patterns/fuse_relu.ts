// SPDX-License-Identifier: Apache-2.0
import { sameType } from "../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { constantOf, eitherOrder } from "./matching.ts";

/** `maximum(x, 0)` → `relu(x)` (tt-mlir: `ReluFusionPattern`). */
export const fuseRelu: RewritePattern = replacing({
  name: "fuse-relu",
  upstream: "level-0",
  roots: ["ttnn.maximum"],
  replace: (op, site, result) => {
    const [input] = eitherOrder(op).find(([input, bound]) =>
      constantOf(bound, site.context) === 0 && sameType(input.type, result.type)
    ) ?? [];
    return input === undefined ? undefined : site.op("ttnn.relu", [input], result.type);
  },
});
