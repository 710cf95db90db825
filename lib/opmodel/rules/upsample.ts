// SPDX-License-Identifier: Apache-2.0
import { coreCount } from "../../layout/core_range.ts";
import { sameExtents } from "../../layout/extents.ts";
import { physicalExtent } from "../../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { isRefused } from "../../programs/sliding_window/sliding_window.ts";
import { shardExtent } from "../../programs/shard_spec.ts";
import { interpolatedLayout, isBilinear, planBilinear, upsampleScale } from "../../programs/pool/upsample.ts";
import { placeIn, placeOutput, refuseOpenShards, resultAt } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { describeOperand, refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { lacksSpec, operandAt } from "./program.ts";

type Scale = readonly [down: number, across: number];

function evaluateUpsample(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  const { shape } = resultAt(query);
  const scale = upsampleScale(input.shape, shape);
  if (input.shape.length !== 4 || scale === undefined) {
    const operand = describeOperand(query, 0);
    const fault = `${shape.join("x")} is not ${operand} with its height and width multiplied`;
    refuseConfig(query, "upsample/scale", fault);
  }
  const place = isBilinear(query.op) ? placeInterpolated : placeRepeated;
  return { outputs: [place(query, input, scale)] };
}

function refuseOutput(query: ConstraintQuery, fault: string): never {
  refuseLayout(query, "upsample/output", fault);
}

/** Nearest-neighbour results are row-major, in the operand's format; bfp8 becomes bf16, and bfp4 is refused. */
function placeRepeated(query: ConstraintQuery, input: Tensor, [down, across]: Scale): Tensor {
  const { hint } = query;
  const { layout } = input;
  if (layout.tile !== undefined && (isSharded(layout) || hasPadding(input))) {
    refuseOperand(query, 0, "upsample/tile", "must be row-major, or interleaved tiles without padding");
  }
  const dataType = layout.dataType === "bfp_bf8" ? "bf16" : layout.dataType;
  const rows = { page: "row_major", dataType } as const;
  if (!isSharded(layout)) {
    return hint !== undefined && isSharded(hint)
      ? refuseOutput(query, "an interleaved operand has an interleaved result")
      : placeOutput(query, { whenNull: layout, ...rows });
  }
  const [height, width] = shardExtent(layout);
  const { shape } = resultAt(query);
  const scaled = (memory: TtnnLayout): TtnnLayout => ({
    ...memory,
    shardShape: [height * down * across, width],
    ignorePhysicalLayout: false,
  });
  const made = { shape, dataType, tile: undefined };
  if (hint !== undefined && !isSharded(hint)) {
    return layout.memoryLayout === "width_sharded" && width === shape.at(-1)
      ? placeOutput(query, { whenNull: hint, ...rows })
      : refuseOutput(query, "a sharded operand has a sharded result");
  }
  // Width shards keep their cores, for any requested shards.
  if (layout.memoryLayout === "width_sharded") return placeIn(query, made, scaled(layout));
  if (lacksSpec(hint)) refuseOpenShards(query, "upsample/output");
  const memory = scaled({ ...hint ?? layout, dataType, tile: undefined });
  return coreCount(memory.coreRanges) === coreCount(layout.coreRanges)
    ? placeIn(query, made, memory)
    : refuseOutput(query, "the output must have as many shards as the operand");
}

function hasPadding({ shape, layout }: Tensor): boolean {
  return !sameExtents(physicalExtent(shape, layout.tile), physicalExtent(shape, undefined));
}

/**
 * Interpolated results are row-major bf16 shards. The kernel writes those of a sharded operand on the requested
 * cores; those of an interleaved operand stay on the cores that {@linkcode planBilinear} spreads it over and move to
 * a requested memory afterwards.
 */
function placeInterpolated(query: ConstraintQuery, input: Tensor, scale: Scale): Tensor {
  const { hint } = query;
  const plan = planBilinear({ input: asProgramTensor(input), scale, chip: query.chip });
  if (isRefused(plan)) refuseConfig(query, `upsample/${plan.refused}`, plan.reason);
  if (lacksSpec(hint)) refuseOpenShards(query, "upsample/output");
  const isAsked = plan.shards === undefined && hint !== undefined;
  if (isAsked && !isSharded(hint)) refuseOutput(query, "a sharded operand has a sharded result");
  const { shape } = resultAt(query);
  const layout = interpolatedLayout(plan, isAsked ? hint : undefined);
  const made = placeIn(query, { shape, dataType: "bf16", tile: undefined }, layout);
  return hint === undefined
    ? made
    : placeOutput(query, { whenNull: layout, page: "row_major", dataType: "bf16" });
}

export const UPSAMPLE_RULES: RulesOf<"upsample"> = {
  upsample: defineRule({ evaluate: evaluateUpsample }),
};
