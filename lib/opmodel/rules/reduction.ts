// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../../layout/data_type.ts";
import { DEFAULT_TILE, isSharded } from "../../layout/ttnn_layout.ts";
import { readInteger, readIntegers } from "../../dialect/attribute_values.ts";
import { DRAM_INTERLEAVED, placeIn, placeOutput } from "../place_output.ts";
import type { PagedTensor } from "../../programs/shard_spec.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, reportedL1Bytes, type Tensor } from "../tensor.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { layoutOf } from "../../programs/program_tensor.ts";
import { withDimensionInFront } from "../../programs/product.ts";
import { reducedDims } from "../../programs/reduction.ts";
import { planReduction } from "../../programs/reduction_plan.ts";
import { operandAt, wantsShards } from "./program.ts";
import { copyBytes } from "./copy_bytes.ts";

const SOURCE = "ttnn-0.81.1";

/** Formats of tiles that reductions take. */
const INTEGERS: ReadonlySet<DataType> = new Set(["si32", "u32"]);

/** Rule of `sum`, `mean`, `max` and `min`: the plan of their programs says what is legal and what comes out. */
function evaluateReduce(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const rank = input.shape.length;
  const outside = readIntegers(op.attributes, "dim_arg")?.find((dim) => dim >= rank || dim < -rank);
  if (outside !== undefined) {
    const fault = `dimension ${outside} is not one of the ${rank} of ${input.shape.join("x")}`;
    return refuseConfig(op, "reduction/dimension", fault, SOURCE);
  }
  const { tile, dataType } = input.layout;
  if (tile === undefined) {
    return refuseLayout(op, "reduction/tile", `${describeTensor(0, input)} must be tiled`, SOURCE);
  }
  const isFloat = dataType === "f32" || dataType === "bf16" || isBlockFloat(dataType);
  if (!isFloat && (!INTEGERS.has(dataType) || op.name === "ttnn.mean")) {
    return refuseOperand(op, "reduction/format", 0, input, "has a format that is not reduced", SOURCE);
  }
  const shape = op.results[0]?.shape ?? [];
  const plan = planReduction({
    name: op.name,
    operand: asProgramTensor(input),
    dims: reducedDims(op, input.shape, shape),
    shape,
    asked: query.hint ?? input.layout,
  }, context);
  if ("fault" in plan) return refuseLayout(op, `reduction/${plan.rule}`, plan.fault, SOURCE);
  const { result, launched } = plan;
  const made = { shape, dataType: result.dataType, tile: DEFAULT_TILE };
  const output = placeIn(op, context, made, layoutOf(result));
  return isRefusal(output) ? output : accept({ outputs: [output], launched: () => launched }, context);
}

function evaluateProd(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (wantsShards(query)) {
    return refuseLayout(query.op, "prod/sharded-output", "the output must be interleaved", SOURCE);
  }
  const output = placeOutput(query, context, {
    whenNull: isSharded(input.layout) ? DRAM_INTERLEAVED : input.layout,
  });
  if (isRefusal(output)) return output;
  const dim = readInteger(query.op.attributes, "dim_arg");
  let intermediateL1Bytes = 0;
  const copy = dim === undefined ? undefined : withDimensionInFront(input.shape, dim);
  if (copy !== undefined && output.layout.bufferType === "l1") {
    intermediateL1Bytes = copyBytes(pagedAs(copy, input), "l1", context) +
      reportedL1Bytes(output, context.chip);
  }
  return accept({
    outputs: [output],
    intermediateL1Bytes,
  }, context);
}

function evaluateArgmax(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const dim = readInteger(query.op.attributes, "dim");
  const rank = input.shape.length;
  if (isSharded(input.layout) || wantsShards(query)) {
    return refuseLayout(query.op, "argmax/sharded", "input and output must be interleaved", SOURCE);
  }
  if (dim !== undefined && (dim >= rank || dim < -rank)) {
    return refuseConfig(query.op, "argmax/dimension", `dimension ${dim} of ${rank}`, SOURCE);
  }
  const tiled = input.layout.tile !== undefined;
  if (!tiled && dim !== undefined && dim !== rank - 1 && dim !== -1) {
    return refuseConfig(
      query.op,
      "argmax/row-major-dimension",
      "a row-major input is reduced along its last dimension only",
      SOURCE,
    );
  }
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: "row_major",
    dataType: "u32",
  });
  if (isRefusal(output)) return output;
  return accept({ outputs: [output] }, context);
}

/** A tensor of a shape in the format and pages of another one. */
function pagedAs(shape: readonly number[], { layout: { dataType, tile } }: Tensor): PagedTensor {
  return { shape, dataType, tile };
}

function evaluateCumulative(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const memory = query.hint ?? input.layout;
  if (isSharded(input.layout) || isSharded(memory)) {
    return refuseLayout(query.op, "cumulative/sharded", "input and output must be interleaved", SOURCE);
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  const dim = readInteger(query.op.attributes, "dim") ?? 0;
  const outputBytes = reportedL1Bytes(output, context.chip);
  let tensorL1PeakBytes = outputBytes;
  const copy = withDimensionInFront(input.shape, dim);
  if (copy !== undefined) {
    const bytesIn = (tensor: Tensor) => copyBytes(pagedAs(copy, tensor), tensor.layout.bufferType, context);
    tensorL1PeakBytes = Math.max(bytesIn(input) + bytesIn(output), bytesIn(output) + outputBytes);
  }
  return accept({
    outputs: [output],
    tensorL1PeakBytes,
  }, context);
}

/** The rules of reductions. */
export const REDUCTION_RULES: RulesOf<"reduce" | "min" | "prod" | "argmax" | "cumulative"> = {
  reduce: defineRule({ evaluate: evaluateReduce }),
  min: defineRule({ evaluate: evaluateReduce }),
  /**
   * Rule of `prod`: bf16, along one dimension through a copy with that dimension in front; the result is interleaved
   * (tt-metal:reduction).
   */
  prod: defineRule({ evaluate: evaluateProd }),
  /** Rule of `argmax`: interleaved in and out. */
  argmax: defineRule({
    strategy: { hints: "default", inputs: ["row_major"], exploresReshards: true },
    evaluate: evaluateArgmax,
  }),
  /**
   * Rule of `cumsum`, `cumprod` and `moreh_cumsum`: interleaved; a dimension inside of the tile goes through
   * permuted copies.
   */
  cumulative: defineRule({ evaluate: evaluateCumulative }),
};
