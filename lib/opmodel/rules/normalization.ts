// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../layout/data_type.ts";
import { fillsBoundingBox } from "../input_filters.ts";
import type { ComputeKernelConfig, NormProgramConfig } from "../../op_config/op_config.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { type Tensor, tileCounts, tileSize } from "../tensor.ts";
import { accept, isRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { isL1Sharded, missingOperand, sameShardGrid } from "./program.ts";
import { largestDivisor } from "../../programs/matmul_blocking.ts";
import { BLOCK_TILES, normComputeConfig, tiledFloat } from "./norm_operands.ts";

const NORM = "tt-metal:layernorm";

/** Rule of `rms_norm` and `layer_norm`: operand groups are input, weight, bias. */
export function normRule(kind: "rms_norm" | "layer_norm"): OpRule {
  return defineRule({
    strategy: kind === "rms_norm"
      ? { hints: "default", inputs: ["interleaved_or_full_box", "any"], exploresReshards: true }
      : { hints: "default", inputs: ["any"], exploresReshards: true },
    evaluate: (query, context) => evaluateNorm(query, context, kind),
  });
}

function evaluateNorm(
  query: ConstraintQuery,
  context: RuleContext,
  kind: "rms_norm" | "layer_norm",
): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const format = tiledFloat(query, 0, input, NORM);
  if (format !== undefined) return format;
  const affine = [1, 2].map((group) => operandOfGroup(query.op, group))
    .flatMap((index) => index === undefined ? [] : [query.operands[index]])
    .filter((operand) => operand !== undefined);
  const width = input.shape.at(-1) ?? 1;
  for (const operand of affine) {
    if ((operand.shape.at(-1) ?? 1) !== width && operand.layout.tile !== undefined) {
      return refuse(
        "unsupported_config",
        "norm/affine-width",
        `${query.op.name}: weight or bias of ${operand.shape.join("x")} does not match width ${width}`,
        NORM,
      );
    }
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  const sharded = isL1Sharded(input) || isL1Sharded(output);
  if (sharded) {
    const fault = shardedNormFault(query, input, output);
    if (fault !== undefined) return fault;
    const compute = normComputeConfig(query);
    return accept({
      outputs: [output],
      cbBytes: shardedNormBytes(input, output, affine, kind),
      config: {
        kind: "norm",
        programConfig: normConfigOf(query) ?? shardedNormConfig(input, compute),
        ...(compute === undefined ? {} : { computeConfig: compute }),
      },
    }, context);
  }
  return accept({
    outputs: [output],
    cbBytes: interleavedNormBytes(query, context, input, output, affine, kind),
  }, context);
}

/**
 * Circular buffers of the interleaved kernel: the whole row of tiles, squares, two blocks out, scaler and statistics,
 * the rows of weight and bias (tt-metal:layernorm; the block rule depends on the backend revision).
 */
function interleavedNormBytes(
  query: ConstraintQuery,
  context: RuleContext,
  input: Tensor,
  output: Tensor,
  affine: readonly Tensor[],
  kind: "rms_norm" | "layer_norm",
): number {
  const fp32 = normComputeConfig(query)?.fp32DestAccEn === true;
  const most = fp32 ? BLOCK_TILES / 2 : BLOCK_TILES;
  const columns = tileCounts(input.shape).columns;
  const fixed = context.ruleSet.normBlock === "fixed";
  const block = fixed ? most : largestDivisor(columns, most);
  const row = fixed ? Math.ceil(columns / block) * block : columns;
  const tileIn = tileSize(input.layout);
  const tileOut = tileSize(output.layout);
  const interm = fp32 ? tileBytes("f32") : tileBytes("bf16");
  const affineTile = affine.reduce((largest, operand) => Math.max(largest, tileSize(operand.layout)), 0);
  const bytesOf = (width: number) =>
    width * tileIn + 2 * block * tileOut + width * interm + 8 * interm + 6 * tileBytes("bf16") +
    affine.length * width * affineTile + (affine.length > 0 ? 2 * block * interm : 0) +
    (kind === "layer_norm" ? (width + 2) * interm : 0);
  const whole = bytesOf(row);
  const freeL1 = context.chip.l1Size - context.chip.l1UnreservedBase;
  if (!fixed || whole < 0.95 * freeL1) return whole;
  return bytesOf(affine.length > 0 || input.layout.dataType === "f32" ? 56 : 112);
}

/**
 * Program config that tt-mlir derives for a sharded norm: the block is the shard, the grid the bounding box of its
 * cores, the subblock the widest divisor that the destination register holds (tt-metal:layernorm).
 */
function shardedNormConfig(input: Tensor, compute: ComputeKernelConfig | undefined): NormProgramConfig {
  const [blockH = 1, blockW = 1] = input.layout.shardShape;
  let columns = 1;
  let rows = 1;
  for (const { end } of input.layout.coreRanges) {
    columns = Math.max(columns, end.x + 1);
    rows = Math.max(rows, end.y + 1);
  }
  return {
    computeWithStorageGridSize: [columns, rows],
    subblockW: largestDivisor(blockW, compute?.fp32DestAccEn === true ? BLOCK_TILES / 2 : BLOCK_TILES),
    blockH,
    blockW,
    inplace: false,
  };
}

function shardedNormFault(
  query: ConstraintQuery,
  input: Tensor,
  output: Tensor,
): InvalidConstraints | undefined {
  const say = (rule: string, message: string) =>
    refuse("unsupported_layout", `norm/${rule}`, `${query.op.name}: ${message}`, NORM);
  if (!isL1Sharded(input)) return say("sharded-output", "a sharded output needs a sharded input");
  if (!isL1Sharded(output)) return say("interleaved-output", "a sharded input needs a sharded output");
  if (input.layout.memoryLayout === "height_sharded") {
    return say("height-sharded", "height sharding is not supported");
  }
  if (!sameShardGrid(input.layout, output.layout)) {
    return say("grid", "input and output must share grid and sharding");
  }
  if (!fillsBoundingBox(input.layout)) return say("full-box", "shards must fill a whole rectangle of cores");
  const config = normConfigOf(query);
  if (config !== undefined) {
    const [blockH = 0, blockW = 0] = input.layout.shardShape;
    if (config.subblockW <= 0 || config.blockW % config.subblockW !== 0) {
      return say("subblock", "block_w must be a multiple of subblock_w");
    }
    if (config.blockH !== blockH || config.blockW !== blockW) {
      return say("block", `block ${config.blockH}x${config.blockW} must be the shard ${blockH}x${blockW}`);
    }
  }
  return undefined;
}

/**
 * Circular buffers of the sharded kernel: input and output alias their shards; squares, differences and partial sums
 * of one shard, and the columns of weight and bias stay (structure of tt-metal's sharded layernorm; not recorded).
 */
function shardedNormBytes(
  input: Tensor,
  output: Tensor,
  affine: readonly Tensor[],
  kind: "rms_norm" | "layer_norm",
): number {
  const [blockH = 1, blockW = 1] = input.layout.shardShape;
  const interm = tileBytes("bf16");
  const affineBytes = affine.reduce((sum, operand) => sum + blockW * tileSize(operand.layout), 0);
  const staged = affine.length > 0 ? blockH * blockW * tileSize(output.layout) : 0;
  return blockH * blockW * interm * (kind === "layer_norm" ? 2 : 1) + (4 * blockH + 4) * interm +
    affineBytes + staged;
}

/**
 * Rule of norms whose circular buffers are not on record (`group_norm`, `*_pre_all_gather`, `*_post_all_gather`):
 * tiled input, interleaved or sharded as it comes; the estimate keeps three rows of tiles.
 */
export function unrecordedNormRule(): OpRule {
  return defineRule({
    evaluate: (query, context) => {
      const input = query.operands[0];
      if (input === undefined) return missingOperand(query.op, 0);
      const format = tiledFloat(query, 0, input, "tt-metal:layernorm distributed");
      if (format !== undefined) return format;
      const output = placeOutput(query, context, { whenNull: input.layout });
      if (isRefusal(output)) return output;
      const { columns } = tileCounts(input.shape);
      return accept({
        outputs: [output],
        cbBytes: (3 * Math.min(columns, 56) + 16) * tileSize(input.layout),
      }, context);
    },
  });
}

function normConfigOf(query: ConstraintQuery): NormProgramConfig | undefined {
  return query.config?.kind === "norm" ? query.config.programConfig : undefined;
}
