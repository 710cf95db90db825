// SPDX-License-Identifier: Apache-2.0
import { readInteger } from "../../dialect/attribute_values.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { normalDim } from "../../layout/extents.ts";
import { physicalExtent } from "../../layout/make_layout.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { repeatedDims, repeatsRows } from "../../programs/repeat.ts";
import { derivedShards, type PagedTensor, shardExtent, shardsOverDevice } from "../../programs/shard_spec.ts";
import { keepsPlace } from "../../programs/view.ts";
import { DRAM_INTERLEAVED, placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { accept, acceptView, describeTensor, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { missingOperand, operandAt, wantsShards } from "./program.ts";

const REPEAT = "ttnn-0.81.1";

function evaluateRepeat(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const result = op.results[0];
  if (result === undefined) return missingOperand(op, 0);
  const factors = repeatedDims(op, input.shape.length);
  const program = asProgramTensor(input);
  const { layout } = input;
  const { tile } = layout;
  const { dataType } = layout;
  const isNothing = factors.every((factor) => factor === 1);
  const paged = { shape: result.shape, dataType, tile };
  const shards = (memory: TtnnLayout, tensor: PagedTensor) =>
    madeUpShards(context, input, tensor, memory, factors);
  const output = hint === undefined
    ? placeIn(op, context, paged, !isSharded(layout) || isNothing ? layout : shards(layout, paged))
    : placeOutput(query, context, { whenNull: layout, page: pagesOf(layout), dataType, withoutSpec: shards });
  if (isRefusal(output)) return output;
  return isNothing && keepsPlace(program, asProgramTensor(output))
    ? acceptView(output, context)
    : accept({ outputs: [output] }, context);
}

/**
 * The operand's shards scaled to the result, where every one of them holds whole blocks of what is repeated; else shards
 * over the device.
 */
function madeUpShards(
  context: RuleContext,
  input: Tensor,
  tensor: PagedTensor,
  memory: TtnnLayout,
  factors: readonly number[],
): TtnnLayout {
  const { shape, layout } = input;
  const [height] = shardExtent(layout);
  const holdsBlocks = factors.slice(0, -1).every((factor, dim) =>
    factor === 1 || height % physicalExtent(shape.slice(dim), layout.tile)[0] === 0
  );
  return isSharded(layout) && holdsBlocks && (shape.at(-2) ?? 1) % 32 === 0 &&
      !repeatsRows(asProgramTensor(input), factors)
    ? derivedShards(context.chip, input, tensor, memory)
    : shardsOverDevice(context.chip, tensor, memory);
}

function evaluateRepeatInterleave(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const { layout, shape } = input;
  if (layout.tile === undefined) {
    return refuseLayout(op, "repeat/rows", `${describeTensor(0, input)} must be tiled`, REPEAT);
  }
  const dim = normalDim(readInteger(op.attributes, "dim") ?? 0, shape.length);
  const isNothing = (readInteger(op.attributes, "repeats") ?? 1) === 1;
  if (!isNothing && wantsShards(query) && isBlockFloat(layout.dataType)) {
    return refuseLayout(op, "repeat/format", `${describeTensor(0, input)} is cast into no shards`, REPEAT);
  }
  if (!isNothing && dim === shape.length - 1 && wantsShards(query) && !isSharded(layout)) {
    return refuseLayout(
      op,
      "repeat/columns",
      "columns of an interleaved tensor are not repeated into shards",
      REPEAT,
    );
  }
  const output = placeOutput(query, context, {
    whenNull: isSharded(layout) && !isNothing ? DRAM_INTERLEAVED : layout,
    dataType: layout.dataType,
  });
  if (isRefusal(output)) return output;
  return isNothing && keepsPlace(asProgramTensor(input), asProgramTensor(output))
    ? acceptView(output, context)
    : accept({ outputs: [output] }, context);
}

/** The rules of repeats. */
export const REPEAT_RULES: RulesOf<"repeat" | "repeat_interleave"> = {
  /** Rule of `repeat`: pages are repeated, or rows where tiles do not end; sharded results are cut over the device. */
  repeat: defineRule({
    strategy: { hints: "null_and_sharded", inputs: ["any"], exploresReshards: true },
    evaluate: evaluateRepeat,
  }),
  /** Rule of `repeat_interleave`: NULL gives DRAM interleaved for shards. */
  repeat_interleave: defineRule({
    strategy: { hints: "default", inputs: ["any"], exploresReshards: true },
    evaluate: evaluateRepeatInterleave,
  }),
};
