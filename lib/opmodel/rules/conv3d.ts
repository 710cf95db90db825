// SPDX-License-Identifier: Apache-2.0
import { CONV3D } from "../../ops/attributes/window.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import { CONV_3D_COMPUTE } from "../../op_config/default_compute_config.ts";
import { subblockRegisterTiles } from "../../programs/matmul/matmul_blocking.ts";
import { conv3dBlocks } from "../../programs/conv/convolution_3d.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { acceptOne, describeTensor, refuseConfig, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { wantsShards } from "./program.ts";

const SOURCE = "tt-metal:conv3d";

function evaluateConv3d(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const say = (rule: string, message: string) =>
    refuseConfig(query.op, `conv3d/${rule}`, `${message}`, SOURCE);
  for (const [index, operand] of query.operands.entries()) {
    if (operand !== undefined && isSharded(operand.layout)) {
      return refuseLayout(
        query.op,
        "conv3d/sharded",
        `${describeTensor(index, operand)} must be interleaved`,
        SOURCE,
      );
    }
  }
  if (wantsShards(query)) {
    return refuseLayout(query.op, "conv3d/sharded-output", "the output must be interleaved", SOURCE);
  }
  const blocks = conv3dBlocks(query.config);
  const { in_channels: inChannels, out_channels: outChannels, groups } = readAttributes(query.op, CONV3D);
  if (Object.values(blocks).some((block) => typeof block === "number" && block <= 0)) {
    return say("blocks", "blocks must be positive");
  }
  const paddedOut = roundUp(outChannels, 32);
  if (blocks.cInBlock % 16 !== 0 || inChannels % blocks.cInBlock !== 0) {
    return say(
      "c-in-block",
      `c_in_block ${blocks.cInBlock} must be a multiple of 16 that divides ${inChannels}`,
    );
  }
  if (blocks.cOutBlock % 32 !== 0 || paddedOut % blocks.cOutBlock !== 0) {
    return say(
      "c-out-block",
      `c_out_block ${blocks.cOutBlock} must be a multiple of 32 that divides ${paddedOut}`,
    );
  }
  for (const [what, channels] of [["input", inChannels], ["output", outChannels]] as const) {
    if (channels % groups !== 0) {
      return say("groups", `${channels} ${what} channels have no ${groups} groups`);
    }
  }
  const chip = context.chip.workerGrid;
  const config = query.config?.kind === "conv3d" ? query.config.conv3dConfig : undefined;
  const [columns, rows] = config?.computeWithStorageGridSize ?? [chip.columns, chip.rows];
  if (rows > chip.rows || columns > chip.columns) {
    return say("grid", `${rows}x${columns} cores exceed the ${chip.rows}x${chip.columns} of the chip`);
  }
  const parts = inChannels / blocks.cInBlock;
  if (parts > rows * columns) {
    return say("c-in-blocks", `${parts} blocks of input channels need as many cores`);
  }
  const compute = { ...CONV_3D_COMPUTE, ...query.config?.computeConfig };
  const columnTiles = blocks.cOutBlock / 32;
  const registerTiles = subblockRegisterTiles(compute);
  if (columnTiles > registerTiles && columnTiles % registerTiles !== 0) {
    return say("subblock", `${columnTiles} tiles of output channels are no multiple of ${registerTiles}`);
  }
  const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page: "row_major" });
  return acceptOne(output, context);
}

export const CONV3D_RULES: RulesOf<"conv3d"> = {
  /** Rule of `conv3d`: interleaved row-major activation, tiled prepared weight, row-major result. */
  conv3d: defineRule({ strategy: { hints: "conv3d" }, evaluate: evaluateConv3d }),
};
