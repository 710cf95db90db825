// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_STRATEGY, type OpRule } from "../rule.ts";
import { refuseConfig } from "../verdict.ts";

/**
 * The rule of an op whose attributes violate its definition: it refuses every layout. The search strategy is
 * that of the op's own rule, if that does not depend on the op.
 */
export function unreadableOp(fault: string, { strategy }: OpRule): OpRule {
  return {
    strategy: typeof strategy === "function" ? DEFAULT_STRATEGY : strategy,
    evaluate: ({ op }) => refuseConfig(op, "op/attributes", fault, "tt-mlir:op-attributes"),
  };
}
