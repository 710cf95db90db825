// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { indexFormat, type SlidingWindow } from "../../ops/sliding_window.ts";
import { sameExtents } from "../../layout/extents.ts";
import { launchPool, poolRequest, type PoolRoute, routePool } from "../../programs/pool/pool.ts";
import { inDram } from "../../programs/program_tensor.ts";
import { isRefused } from "../../programs/sliding_window/refused.ts";
import { sameShardSpec } from "../../programs/shard_spec.ts";
import { DRAM_INTERLEAVED, intern, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  eachOrRefusal,
  isRefusal,
  type OrRefusal,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { missingOperand, operandAt } from "./program.ts";

/**
 * `max_pool2d`, `avg_pool2d` and `max_pool2d_with_indices`: row-major results, regardless of the hint's
 * pages.
 */
function evaluatePool(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const request = poolRequest(query.op, asProgramTensor(operandAt(query, 0)), context.chip);
  if (request === undefined) {
    return refuseConfig(
      query.op,
      "pool/window",
      "batch, image, channels or kernel are missing or do not fit",
    );
  }
  const rank = rankFault(operandAt(query, 0).shape, request.window);
  if (rank !== undefined) return refuseLayout(query.op, "pool/rank", rank);
  const plan = routePool(request, () => context.room().freeBytes);
  if (isRefused(plan)) return refuseConfig(query.op, `pool/${plan.refused}`, plan.reason);
  const outputs = eachOrRefusal(query.op.results, (_, result) => placePooled(query, context, plan, result));
  if (isRefusal(outputs)) return outputs;
  const [first, indices] = outputs;
  if (first === undefined) return missingOperand(query.op, 0);
  return accept({
    outputs,
    launched: () =>
      launchPool(plan, [
        asProgramTensor(first),
        indices === undefined ? undefined : asProgramTensor(indices),
      ]),
  }, context);
}

/** Why a pool does not take an operand of a shape: other than four dimensions are read as one image `[H, W, C]` or `[H, W]`. */
function rankFault(
  shape: readonly number[],
  { batch, inputHeight, inputWidth, inChannels }: SlidingWindow,
): string | undefined {
  const image = [inputHeight, inputWidth, inChannels].slice(0, shape.length);
  const isImage = batch === 1 && sameExtents(shape, image) && (shape.length === 3 || inChannels === 1);
  return shape.length === 4 || isImage
    ? undefined
    : `an operand of ${shape.length} dimensions must be one image, and is ${shape.join("x")}`;
}

/** The result in the kernel's output layout, or in the requested memory. */
function placePooled(
  query: ConstraintQuery,
  context: RuleContext,
  plan: PoolRoute,
  result: number,
): OrRefusal<Tensor> {
  const { input } = plan.request;
  const page = "row_major";
  if (plan.kind === "mean") {
    const memory: TtnnLayout = { ...DRAM_INTERLEAVED, bufferType: inDram(input) ? "dram" : "l1" };
    const hint = query.hint === undefined || isSharded(query.hint) ? null : query.hint;
    // A mean keeps f32; windows are computed in bf16.
    const dataType = input.dataType === "f32" ? "f32" : "bf16";
    return placeOutput(query, context, { result, whenNull: memory, page, hint, dataType });
  }
  if (plan.kind === "sliced") {
    // Slices are written to DRAM, whatever memory is asked for.
    return placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page, hint: null, dataType: "bf16" });
  }
  const shape = query.op.results[result]?.shape ?? [];
  const { hint } = query;
  const dataType = result === 0 ? "bf16" : indexFormat(plan.request.window);
  if (hint === undefined || (isSharded(hint) && sameShardSpec(hint, plan.resultLayout))) {
    return intern(shape, { ...plan.resultLayout, dataType }, context);
  }
  if (isSharded(hint) && hint.ignorePhysicalLayout) {
    return refuseLayout(query.op, "pool/output-spec", "a sharded output needs a shard spec");
  }
  return placeOutput(query, context, {
    result,
    whenNull: hint,
    page,
    hint,
    dataType,
  });
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
    evaluate: (query, context) => {
      const { bufferType } = query.hint ?? operandAt(query, 0).layout;
      const whenNull: TtnnLayout = { ...DRAM_INTERLEAVED, bufferType };
      const output = placeOutput(query, context, { whenNull, hint: null });
      return acceptOne(output, context);
    },
  }),
};
