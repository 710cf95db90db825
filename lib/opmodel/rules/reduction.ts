// SPDX-License-Identifier: Apache-2.0
import { ARGMAX, PRODUCT, REDUCE } from "../../ops/attributes/reduction.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { DEFAULT_TILE, isSharded } from "../../layout/ttnn_layout.ts";
import { normalDim } from "../../layout/extents.ts";
import { placeIn, placeOutput, resultAt } from "../place_output.ts";
import { type CoreRange, walkCores } from "../../layout/core_range.ts";
import { shardMisfit } from "../../programs/shard_spec.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { fillFault } from "../../programs/data_movement/pad.ts";
import { planReduction, reducedDims } from "../../programs/reduction/reduction_plan.ts";
import { layoutOf } from "../../programs/program_tensor.ts";
import { accumulationOf } from "../../programs/reduction/cumulative.ts";
import { isOverAll, orderOfProduct } from "../../programs/reduction/product.ts";
import { reductionKind } from "../../programs/reduction/reduce_programs.ts";
import { demand, demandTakenFormat, operandAt, wantsShards } from "./program.ts";

/** Rule of `sum`, `mean`, `max` and `min`: legality and results follow from the plan of their programs. */
function evaluateReduce(query: ConstraintQuery): Verdict {
  const { op } = query;
  const input = operandAt(query, 0);
  const rank = input.shape.length;
  const outside = readAttributes(op, REDUCE).dim_arg?.find((dim) => dim >= rank || dim < -rank);
  if (outside !== undefined) {
    const fault = `dimension ${outside} is not one of the ${rank} of ${input.shape.join("x")}`;
    refuseConfig(query, "reduction/dimension", fault);
  }
  demand(query, 0, "tiled", "reduction/tile");
  demandTakenFormat(query, "reduction/format", "has a format that the reduction does not take");
  const { shape } = resultAt(query);
  const plan = planReduction({
    kind: reductionKind(op.name) ?? "sum",
    operand: asProgramTensor(input),
    dims: reducedDims(op, rank),
    shape,
    asked: query.hint ?? input.layout,
  }, query);
  if ("fault" in plan) refuseLayout(query, `reduction/${plan.rule}`, plan.fault);
  const { result, launched } = plan;
  const made = { shape, dataType: result.dataType, tile: DEFAULT_TILE };
  return { outputs: [placeIn(query, made, layoutOf(result))], launched: () => launched };
}

function evaluateProd(query: ConstraintQuery): Verdict {
  const { op } = query;
  const input = operandAt(query, 0);
  demandTakenFormat(query, "reduction/format", "has a format that the reduction does not take");
  const { dim_arg: dim } = readAttributes(op, PRODUCT);
  const rank = input.shape.length;
  demand(query, 0, "tiled", "prod/tile");
  const isOfAll = isOverAll(dim, rank);
  if (isOfAll && isSharded(input.layout)) {
    refuseOperand(query, 0, "prod/sharded", "must be interleaved for a product of all elements");
  }
  const added = Math.max(0, 4 - rank);
  const isPermuted = isOfAll || orderOfProduct(normalDim(dim ?? 0, rank) + added, rank + added) !== undefined;
  const asked = query.hint ?? input.layout;
  if (isSharded(asked) && isPermuted) {
    refuseLayout(query, "prod/sharded-output", "an intermediate tensor does not fit the result's shards");
  }
  const fault = fillFault(asProgramTensor(input));
  if (fault !== undefined) refuseLayout(query, "prod/padded-shards", fault);
  const output = placeOutput(query, { whenNull: input.layout, nullShards: "kept" });
  const { tiles } = asProgramTensor(output);
  if (isSharded(asked) && liesBeyond(output.layout.coreRanges, tiles, query)) {
    refuseLayout(query, "prod/cores", `shards lie beyond the ${tiles} cores that multiply`);
  }
  return { outputs: [output] };
}

/** Whether shards use cores beyond those that receive units of work, dealt out column by column. */
function liesBeyond(ranges: readonly CoreRange[], units: number, { chip }: ConstraintQuery): boolean {
  return walkCores(ranges).some(({ x, y }) => x * chip.workerGrid.rows + y >= units);
}

function evaluateArgmax(query: ConstraintQuery): Verdict {
  const { shape, layout } = operandAt(query, 0);
  const { dim } = readAttributes(query.op, ARGMAX);
  const rank = shape.length;
  const say = (rule: string, fault: string) => refuseOperand(query, 0, `argmax/${rule}`, fault);
  if (isSharded(layout) || wantsShards(query)) {
    refuseLayout(query, "argmax/sharded", "input and output must be interleaved");
  }
  if (dim !== undefined && (dim >= rank || dim < -rank)) {
    refuseConfig(query, "argmax/dimension", `dimension ${dim} of ${rank}`);
  }
  const { tile, dataType } = layout;
  const isFloat = dataType === "bf16" || dataType === "f32";
  if (tile !== undefined && (dim === undefined || !isFloat)) {
    say("tiles", "must be bf16 or f32 and needs a dimension if tiled");
  }
  if (dataType === "u8") say("format", "has bytes, which are not compared");
  const isLast = dim === undefined || dim === rank - 1 || dim === -1;
  if (tile === undefined && !isLast && !isFloat) {
    say("row-major-dimension", "must be bf16 or f32 along any dimension but the last");
  }
  return { outputs: [placeOutput(query, { whenNull: layout, page: "row_major", dataType: "u32" })] };
}

function evaluateCumulative(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  demand(query, 0, "interleaved", "cumulative/sharded");
  const output = placeOutput(query, { whenNull: input.layout });
  if (!isSharded(output.layout)) return { outputs: [output] };
  const { shape, units } = accumulationOf(query.op, asProgramTensor(input));
  const misfit = shardMisfit(output.layout, shape, DEFAULT_TILE);
  if (misfit !== undefined) {
    refuseLayout(query, "cumulative/step-shards", `the accumulated tensor: ${misfit}`);
  }
  if (liesBeyond(output.layout.coreRanges, units, query)) {
    refuseLayout(query, "cumulative/cores", `shards lie outside of the program's ${units} cores`);
  }
  return { outputs: [output] };
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
