// SPDX-License-Identifier: Apache-2.0
import { makeLayout } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { readIntegers } from "../../dialect/attribute_values.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, reportedL1Bytes, type Tensor } from "../tensor.ts";
import { volume } from "../../layout/extents.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  type OrRefusal,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { missingOperand, operandAt } from "./program.ts";
import { planPool } from "../../programs/pool.ts";
import { windowOf } from "../../ops/op_windows.ts";
import { copyBytes } from "./copy_bytes.ts";

const POOL = "tt-metal:pool";

/** Rule of `max_pool2d`, `avg_pool2d` and `max_pool2d_with_indices`. */
function poolRule(kind: "max" | "average" | "max_with_indices"): OpRule {
  return defineRule({
    evaluate: (query, context) => evaluatePool(query, context, kind),
  });
}

function evaluatePool(
  query: ConstraintQuery,
  context: RuleContext,
  kind: "max" | "average" | "max_with_indices",
): RuleAnswer {
  const input = operandAt(query, 0);
  const window = windowOf(query.op);
  if (window === undefined) {
    return refuseConfig(
      query.op,
      "pool/window",
      "batch, image, channels or kernel are missing or do not fit",
      POOL,
    );
  }
  const kernel = window.kernelHeight * window.kernelWidth;
  if (kind === "max_with_indices" && kernel > 32) {
    return refuseConfig(query.op, "pool/indices-kernel", `windows of ${kernel} elements exceed 32`, POOL);
  }
  const type = query.op.results[0];
  if (type === undefined) return missingOperand(query.op, 0);
  const pixels = volume(type.shape.slice(0, -1));
  const tiled = input.layout.tile !== undefined || query.hint?.tile !== undefined;
  const source = asProgramTensor(input);
  const { grid } = planPool(window, { input: source, output: undefined }, pixels, tiled, context.chip);
  const tile = (query.hint ?? input.layout).tile === undefined ? null : DEFAULT_TILE;
  const memoryLayout = source.placement === "l1_sharded" ? source.memoryLayout : "height_sharded";
  const own = makeLayout({ ...type, tile, bufferType: "l1", memoryLayout, grid }, context.chip.workerGrid);
  const outputs = placePooled(query, context, own);
  if (isRefusal(outputs)) return outputs;
  const [first] = outputs;
  const output = first === undefined ? undefined : asProgramTensor(first);
  const plan = planPool(window, { input: source, output }, pixels, tiled, context.chip);
  const outputBytes = outputs.reduce(
    (sum, tensor) => sum + reportedL1Bytes(tensor, context.chip),
    0,
  );
  const staged = isSharded(input.layout) ? 0 : plan.inputShardBytes;
  return accept({
    outputs,
    tensorL1PeakBytes: Math.max(staged + plan.haloBytes, plan.haloBytes + outputBytes),
  }, context);
}

/** Places the pooled result and the indices by the hint, or by `own` without a hint. */
function placePooled(
  query: ConstraintQuery,
  context: RuleContext,
  own: TtnnLayout,
): OrRefusal<readonly Tensor[]> {
  const page = pagesOf(own);
  const outputs: Tensor[] = [];
  for (let result = 0; result < query.op.results.length; result++) {
    const output = placeOutput(
      query,
      context,
      result === 0
        ? { result, whenNull: own, page }
        : { result, whenNull: query.hint ?? own, page, hint: null },
    );
    if (isRefusal(output)) return output;
    outputs.push(output);
  }
  return outputs;
}

function evaluateUpsample(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const source = "tt-metal:upsample";
  if (input.layout.tile !== undefined && isSharded(input.layout)) {
    return refuseLayout(query.op, "upsample/tile", `${describeTensor(0, input)} must be row-major`, source);
  }
  if (
    isSharded(input.layout) && query.hint !== undefined &&
    query.hint.memoryLayout !== input.layout.memoryLayout
  ) {
    return refuseLayout(query.op, "upsample/sharding", "input and output must be sharded alike", source);
  }
  const scale = readIntegers(query.op.attributes, "scale_factor");
  if (scale !== undefined && scale.some((factor) => factor <= 0)) {
    return refuseConfig(query.op, "upsample/scale", "scale factors must be positive", source);
  }
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: pagesOf(input.layout),
  });
  if (isRefusal(output)) return output;
  return accept({ outputs: [output] }, context);
}

/** The rules of pooling. */
export const POOL_RULES: RulesOf<
  "max_pool" | "avg_pool" | "max_pool_with_indices" | "global_pool" | "upsample"
> = {
  max_pool: poolRule("max"),
  avg_pool: poolRule("average"),
  max_pool_with_indices: poolRule("max_with_indices"),
  /** Rule of `global_avg_pool2d`, a sum over the image and a scale; L1 interleaved for NULL. */
  global_pool: defineRule({
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const whenNull: TtnnLayout = { ...DRAM_INTERLEAVED, bufferType: "l1" };
      const output = placeOutput(query, context, { whenNull });
      if (isRefusal(output)) return output;
      const copy = { shape: input.shape, dataType: input.layout.dataType, tile: DEFAULT_TILE };
      const retilized = input.layout.tile === undefined ? copyBytes(copy, "l1", context) : 0;
      return accept({
        outputs: [output],
        intermediateL1Bytes: retilized,
      }, context);
    },
  }),
  /** Rule of `upsample`: rows; sharded results keep the input's sharding (tt-metal:upsample). */
  upsample: defineRule({
    evaluate: (query, context) => evaluateUpsample(query, context),
  }),
};
