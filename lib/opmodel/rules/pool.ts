// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { indexFormat, type SlidingWindow } from "../../ops/sliding_window.ts";
import { sameExtents } from "../../layout/extents.ts";
import { launchPool, poolRequest, type PoolRoute, routePool } from "../../programs/pool/pool.ts";
import { NO_PROGRAMS } from "../../programs/program.ts";
import { inDram } from "../../programs/program_tensor.ts";
import { isRefused } from "../../programs/sliding_window/sliding_window.ts";
import { sameShardSpec } from "../../programs/shard_spec.ts";
import { DRAM_INTERLEAVED, intern, placeOutput, refuseOpenShards, resultAt } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, type Verdict } from "../verdict.ts";
import { lacksSpec, operandAt } from "./program.ts";

/**
 * `max_pool2d`, `avg_pool2d` and `max_pool2d_with_indices`: row-major results, regardless of the hint's
 * pages.
 */
function evaluatePool(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  const request = poolRequest(query.op, asProgramTensor(input), query.chip);
  if (request === undefined) {
    refuseConfig(query, "pool/window", "batch, image, channels or kernel are missing or do not fit");
  }
  checkRank(query, input.shape, request.window);
  const plan = routePool(request, () => query.room().freeBytes);
  if (isRefused(plan)) refuseConfig(query, `pool/${plan.refused}`, plan.reason);
  const outputs = query.op.results.map((_, result) => placePooled(query, plan, result));
  return {
    outputs,
    launched: () => {
      const [values, indices] = outputs.map(asProgramTensor);
      return values === undefined ? NO_PROGRAMS : launchPool(plan, [values, indices]);
    },
  };
}

/** Refuses operands of other than four dimensions that are not one image `[H, W, C]` or `[H, W]`, as which they are read. */
function checkRank(
  query: ConstraintQuery,
  shape: readonly number[],
  { batch, inputHeight, inputWidth, inChannels }: SlidingWindow,
): void {
  const image = [inputHeight, inputWidth, inChannels].slice(0, shape.length);
  const isImage = batch === 1 && sameExtents(shape, image) && (shape.length === 3 || inChannels === 1);
  if (shape.length !== 4 && !isImage) {
    const fault = `an operand of ${shape.length} dimensions must be one image, and is ${shape.join("x")}`;
    refuseLayout(query, "pool/rank", fault);
  }
}

/** The result in the kernel's output layout, or in the requested memory. */
function placePooled(query: ConstraintQuery, plan: PoolRoute, result: number): Tensor {
  const { input } = plan.request;
  const { hint } = query;
  const page = "row_major";
  if (plan.kind === "mean") {
    const whenNull: TtnnLayout = { ...DRAM_INTERLEAVED, bufferType: inDram(input) ? "dram" : "l1" };
    const asked = hint === undefined || isSharded(hint) ? null : hint;
    // A mean keeps f32; windows are computed in bf16.
    const dataType = input.dataType === "f32" ? "f32" : "bf16";
    return placeOutput(query, { result, whenNull, page, hint: asked, dataType });
  }
  if (plan.kind === "sliced") {
    // Slices are written to DRAM, whatever memory is asked for.
    return placeOutput(query, { whenNull: DRAM_INTERLEAVED, page, hint: null, dataType: "bf16" });
  }
  const dataType = result === 0 ? "bf16" : indexFormat(plan.request.window);
  if (hint === undefined || (isSharded(hint) && sameShardSpec(hint, plan.resultLayout))) {
    return intern(query, resultAt(query, result).shape, { ...plan.resultLayout, dataType });
  }
  if (lacksSpec(hint)) refuseOpenShards(query, "pool/output-spec");
  return placeOutput(query, { result, whenNull: hint, page, hint, dataType });
}

const POOL_RULE = defineRule({
  strategy: { hints: "null" },
  evaluate: evaluatePool,
});

export const POOL_RULES: RulesOf<
  "max_pool" | "avg_pool" | "max_pool_with_indices" | "global_pool"
> = {
  max_pool: POOL_RULE,
  avg_pool: POOL_RULE,
  max_pool_with_indices: POOL_RULE,
  /** Rule of `global_avg_pool2d`: interleaved in the requested memory, by default the operand's. */
  global_pool: defineRule({
    evaluate: (query) => {
      const { bufferType } = query.hint ?? operandAt(query, 0).layout;
      const whenNull: TtnnLayout = { ...DRAM_INTERLEAVED, bufferType };
      return { outputs: [placeOutput(query, { whenNull, hint: null })] };
    },
  }),
};
