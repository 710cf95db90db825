// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { SOFTMAX } from "../../ops/attributes/normalization.ts";
import { boundingBox, coreCount } from "../../layout/core_range.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { normalDim, sameExtents, volume } from "../../layout/extents.ts";
import { physicalUnits } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, pagesOf, sameShardGrid } from "../../layout/ttnn_layout.ts";
import type { NormProgramConfig } from "../../op_config/op_config.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { largestDivisor } from "../../programs/matmul/matmul_blocking.ts";
import { normBlockTiles } from "../../programs/normalization/normalization.ts";
import { accumulatesInF32 } from "../../programs/op_launch.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type InputFilter, type OpRule, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { demand, launchOf, operandAt, operandIn, wantsShards } from "./program.ts";

/** Rule of `rms_norm` and `layer_norm`: operand groups are input, weight, bias and residual. */
function normRule(kind: "rms_norm" | "layer_norm"): OpRule {
  const input: InputFilter = kind === "rms_norm" ? "interleaved_or_full_box" : "not_height_sharded";
  return defineRule({
    strategy: { inputs: [input, "any"] },
    evaluate: evaluateNorm,
  });
}

function evaluateNorm(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  const { layout } = input;
  checkTiledFloat(query);
  checkAffine(query, input);
  if (!isSharded(layout)) return { outputs: [placeOutput(query, { whenNull: layout })] };
  checkShards(query, input);
  const output = placeOutput(query, { whenNull: layout, withoutSpec: () => layout });
  if (volume(output.layout.shardShape) < volume(layout.shardShape)) {
    refuseLayout(query, "norm/output-shard", "the result's shards are smaller than the input's");
  }
  const computeConfig = query.config?.kind === "norm" ? query.config.computeConfig : undefined;
  const programConfig = normConfigOf(query) ??
    shardedNormConfig(input, accumulatesInF32(launchOf(query, [output]), query.chip));
  return {
    outputs: [output],
    config: { kind: "norm", programConfig, ...(computeConfig === undefined ? {} : { computeConfig }) },
  };
}

/**
 * Weight and bias must be interleaved, in the same pages, and as wide as the input; in rows, they are cut into rows of
 * a tile's width (`ttnn:backend-0-81-1`).
 */
function checkAffine(query: ConstraintQuery, input: Tensor): void {
  const width = input.shape.at(-1) ?? 1;
  const given = [1, 2].map((group) => operandIn(query, group));
  for (const [index, { shape, layout }] of given.filter((operand) => operand !== undefined)) {
    const last = shape.at(-1) ?? 1;
    const isWide = layout.tile !== undefined
      ? last === width
      : last === DEFAULT_TILE.width && volume(shape) / last === Math.ceil(width / last);
    if (!isWide) {
      const fault = `weight or bias of ${shape.join("x")} does not match width ${width}`;
      refuseConfig(query, "norm/affine-width", fault);
    }
    demand(query, index, "interleaved", "norm/affine-sharded");
  }
  const [weight, bias] = given.map((operand) => operand?.[1]);
  if (weight !== undefined && bias !== undefined && pagesOf(weight.layout) !== pagesOf(bias.layout)) {
    refuseConfig(query, "norm/affine-pages", "weight and bias must both be tiled or both row-major");
  }
}

/** Requirements of a sharded input on its shards, the residual and the result. */
function checkShards(query: ConstraintQuery, { shape, layout }: Tensor): void {
  const say = (rule: string, fault: string) => refuseOperand(query, 0, `norm/${rule}`, fault);
  if (layout.bufferType !== "l1" || layout.memoryLayout === "height_sharded") {
    say("height-sharded", "must be width or block sharded in L1, or interleaved");
  }
  const extents = physicalUnits(shape, layout.tile);
  const shards = volume(extents.map((extent, axis) => Math.ceil(extent / (layout.shardShape[axis] ?? 1))));
  if (shards !== coreCount(layout.coreRanges)) {
    say("idle-cores", `fills ${shards} of its ${coreCount(layout.coreRanges)} cores`);
  }
  const { hint = layout } = query;
  if (hint.bufferType !== layout.bufferType || hint.memoryLayout !== layout.memoryLayout) {
    say("other-sharding", "needs a result with the same sharding");
  }
  const residual = operandIn(query, 3)?.[1].layout;
  if (
    residual !== undefined &&
    (residual.bufferType !== layout.bufferType || !sameExtents(residual.shardShape, layout.shardShape) ||
      !sameShardGrid(residual, layout))
  ) say("residual", "needs a residual in the same shards");
  const config = normConfigOf(query);
  const [height = 0, width = 0] = layout.shardShape;
  if (config === undefined) return;
  const { blockH, blockW, subblockW } = config;
  if (subblockW <= 0 || blockW % subblockW !== 0) {
    say("subblock", `needs a subblock_w that divides block_w ${blockW}`);
  }
  if (blockH !== height || blockW !== width) {
    say("block", `needs its shard ${height}x${width} as block, not ${blockH}x${blockW}`);
  }
}

