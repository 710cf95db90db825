// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { SOFTMAX } from "../../ops/attributes/normalization.ts";
import { boundingBox, coreCount } from "../../layout/core_range.ts";
import { normalDim, sameExtents, volume } from "../../layout/extents.ts";
import { physicalUnits } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, pagesOf, sameShardGrid } from "../../layout/ttnn_layout.ts";
import type { NormProgramConfig } from "../../op_config/op_config.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import { largestDivisor } from "../../programs/matmul/matmul_blocking.ts";
import { normBlockTiles } from "../../programs/normalization/norm_buffers.ts";
import { accumulatesInF32 } from "../../programs/op_launch.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  defineRule,
  type InputFilter,
  type OpRule,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import type { Tensor } from "../tensor.ts";
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
import { launchOf, operandAt, wantsShards } from "./program.ts";

/** Rule of `rms_norm` and `layer_norm`: operand groups are input, weight, bias and residual. */
function normRule(kind: "rms_norm" | "layer_norm"): OpRule {
  const input: InputFilter = kind === "rms_norm" ? "interleaved_or_full_box" : "not_height_sharded";
  return defineRule({
    strategy: { inputs: [input, "any"] },
    evaluate: evaluateNorm,
  });
}

function evaluateNorm(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const fault = refuseUntiledFloat(query, input) ?? affineFault(query, input) ??
    (isSharded(input.layout) ? shardedInputFault(query, input) : undefined);
  if (fault !== undefined) return fault;
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    ...(isSharded(input.layout) ? { withoutSpec: () => input.layout } : {}),
  });
  if (isRefusal(output)) return output;
  if (!isSharded(input.layout)) return accept({ outputs: [output] }, context);
  if (volume(output.layout.shardShape) < volume(input.layout.shardShape)) {
    return refuseLayout(query.op, "norm/output-shard", "the result's shards are smaller than the input's");
  }
  const computeConfig = query.config?.kind === "norm" ? query.config.computeConfig : undefined;
  const programConfig = normConfigOf(query) ??
    shardedNormConfig(input, accumulatesInF32(launchOf(query, [output]), context.chip));
  return accept({
    outputs: [output],
    config: { kind: "norm", programConfig, ...(computeConfig === undefined ? {} : { computeConfig }) },
  }, context);
}

/**
 * Weight and bias must be interleaved, in the same pages, and as wide as the input; in rows, they are cut into rows of a
 * tile's width (`ttnn:backend-0-81-1`).
 */
function affineFault(query: ConstraintQuery, input: Tensor): InvalidConstraints | undefined {
  const width = input.shape.at(-1) ?? 1;
  const indices = [1, 2].map((group) => operandOfGroup(query.op, group));
  const [weight, bias] = indices.map((index) => index === undefined ? undefined : query.operands[index]);
  for (const [place, operand] of [weight, bias].entries()) {
    if (operand === undefined) continue;
    const { shape, layout } = operand;
    const last = shape.at(-1) ?? 1;
    const isWide = layout.tile !== undefined
      ? last === width
      : last === DEFAULT_TILE.width && volume(shape) / last === Math.ceil(width / last);
    if (!isWide) {
      return refuseConfig(
        query.op,
        "norm/affine-width",
        `weight or bias of ${shape.join("x")} does not match width ${width}`,
      );
    }
    if (isSharded(layout)) {
      return refuseOperand(
        query.op,
        "norm/affine-sharded",
        indices[place] ?? 0,
        operand,
        "must be interleaved",
      );
    }
  }
  return weight !== undefined && bias !== undefined && pagesOf(weight.layout) !== pagesOf(bias.layout)
    ? refuseConfig(query.op, "norm/affine-pages", "weight and bias must both be tiled or both row-major")
    : undefined;
}

