// SPDX-License-Identifier: Apache-2.0
import { coreCount } from "../../layout/core_range.ts";
import { sameExtents } from "../../layout/extents.ts";
import { physicalExtent } from "../../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { isRefused } from "../../programs/sliding_window/refused.ts";
import { shardExtent } from "../../programs/shard_spec.ts";
import { interpolatedLayout, isBilinear, planBilinear, upsampleScale } from "../../programs/pool/upsample.ts";
import { placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  acceptOne,
  describeTensor,
  isRefusal,
  type OrRefusal,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { lacksSpec, operandAt } from "./program.ts";

type Scale = readonly [down: number, across: number];

function evaluateUpsample(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const shape = op.results[0]?.shape ?? [];
  const scale = upsampleScale(input.shape, shape);
  if (input.shape.length !== 4 || scale === undefined) {
    return refuseConfig(
      op,
      "upsample/scale",
      `${shape.join("x")} is not ${describeTensor(0, input)} with its height and width multiplied`,
    );
  }
  const output = isBilinear(op)
    ? placeInterpolated(query, input, scale, context)
    : placeRepeated(query, input, scale, context);
  return acceptOne(output, context);
}

function refuseSpec(query: ConstraintQuery, fault: string): OrRefusal<Tensor> {
  return refuseLayout(query.op, "upsample/output", fault);
}

/** Nearest-neighbour results are row-major, in the operand's format; bfp8 becomes bf16, and bfp4 is refused. */
function placeRepeated(
  query: ConstraintQuery,
  input: Tensor,
  [down, across]: Scale,
  context: RuleContext,
): OrRefusal<Tensor> {
  const { op, hint } = query;
  const { layout } = input;
  if (layout.tile !== undefined && (isSharded(layout) || hasPadding(input))) {
    return refuseLayout(
      op,
      "upsample/tile",
      `${describeTensor(0, input)} must be row-major, or interleaved tiles without padding`,
    );
  }
  const dataType = layout.dataType === "bfp_bf8" ? "bf16" : layout.dataType;
  const rows = { page: "row_major", dataType } as const;
  if (!isSharded(layout)) {
    return hint !== undefined && isSharded(hint)
      ? refuseSpec(query, "an interleaved operand has an interleaved result")
      : placeOutput(query, context, { whenNull: layout, ...rows });
  }
  const [height, width] = shardExtent(layout);
  const shape = op.results[0]?.shape ?? [];
  const scaled = (memory: TtnnLayout): TtnnLayout => ({
    ...memory,
    shardShape: [height * down * across, width],
    ignorePhysicalLayout: false,
  });
  const made = { shape, dataType, tile: undefined };
  if (hint !== undefined && !isSharded(hint)) {
    return layout.memoryLayout === "width_sharded" && width === shape.at(-1)
      ? placeOutput(query, context, { whenNull: hint, ...rows })
      : refuseSpec(query, "a sharded operand has a sharded result");
  }
  // Width shards keep their cores, for any requested shards.
  if (layout.memoryLayout === "width_sharded") return placeIn(op, context, made, scaled(layout));
  if (lacksSpec(hint)) return refuseSpec(query, "a sharded output needs a shard spec");
  const memory = scaled({ ...hint ?? layout, dataType, tile: undefined });
  return coreCount(memory.coreRanges) === coreCount(layout.coreRanges)
    ? placeIn(op, context, made, memory)
    : refuseSpec(query, "the output must have as many shards as the operand");
}

function hasPadding({ shape, layout }: Tensor): boolean {
  return !sameExtents(physicalExtent(shape, layout.tile), physicalExtent(shape, undefined));
}

/**
 * Interpolated results are row-major bf16 shards. The kernel writes those of a sharded operand on the requested
 * cores; those of an interleaved operand stay on the cores that {@linkcode planBilinear} spreads it over and move to
 * a requested memory afterwards.
 */
function placeInterpolated(
  query: ConstraintQuery,
  input: Tensor,
  scale: Scale,
  context: RuleContext,
): OrRefusal<Tensor> {
  const { op, hint } = query;
  const plan = planBilinear({ input: asProgramTensor(input), scale, chip: context.chip });
  if (isRefused(plan)) return refuseConfig(op, `upsample/${plan.refused}`, plan.reason);
  if (lacksSpec(hint)) return refuseSpec(query, "a sharded output needs a shard spec");
  const isAsked = plan.shards === undefined && hint !== undefined;
  if (isAsked && !isSharded(hint)) return refuseSpec(query, "a sharded operand has a sharded result");
  const shape = op.results[0]?.shape ?? [];
  const layout = interpolatedLayout(plan, isAsked ? hint : undefined);
  const made = placeIn(op, context, { shape, dataType: "bf16", tile: undefined }, layout);
  return isRefusal(made) || hint === undefined
    ? made
    : placeOutput(query, context, { whenNull: layout, page: "row_major", dataType: "bf16" });
}

export const UPSAMPLE_RULES: RulesOf<"upsample"> = {
  upsample: defineRule({ evaluate: evaluateUpsample }),
};
