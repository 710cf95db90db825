// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_STRATEGY, type OpRule } from "../rule.ts";
import { refuseConfig } from "../verdict.ts";

/**
 * The rule of an op whose attributes are not as its definition declares them: it is refused in every layout. Where the
 * strategy of its own rule reads no op, it is searched as ever.
 */
export function unreadableOp(fault: string, { strategy }: OpRule): OpRule {
  return {
    strategy: typeof strategy === "function" ? DEFAULT_STRATEGY : strategy,
    evaluate: ({ op }) => refuseConfig(op, "op/attributes", fault, "tt-mlir:op-attributes"),
  };
}
