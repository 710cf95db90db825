// SPDX-License-Identifier: Apache-2.0
import { CONV3D } from "../../ops/attributes/window.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { CONV_3D_COMPUTE } from "../../op_config/default_compute_config.ts";
import { subblockRegisterTiles } from "../../programs/matmul/matmul_blocking.ts";
import { conv3dBlocks } from "../../programs/conv/convolution_3d.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { refuseConfig, refuseLayout, type Verdict } from "../verdict.ts";
import { demandOfAll, wantsShards } from "./program.ts";

const SOURCE = "tt-metal:conv3d";

function evaluateConv3d(query: ConstraintQuery): Verdict {
  const say = (rule: string, message: string) => refuseConfig(query, `conv3d/${rule}`, message, SOURCE);
  demandOfAll(query, "interleaved", "conv3d/sharded", SOURCE);
  if (wantsShards(query)) {
    refuseLayout(query, "conv3d/sharded-output", "the output must be interleaved", SOURCE);
  }
  const blocks = conv3dBlocks(query.config);
  const { cInBlock, cOutBlock } = blocks;
  const { in_channels: inChannels, out_channels: outChannels, groups } = readAttributes(query.op, CONV3D);
  if (Object.values(blocks).some((block) => typeof block === "number" && block <= 0)) {
    say("blocks", "blocks must be positive");
  }
  const paddedOut = roundUp(outChannels, 32);
  if (cInBlock % 16 !== 0 || inChannels % cInBlock !== 0) {
    say("c-in-block", `c_in_block ${cInBlock} must be a multiple of 16 that divides ${inChannels}`);
  }
  if (cOutBlock % 32 !== 0 || paddedOut % cOutBlock !== 0) {
    say("c-out-block", `c_out_block ${cOutBlock} must be a multiple of 32 that divides ${paddedOut}`);
  }
  for (const [what, channels] of [["input", inChannels], ["output", outChannels]] as const) {
    if (channels % groups !== 0) say("groups", `${channels} ${what} channels have no ${groups} groups`);
  }
  const { workerGrid } = query.chip;
  const config = query.config?.kind === "conv3d" ? query.config.conv3dConfig : undefined;
  const [columns, rows] = config?.computeWithStorageGridSize ?? [workerGrid.columns, workerGrid.rows];
  if (rows > workerGrid.rows || columns > workerGrid.columns) {
    const most = `${workerGrid.rows}x${workerGrid.columns}`;
    say("grid", `${rows}x${columns} cores exceed the ${most} of the chip`);
  }
  const parts = inChannels / cInBlock;
  if (parts > rows * columns) say("c-in-blocks", `${parts} blocks of input channels need as many cores`);
  const columnTiles = cOutBlock / 32;
  const registerTiles = subblockRegisterTiles({ ...CONV_3D_COMPUTE, ...query.config?.computeConfig });
  if (columnTiles > registerTiles && columnTiles % registerTiles !== 0) {
    say("subblock", `${columnTiles} tiles of output channels are no multiple of ${registerTiles}`);
  }
  return { outputs: [placeOutput(query, { whenNull: DRAM_INTERLEAVED, page: "row_major" })] };
}

export const CONV3D_RULES: RulesOf<"conv3d"> = {
  /** Rule of `conv3d`: interleaved row-major activation, tiled prepared weight, row-major result. */
  conv3d: defineRule({ strategy: { hints: "conv3d" }, evaluate: evaluateConv3d }),
};
