// SPDX-License-Identifier: Apache-2.0
import type { Conv2dConfig, Conv2dSliceConfig, OpSpecificAttributes } from "../../op_config/op_config.ts";
import { isTransposedWindow } from "../../ops/op_windows.ts";
import { inDram, isInterleaved } from "../../programs/program_tensor.ts";
import type { ConstraintQuery } from "../rule.ts";
import { asProgramTensor } from "../tensor.ts";

/** Upper bounds of the height of an activation block, in rows; 0: no bound but the rows of a core. */
const HEIGHTS = [0, 1024, 512, 256, 128, 64, 32] as const;
/** Divisors of the activation block's width that are tried in a width-sharded convolution. */
const WIDTH_PARTS = [1, 2, 4, 8] as const;
/** Double both buffers or neither: one alone takes L1 without being faster. */
const BUFFERS = [true, false] as const;
/** The backend chooses the number of slices, along either axis. */
const SLICES: readonly Conv2dSliceConfig[] = [
  { sliceType: "dram_height", numSlices: 0 },
  { sliceType: "dram_width", numSlices: 0 },
];

/**
 * Alternative configs of a convolution on the same cores: (1) activation blocks and double buffering, which share L1;
 * (2) the slicing axis, if operand and result are in DRAM. Some may be illegal. None for a transposed convolution: its
 * weights were prepared for one slicing of an operand in DRAM, which larger buffers would change
 * (`ttnn:backend-0-81-1`, U-Net).
 *
 * @param query its config is the one that runs
 * @returns two lists: configs that vary blocks and buffers, configs that vary slicing
 */
export function freeConvolutionConfigs(
  query: ConstraintQuery,
): readonly (readonly OpSpecificAttributes[])[] {
  if (isTransposedWindow(query.op.name)) return [];
  const used = query.config?.kind === "conv2d" ? query.config : { kind: "conv2d" } as const;
  const config = used.conv2dConfig ?? {};
  const parts = config.shardLayout === "width_sharded" ? WIDTH_PARTS : [config.actBlockWDiv];
  const [input] = query.operands;
  const streams = query.writesSliceConfig && used.sliceConfig?.sliceType !== "l1_full" &&
    query.hint?.bufferType === "dram" && input !== undefined && isInDramPages(input);
  return [
    BUFFERS.flatMap((isDouble) =>
      parts.flatMap((part) => HEIGHTS.map((height) => withBlocks(config, height, part, isDouble)))
    ).map((conv2dConfig) => ({ ...used, conv2dConfig })),
    streams ? SLICES.map((sliceConfig) => ({ ...used, sliceConfig })) : [],
  ];
}

function isInDramPages(tensor: Parameters<typeof asProgramTensor>[0]): boolean {
  const view = asProgramTensor(tensor);
  return isInterleaved(view) && inDram(view);
}

/** A config with these blocks and buffers; double buffering stays unset if it is off and the base does not set it. */
function withBlocks(
  base: Conv2dConfig,
  actBlockHOverride: number,
  actBlockWDiv: number | undefined,
  isDouble: boolean,
): Conv2dConfig {
  const { enableActDoubleBuffer: acts, enableWeightsDoubleBuffer: weights } = base;
  const saysBuffers = isDouble || acts !== undefined || weights !== undefined;
  return {
    ...base,
    actBlockHOverride,
    ...(actBlockWDiv === undefined || (actBlockWDiv === 1 && base.actBlockWDiv === undefined)
      ? {}
      : { actBlockWDiv }),
    ...(saysBuffers ? { enableActDoubleBuffer: isDouble, enableWeightsDoubleBuffer: isDouble } : {}),
  };
}
