// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { missingOperand } from "./program.ts";

/**
 * Rule of products fused with an exchange: tiles, interleaved on both sides; what is gathered, or the partial sums that
 * are scattered, lies where the activation lies (tt-mlir:fused-collectives).
 */
export function fusedCollectiveRule(): OpRule {
  return defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: true },
    evaluate,
  });
}

function evaluate(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const [input, weight] = query.operands;
  if (input === undefined) return missingOperand(query.op, 0);
  if (weight === undefined) return missingOperand(query.op, 1);
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined || (tensor.layout.tile !== undefined && !isSharded(tensor.layout))) continue;
    return refuse(
      "unsupported_layout",
      "collective/fused",
      `${query.op.name}: ${describeTensor(index, tensor)} must be of tiles and interleaved`,
      "tt-mlir:fused-collectives",
    );
  }
  const outputs: Tensor[] = [];
  for (const result of query.op.results.keys()) {
    const output = placeOutput(query, context, { result, whenNull: DRAM_INTERLEAVED });
    if (isRefusal(output)) return output;
    if (isSharded(output.layout)) {
      return refuse(
        "unsupported_layout",
        "collective/fused",
        `${query.op.name}: the result must not be sharded`,
        "tt-mlir:fused-collectives",
      );
    }
    outputs.push(output);
  }
  return accept({ outputs }, context);
}