/**
 * Program config of a sharded norm: block = shard, grid = bounding box of its cores, subblock = widest
 * divisor that the destination register holds (`ttnn:backend-0-81-1`).
 */
function shardedNormConfig({ layout }: Tensor, wide: boolean): NormProgramConfig {
  const [blockH = 1, blockW = 1] = layout.shardShape;
  const { end } = boundingBox(layout.coreRanges) ?? { end: { x: 0, y: 0 } };
  return {
    computeWithStorageGridSize: [end.x + 1, end.y + 1],
    subblockW: largestDivisor(blockW, normBlockTiles(wide)),
    blockH,
    blockW,
    inplace: false,
  };
}

/**
 * Rule of norms without recorded backend answers (`group_norm`, `*_pre_all_gather`, `*_post_all_gather`):
 * tiled input, interleaved or sharded as given.
 */
const UNRECORDED_NORM = defineRule({
  evaluate: (query) => {
    checkTiledFloat(query, "tt-metal:layernorm distributed");
    checkHalf(query);
    return { outputs: [placeOutput(query, { whenNull: operandAt(query, 0).layout })] };
  },
});

/**
 * Halves of norms over chips read shards only as a program config says, never height shards, and write
 * statistics interleaved (`ttnn:backend-0-81-1`).
 */
function checkHalf(query: ConstraintQuery): void {
  const half = definitionOf(query.op.name).norm?.half;
  if (half === undefined) return;
  if (half === "statistics" && wantsShards(query)) {
    refuseLayout(query, "norm/statistics", "the statistics must be interleaved");
  }
  const { layout } = operandAt(query, 0);
  const isConfigured = layout.memoryLayout !== "height_sharded" && normConfigOf(query) !== undefined;
  if (isSharded(layout) && !isConfigured) {
    refuseOperand(query, 0, "norm/half-shards", "must be interleaved without a config for its shards");
  }
}

function normConfigOf(query: ConstraintQuery): NormProgramConfig | undefined {
  return query.config?.kind === "norm" ? query.config.programConfig : undefined;
}

export const NORMALIZATION_RULES: RulesOf<
  "rms_norm" | "layer_norm" | "unrecorded_norm" | "unrecorded_rms_norm"
> = {
  rms_norm: normRule("rms_norm"),
  layer_norm: normRule("layer_norm"),
  unrecorded_norm: UNRECORDED_NORM,
  unrecorded_rms_norm: UNRECORDED_NORM,
};

function evaluateSoftmax(query: ConstraintQuery): Verdict {
  const { shape, layout } = operandAt(query, 0);
  checkTiledFloat(query);
  const rank = shape.length;
  const { dimension } = readAttributes(query.op, SOFTMAX);
  if (dimension >= rank || dimension < -rank) {
    refuseConfig(query, "softmax/dimension", `dimension ${dimension} of ${rank}`);
  }
  // Only the kernel of the last dimension takes f32 into 16 bits (`ttnn:backend-0-81-1`).
  if (
    layout.dataType === "f32" && normalDim(dimension, rank) !== rank - 1 &&
    query.config?.computeConfig?.fp32DestAccEn === false
  ) {
    refuseConfig(query, "softmax/accumulation", "f32 along this dimension is accumulated in f32");
  }
  const output = placeOutput(query, { whenNull: layout });
  const width = shape.at(-1) ?? 1;
  if (isSharded(output.layout) && width % 32 !== 0 && output.layout.shardShape[1] !== Math.ceil(width / 32)) {
    const fault = `a width of ${width} needs an interleaved result or shards that are as wide`;
    refuseLayout(query, "softmax/shard-width", fault);
  }
  return { outputs: [output] };
}

export const SOFTMAX_RULES: RulesOf<"softmax"> = {
  softmax: defineRule({ evaluate: evaluateSoftmax }),
};

/** Refuses an input that is no tiled tensor of a float format. */
function checkTiledFloat(query: ConstraintQuery, source?: string): void {
  const { dataType } = operandAt(query, 0).layout;
  demand(query, 0, "tiled", "norm/tile", source);
  if (dataType !== "f32" && dataType !== "bf16" && !isBlockFloat(dataType)) {
    refuseOperand(query, 0, "norm/format", "must be f32, bf16 or block float", source);
  }
}
