// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  defineRule,
  type InputFilter,
  type OpRule,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { entryForOperand } from "../../ops/operand_groups.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { TrainingFamily } from "../../ops/training.ts";

const SOURCE = "tt-metal:training";

/**
 * Rule of tt-train's kernels: tiles in bf16 (in f32, too, for the gradient of a softmax), and row-major indices of
 * classes, all interleaved in DRAM.
 */
const RULE: OpRule = defineRule({
  strategy: ({ name }) => ({
    hints: "null",
    inputs: definitionOf(name).roles.map((role): InputFilter =>
      role === "index" ? "dram_interleaved" : "tile_dram_interleaved"
    ),
    exploresReshards: true,
  }),
  evaluate,
});

function evaluate(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { roles } = definitionOf(query.op.name);
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined) continue;
    const say = (rule: string, what: string) =>
      refuseLayout(query.op, `training/${rule}`, `${describeTensor(index, tensor)} must be ${what}`, SOURCE);
    const { bufferType, dataType, tile } = tensor.layout;
    if (bufferType !== "dram" || isSharded(tensor.layout)) return say("dram", "interleaved in DRAM");
    if (entryForOperand(roles, query.op, index) === "index") {
      if (tile !== undefined) return say("row-major", "row-major");
    } else if (tile === undefined) {
      return say("tile", "tiled");
    } else if (
      dataType !== "bf16" &&
      !(dataType === "f32" && definitionOf(query.op.name).family === "softmax_gradient")
    ) {
      return say("format", "bf16");
    }
  }
  const outputs: (Tensor | undefined)[] = [];
  for (const result of query.op.results.keys()) {
    const output = placeOutput(query, context, {
      result,
      whenNull: DRAM_INTERLEAVED,
      ...(result === 0 ? {} : { hint: null }),
    });
    if (isRefusal(output)) return output;
    if (output.layout.bufferType !== "dram" || isSharded(output.layout)) {
      return refuseLayout(
        query.op,
        "training/dram",
        `result ${result} must be interleaved in DRAM`,
        SOURCE,
      );
    }
    outputs.push(output);
  }
  return accept({ outputs }, context);
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