/** Requirements of a sharded input on its shards, the residual and the result. */
function shardedInputFault(query: ConstraintQuery, input: Tensor): InvalidConstraints | undefined {
  const { layout } = input;
  const say = (rule: string, fault: string) => refuseOperand(query.op, `norm/${rule}`, 0, input, fault);
  if (layout.bufferType !== "l1" || layout.memoryLayout === "height_sharded") {
    return say("height-sharded", "must be width or block sharded in L1, or interleaved");
  }
  const extents = physicalUnits(input.shape, layout.tile);
  const shards = volume(extents.map((extent, axis) => Math.ceil(extent / (layout.shardShape[axis] ?? 1))));
  if (shards !== coreCount(layout.coreRanges)) {
    return say("idle-cores", `fills ${shards} of its ${coreCount(layout.coreRanges)} cores`);
  }
  const { hint = layout } = query;
  if (hint.bufferType !== layout.bufferType || hint.memoryLayout !== layout.memoryLayout) {
    return say("other-sharding", "needs a result with the same sharding");
  }
  const index = operandOfGroup(query.op, 3);
  const residual = index === undefined ? undefined : query.operands[index];
  if (residual !== undefined) {
    const { bufferType, shardShape } = residual.layout;
    if (
      bufferType !== layout.bufferType || !sameExtents(shardShape, layout.shardShape) ||
      !sameShardGrid(residual.layout, layout)
    ) return say("residual", "needs a residual in the same shards");
  }
  const config = normConfigOf(query);
  const [blockH = 0, blockW = 0] = layout.shardShape;
  if (config === undefined) return undefined;
  if (config.subblockW <= 0 || config.blockW % config.subblockW !== 0) {
    return say("subblock", `needs a subblock_w that divides block_w ${config.blockW}`);
  }
  return config.blockH === blockH && config.blockW === blockW
    ? undefined
    : say("block", `needs its shard ${blockH}x${blockW} as block, not ${config.blockH}x${config.blockW}`);
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
function unrecordedNormRule(): OpRule {
  return defineRule({
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const fault = refuseUntiledFloat(query, input, "tt-metal:layernorm distributed") ??
        halfFault(query, input);
      if (fault !== undefined) return fault;
      const output = placeOutput(query, context, { whenNull: input.layout });
      return acceptOne(output, context);
    },
  });
}

/**
 * Halves of norms over chips read shards only as a program config says, never height shards, and write
 * statistics interleaved (`ttnn:backend-0-81-1`).
 */
function halfFault(query: ConstraintQuery, input: Tensor): InvalidConstraints | undefined {
  const { op } = query;
  const half = definitionOf(op.name).norm?.half;
  if (half === undefined) return undefined;
  if (half === "statistics" && wantsShards(query)) {
    return refuseLayout(op, "norm/statistics", "the statistics must be interleaved");
  }
  const { memoryLayout } = input.layout;
  if (
    !isSharded(input.layout) || (memoryLayout !== "height_sharded" && normConfigOf(query) !== undefined)
  ) {
    return undefined;
  }
  return refuseOperand(
    op,
    "norm/half-shards",
    0,
    input,
    "must be interleaved without a config for its shards",
  );
}

function normConfigOf(query: ConstraintQuery): NormProgramConfig | undefined {
  return query.config?.kind === "norm" ? query.config.programConfig : undefined;
}

export const NORMALIZATION_RULES: RulesOf<
  "rms_norm" | "layer_norm" | "unrecorded_norm" | "unrecorded_rms_norm"
> = {
  rms_norm: normRule("rms_norm"),
  layer_norm: normRule("layer_norm"),
  unrecorded_norm: unrecordedNormRule(),
  unrecorded_rms_norm: unrecordedNormRule(),
};

function evaluateSoftmax(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const format = refuseUntiledFloat(query, input);
  if (format !== undefined) return format;
  const rank = input.shape.length;
  const { dimension } = readAttributes(query.op, SOFTMAX);
  if (dimension >= rank || dimension < -rank) {
    return refuseConfig(query.op, "softmax/dimension", `dimension ${dimension} of ${rank}`);
  }
  // Only the kernel of the last dimension takes f32 into 16 bits (`ttnn:backend-0-81-1`).
  if (
    input.layout.dataType === "f32" && normalDim(dimension, rank) !== rank - 1 &&
    query.config?.computeConfig?.fp32DestAccEn === false
  ) {
    return refuseConfig(query.op, "softmax/accumulation", "f32 along this dimension is accumulated in f32");
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  const width = input.shape.at(-1) ?? 1;
  if (isSharded(output.layout) && width % 32 !== 0 && output.layout.shardShape[1] !== Math.ceil(width / 32)) {
    const fault = `a width of ${width} needs an interleaved result or shards that are as wide`;
    return refuseLayout(query.op, "softmax/shard-width", fault);
  }
  return accept({ outputs: [output] }, context);
}

export const SOFTMAX_RULES: RulesOf<"softmax"> = {
  softmax: defineRule({ evaluate: evaluateSoftmax }),
};

/** Why the input is not a tiled tensor of a float format; `undefined` if it is one. */
export function refuseUntiledFloat(
  { op }: ConstraintQuery,
  input: Tensor,
  source?: string,
): InvalidConstraints | undefined {
  const { tile, dataType } = input.layout;
  const named = describeTensor(0, input);
  if (tile === undefined) return refuseLayout(op, "norm/tile", `${named} must be tiled`, source);
  if (dataType === "f32" || dataType === "bf16" || dataType.startsWith("bfp_")) return undefined;
  return refuseLayout(op, "norm/format", `${named} must be f32, bf16 or block float`, source);
}
