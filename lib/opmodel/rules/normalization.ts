// SPDX-License-Identifier: Apache-2.0
import { sameShardGrid } from "../../layout/ttnn_layout.ts";
import { fillsBoundingBox } from "../input_filters.ts";
import type { ComputeKernelConfig, NormProgramConfig } from "../../op_config/op_config.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { accept, isRefusal, refuseConfig, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { isL1Sharded, operandAt } from "./program.ts";
import { largestDivisor } from "../../programs/matmul_blocking.ts";
import { normBlockTiles } from "../../programs/normalization.ts";
import { normComputeConfig, refuseUntiledFloat } from "./norm_operands.ts";

const NORM = "tt-metal:layernorm";

/** Rule of `rms_norm` and `layer_norm`: operand groups are input, weight, bias. */
function normRule(kind: "rms_norm" | "layer_norm"): OpRule {
  return defineRule({
    strategy: kind === "rms_norm"
      ? { hints: "default", inputs: ["interleaved_or_full_box", "any"], exploresReshards: true }
      : { hints: "default", inputs: ["any"], exploresReshards: true },
    evaluate: evaluateNorm,
  });
}

function evaluateNorm(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const format = refuseUntiledFloat(query, input, NORM);
  if (format !== undefined) return format;
  const affine = [1, 2].map((group) => operandOfGroup(query.op, group))
    .flatMap((index) => index === undefined ? [] : [query.operands[index]])
    .filter((operand) => operand !== undefined);
  const width = input.shape.at(-1) ?? 1;
  for (const operand of affine) {
    if ((operand.shape.at(-1) ?? 1) !== width && operand.layout.tile !== undefined) {
      return refuseConfig(
        query.op,
        "norm/affine-width",
        `weight or bias of ${operand.shape.join("x")} does not match width ${width}`,
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
      config: {
        kind: "norm",
        programConfig: normConfigOf(query) ?? shardedNormConfig(input, compute),
        ...(compute === undefined ? {} : { computeConfig: compute }),
      },
    }, context);
  }
  return accept({ outputs: [output] }, context);
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
    subblockW: largestDivisor(blockW, normBlockTiles(compute)),
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
  const say = (rule: string, message: string) => refuseLayout(query.op, `norm/${rule}`, `${message}`, NORM);
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
 * Rule of norms without a recorded answer of the backend (`group_norm`, `*_pre_all_gather`, `*_post_all_gather`): tiled
 * input, interleaved or sharded as it comes.
 */
function unrecordedNormRule(): OpRule {
  return defineRule({
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const format = refuseUntiledFloat(query, input, "tt-metal:layernorm distributed");
      if (format !== undefined) return format;
      const output = placeOutput(query, context, { whenNull: input.layout });
      if (isRefusal(output)) return output;
      return accept({ outputs: [output] }, context);
    },
  });
}

function normConfigOf(query: ConstraintQuery): NormProgramConfig | undefined {
  return query.config?.kind === "norm" ? query.config.programConfig : undefined;
}

/** The rules of norms. */
export const NORMALIZATION_RULES: RulesOf<
  "rms_norm" | "layer_norm" | "unrecorded_norm" | "unrecorded_rms_norm"
> = {
  rms_norm: normRule("rms_norm"),
  layer_norm: normRule("layer_norm"),
  unrecorded_norm: unrecordedNormRule(),
  unrecorded_rms_norm: unrecordedNormRule(),
};
