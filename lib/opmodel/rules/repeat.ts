// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_TILE, isSharded, sameShardGrid, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { repeatSharesBuffer } from "../../programs/view.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { shardsOverDevice } from "../../programs/shard_spec.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, reportedL1Bytes, type Tensor } from "../tensor.ts";
import { accept, acceptView, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt } from "./program.ts";
import { rowMajorCopyBytes } from "./copy_bytes.ts";

const REPEAT = "tt-mlir:op-model-tests repeat";

type RepeatFamily = "repeat" | "repeat_interleave";

/** Rule of `repeat` and `repeat_interleave`: untilize, repeat rows, tilize (tt-mlir:op-model-tests). */
function repeatRule(family: RepeatFamily): OpRule {
  return defineRule({
    strategy: family === "repeat_interleave"
      ? { hints: "default", inputs: ["any"], exploresReshards: true }
      : { hints: "null_and_sharded", inputs: ["any"], exploresReshards: true },
    evaluate: (query, context) => evaluateRepeat(query, context, family),
  });
}

function evaluateRepeat(query: ConstraintQuery, context: RuleContext, family: RepeatFamily): RuleAnswer {
  const interleaves = family === "repeat_interleave";
  const input = operandAt(query, 0);
  const { hint } = query;
  const inputSharded = isSharded(input.layout);
  if (!interleaves && inputSharded) {
    if (hint === undefined || !isSharded(hint)) {
      return refuseLayout(
        query.op,
        "repeat/sharded-needs-sharded",
        "a sharded operand needs a sharded output hint",
        REPEAT,
      );
    }
    if (!sameShardGrid(hint, input.layout)) {
      return refuseLayout(query.op, "repeat/grid", "the output must have the operand's shard grid", REPEAT);
    }
  }
  const tiled = input.layout.tile !== undefined;
  const honours = context.ruleSet.repeatHonoursHint;
  const kept = interleaves ? DRAM_INTERLEAVED : repeatMemory(query, context, input);
  const output = placeOutput(query, context, {
    whenNull: honours ? input.layout : kept,
    page: tiled ? "tile" : "row_major",
    ...(honours ? {} : { hint: null }),
  });
  if (isRefusal(output)) return output;
  if (repeatSharesBuffer(query.op, asProgramTensor(input), asProgramTensor(output))) {
    return acceptView(output, context);
  }
  if (!tiled) return accept({ outputs: [output] }, context);
  const rowsOf = ({ shape, layout }: Tensor) =>
    input.layout.bufferType === "l1" ? rowMajorCopyBytes(shape, layout.dataType, context) : 0;
  const outputBytes = reportedL1Bytes(output, context.chip);
  const inputRows = rowsOf(input);
  const outputRows = interleaves && !honours ? 0 : rowsOf(output);
  return accept({
    outputs: [output],
    tensorL1PeakBytes: Math.max(inputRows + outputRows, outputRows + outputBytes),
  }, context);
}

/** Memory that an older `repeat` keeps: the input's, spread anew over the grid when sharded. */
function repeatMemory(query: ConstraintQuery, context: RuleContext, input: Tensor): TtnnLayout {
  const result = query.op.results[0];
  if (!isSharded(input.layout) || result === undefined) return input.layout;
  return shardsOverDevice(context.chip, { ...result, tile: DEFAULT_TILE }, input.layout);
}

/** The rules of repeats. */
export const REPEAT_RULES: RulesOf<RepeatFamily> = {
  repeat: repeatRule("repeat"),
  repeat_interleave: repeatRule("repeat_interleave"),
};
