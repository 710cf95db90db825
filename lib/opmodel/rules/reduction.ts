// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../../layout/extents.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readInteger, readIntegers } from "../../dialect/attribute_values.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import type { PagedTensor } from "../../programs/shard_spec.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { reportedL1Bytes, type Tensor } from "../tensor.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { withDimensionInFront } from "../../programs/product.ts";
import { operandAt, wantsShards } from "./program.ts";
import { copyBytes } from "./copy_bytes.ts";

const SOURCE = "tt-metal:reduction";

/** Rule of `sum`, `mean`, `max` and `min`. `min` negates before and after, which keeps full-size copies alive. */
function reduceRule(family: "reduce" | "min"): OpRule {
  return defineRule({
    evaluate: (query, context) => evaluateReduce(query, context, family),
  });
}

function evaluateReduce(
  query: ConstraintQuery,
  context: RuleContext,
  family: "reduce" | "min",
): RuleAnswer {
  const input = operandAt(query, 0);
  const rank = input.shape.length;
  const dims = readIntegers(query.op.attributes, "dim_arg") ?? input.shape.map((_, dim) => dim);
  const outside = dims.find((dim) => dim >= rank || dim < -rank);
  if (outside !== undefined) {
    return refuseConfig(
      query.op,
      "reduction/dimension",
      `dimension ${outside} is not one of the ${rank} of ${input.shape.join("x")}`,
      SOURCE,
    );
  }
  if (input.layout.tile === undefined) {
    return refuseLayout(query.op, "reduction/tile", `${describeTensor(0, input)} must be tiled`, SOURCE);
  }
  const normal = dims.map((dim) => normalDim(dim, rank));
  // Both dimensions of the tile are reduced by two programs, columns first.
  const reducesRows = normal.some((dim) => dim !== rank - 1);
  if (isSharded(input.layout) && reducesRows && input.layout.memoryLayout !== "width_sharded") {
    return refuseLayout(
      query.op,
      "reduction/height-sharded",
      `reducing rows needs ${describeTensor(0, input)} width sharded or interleaved`,
      SOURCE,
    );
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  const outputBytes = reportedL1Bytes(output, context.chip);
  if (family === "reduce") return accept({ outputs: [output] }, context);
  // The negated copies are in the memory of the output.
  const negated = copyBytes(pagedAs(input.shape, input), output.layout.bufferType, context);
  return accept({
    outputs: [output],
    intermediateL1Bytes: negated + outputBytes,
  }, context);
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
  reduce: reduceRule("reduce"),
  min: reduceRule("min"),
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
