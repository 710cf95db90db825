// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { accept, describeTensor, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";

const SOURCE = "tt-mlir:dit-ops";

/** Rule of kernels for diffusion transformers: tiles, interleaved on both sides. */
function ditRule(): OpRule {
  return defineRule({
    strategy: { hints: "non_sharded", inputs: ["tile_not_sharded"], exploresReshards: true },
    evaluate,
  });
}

function evaluate(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined || (tensor.layout.tile !== undefined && !isSharded(tensor.layout))) continue;
    const message = `${describeTensor(index, tensor)} must be of tiles and interleaved`;
    return refuseLayout(query.op, "dit/interleaved", message, SOURCE);
  }
  const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
  if (isRefusal(output)) return output;
  return isSharded(output.layout)
    ? refuseLayout(query.op, "dit/interleaved", "the result must be interleaved", SOURCE)
    : accept({ outputs: [output] }, context);
}

/** The rules of kernels for diffusion transformers. */
export const DIT_RULES: RulesOf<"gated_product" | "dit_rms_norm"> = {
  gated_product: ditRule(),
  dit_rms_norm: ditRule(),
};
