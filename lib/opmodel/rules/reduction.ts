// SPDX-License-Identifier: Apache-2.0
import { ARGMAX, PRODUCT, REDUCE } from "../../ops/attributes/reduction.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import { DEFAULT_TILE, isSharded } from "../../layout/ttnn_layout.ts";
import { normalDim } from "../../layout/extents.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { placeIn, placeOutput } from "../place_output.ts";
import { type CoreRange, walkCores } from "../../layout/core_range.ts";
import { shardMisfit } from "../../programs/shard_spec.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  describeTensor,
  isRefusal,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { fillFault } from "../../programs/data_movement/fill_pad.ts";
import { layoutOf } from "../../programs/program_tensor.ts";
import { accumulationOf } from "../../programs/reduction/cumulative.ts";
import { isOverAll, orderOfProduct } from "../../programs/reduction/product.ts";
import { reductionKind } from "../../programs/reduction/reduce_programs.ts";
import { reducedDims } from "../../programs/reduction/reduction.ts";
import { planReduction } from "../../programs/reduction/reduction_plan.ts";
import { operandAt, wantsShards } from "./program.ts";

/** Rule of `sum`, `mean`, `max` and `min`: legality and results follow from the plan of their programs. */
function evaluateReduce(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const rank = input.shape.length;
  const outside = readAttributes(op, REDUCE).dim_arg?.find((dim) => dim >= rank || dim < -rank);
  if (outside !== undefined) {
    const fault = `dimension ${outside} is not one of the ${rank} of ${input.shape.join("x")}`;
    return refuseConfig(op, "reduction/dimension", fault);
  }
  const { tile } = input.layout;
  if (tile === undefined) {
    return refuseLayout(op, "reduction/tile", `${describeTensor(0, input)} must be tiled`);
  }
  const unread = formatFault(op, input);
  if (unread !== undefined) return unread;
  const shape = op.results[0]?.shape ?? [];
  const plan = planReduction({
    kind: reductionKind(op.name) ?? "sum",
    operand: asProgramTensor(input),
    dims: reducedDims(op, input.shape.length),
    shape,
    asked: query.hint ?? input.layout,
  }, context);
  if ("fault" in plan) return refuseLayout(op, `reduction/${plan.rule}`, plan.fault);
  const { result, launched } = plan;
  const made = { shape, dataType: result.dataType, tile: DEFAULT_TILE };
  const output = placeIn(op, context, made, layoutOf(result));
  return isRefusal(output) ? output : accept({ outputs: [output], launched: () => launched }, context);
}

function formatFault(op: OpSignature, input: Tensor): InvalidConstraints | undefined {
  return definitionOf(op.name).takesFormats([input.layout.dataType], undefined)
    ? undefined
    : refuseOperand(op, "reduction/format", 0, input, "has a format that the reduction does not take");
}

function evaluateProd(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const unread = formatFault(op, input);
  if (unread !== undefined) return unread;
  const { dim_arg: dim } = readAttributes(op, PRODUCT);
  const rank = input.shape.length;
  if (input.layout.tile === undefined) return refuseOperand(op, "prod/tile", 0, input, "must be tiled");
  const isOfAll = isOverAll(dim, rank);
  if (isOfAll && isSharded(input.layout)) {
    return refuseOperand(op, "prod/sharded", 0, input, "must be interleaved for a product of all elements");
  }
  const added = Math.max(0, 4 - rank);
  const isPermuted = isOfAll || orderOfProduct(normalDim(dim ?? 0, rank) + added, rank + added) !== undefined;
  const asked = query.hint ?? input.layout;
  if (isSharded(asked) && isPermuted) {
    const message = "an intermediate tensor does not fit the result's shards";
    return refuseLayout(op, "prod/sharded-output", message);
  }
  const fault = fillFault(asProgramTensor(input));
  if (fault !== undefined) return refuseLayout(op, "prod/padded-shards", fault);
  const output = placeOutput(query, context, { whenNull: input.layout, nullShards: "kept" });
  if (isRefusal(output)) return output;
  const { tiles } = asProgramTensor(output);
  if (isSharded(asked) && liesBeyond(output.layout.coreRanges, tiles, context)) {
    return refuseLayout(op, "prod/cores", `shards lie beyond the ${tiles} cores that multiply`);
  }
  return accept({ outputs: [output] }, context);
}

/** Whether shards use cores beyond those that receive units of work, dealt out column by column. */
function liesBeyond(ranges: readonly CoreRange[], units: number, { chip }: RuleContext): boolean {
  return walkCores(ranges).some(({ x, y }) => x * chip.workerGrid.rows + y >= units);
}

function evaluateArgmax(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const { dim } = readAttributes(query.op, ARGMAX);
  const rank = input.shape.length;
  if (isSharded(input.layout) || wantsShards(query)) {
    return refuseLayout(query.op, "argmax/sharded", "input and output must be interleaved");
  }
  if (dim !== undefined && (dim >= rank || dim < -rank)) {
    return refuseConfig(query.op, "argmax/dimension", `dimension ${dim} of ${rank}`);
  }
  const { tile, dataType } = input.layout;
  const isFloat = dataType === "bf16" || dataType === "f32";
  if (tile !== undefined && (dim === undefined || !isFloat)) {
    return refuseOperand(
      query.op,
      "argmax/tiles",
      0,
      input,
      "must be bf16 or f32 and needs a dimension if tiled",
    );
  }
  if (dataType === "u8") {
    return refuseOperand(query.op, "argmax/format", 0, input, "has bytes, which are not compared");
  }
  const isLast = dim === undefined || dim === rank - 1 || dim === -1;
  if (tile === undefined && !isLast && !isFloat) {
    return refuseOperand(
      query.op,
      "argmax/row-major-dimension",
      0,
      input,
      "must be bf16 or f32 along any dimension but the last",
    );
  }
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: "row_major",
    dataType: "u32",
  });
  return acceptOne(output, context);
}

function evaluateCumulative(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  if (isSharded(input.layout)) {
    return refuseOperand(op, "cumulative/sharded", 0, input, "must be interleaved");
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output) || !isSharded(output.layout)) {
    return acceptOne(output, context);
  }
  const { shape, units } = accumulationOf(op, asProgramTensor(input));
  const misfit = shardMisfit(output.layout, shape, DEFAULT_TILE);
  if (misfit !== undefined) {
    return refuseLayout(op, "cumulative/step-shards", `the accumulated tensor: ${misfit}`);
  }
  if (liesBeyond(output.layout.coreRanges, units, context)) {
    return refuseLayout(op, "cumulative/cores", `shards lie outside of the program's ${units} cores`);
  }
  return accept({ outputs: [output] }, context);
}

export const REDUCTION_RULES: RulesOf<"reduce" | "min" | "prod" | "argmax" | "cumulative"> = {
  reduce: defineRule({ evaluate: evaluateReduce }),
  min: defineRule({ evaluate: evaluateReduce }),
  /**
   * Rule of `prod`: where dimensions are permuted first (`orderOfProduct`), or over all elements, the result is
   * interleaved; for a sharded operand the hint must say so. A product of all elements reads no shards.
   */
  prod: defineRule({ evaluate: evaluateProd }),
  /** Rule of `argmax`: interleaved operand and result. */
  argmax: defineRule({ strategy: { inputs: ["row_major"] }, evaluate: evaluateArgmax }),
  /**
   * Rule of `cumsum`, `cumprod` and `moreh_cumsum`: interleaved operand; result shards must fit the
   * accumulated tensor, on cores that accumulate.
   */
  cumulative: defineRule({ evaluate: evaluateCumulative }),
};
