// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutputs } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type InputFilter, type RulesOf } from "../rule.ts";
import { refuseLayout, type Verdict } from "../verdict.ts";
import { entryForOperand } from "../../ops/operand_groups.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { TrainingFamily } from "../../ops/training.ts";
import { demand, demandFormat } from "./program.ts";

const SOURCE = "tt-metal:training";

/**
 * Rule of tt-train's kernels: tiles in bf16 (in f32, too, for the gradient of a softmax), and row-major indices of
 * classes, all interleaved in DRAM.
 */
const RULE = defineRule({
  strategy: ({ name }) => ({
    hints: "null",
    inputs: definitionOf(name).roles.map((role): InputFilter =>
      role === "index" ? "dram_interleaved" : "tile_dram_interleaved"
    ),
    exploresReshards: true,
  }),
  evaluate: evaluateTraining,
});

function evaluateTraining(query: ConstraintQuery): Verdict {
  const { roles, family } = definitionOf(query.op.name);
  for (const index of query.operands.keys()) {
    demand(query, index, "interleaved in DRAM", "training/dram", SOURCE);
    if (entryForOperand(roles, query.op, index) === "index") {
      demand(query, index, "row-major", "training/row-major", SOURCE);
    } else {
      demand(query, index, "tiled", "training/tile", SOURCE);
      const formats = family === "softmax_gradient" ? ["bf16", "f32"] as const : ["bf16"] as const;
      demandFormat(query, index, formats, "training/format", SOURCE);
    }
  }
  const outputs = placeOutputs(query, DRAM_INTERLEAVED);
  const at = outputs.findIndex(({ layout }) => layout.bufferType !== "dram" || isSharded(layout));
  if (at >= 0) refuseLayout(query, "training/dram", `result ${at} must be interleaved in DRAM`, SOURCE);
  return { outputs };
}

export const TRAINING_RULES: RulesOf<TrainingFamily> = {
  rms_norm_forward: RULE,
  layer_norm_forward: RULE,
  rms_norm_gradient: RULE,
  layer_norm_gradient: RULE,
  softmax_gradient: RULE,
  cross_entropy_forward: RULE,
  cross_entropy_gradient: RULE,
  silu_gradient: RULE,
  swiglu_gradient: RULE,
};
