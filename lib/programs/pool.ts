// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { elementBytes, isBlockFloat } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import { spreadPages } from "./convolution.ts";
import { haloProgram } from "./halo.ts";
import { type DeviceProgram, inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { coresWithLittlePadding, haloBytes, readWindow, type SlidingWindow } from "./sliding_window.ts";
import { streamProgram, wherePlaced } from "./stream.ts";

/** How a pool is spread over cores: by height, the halo beside the shards. Per core. */
export interface PoolPlan {
  readonly window: SlidingWindow;
  readonly cores: number;
  /** Output pixels, whole tiles of them. */
  readonly pixels: number;
  /** Channels with their padding, and bytes of one stick. */
  readonly channels: number;
  readonly stickBytes: number;
  readonly inputShardBytes: number;
  readonly haloBytes: number;
}

/**
 * Spreads a pool over the cores that waste the least on padding.
 *
 * @param pixels output pixels of the whole op
 * @param tiled whether input or output are in tiles, so that channels are padded to 32 instead of 8
 */
export function planPool(
  window: SlidingWindow,
  input: ProgramTensor,
  pixels: number,
  tiled: boolean,
  chip: ChipDescription,
): PoolPlan {
  const rows = Math.max(1, Math.ceil(pixels / 32));
  const cores = coresWithLittlePadding(rows, workerCores(chip));
  const element = isBlockFloat(input.dataType) ? 2 : elementBytes(input.dataType);
  const channels = roundUp(window.inChannels, tiled ? 32 : 8);
  const pixelsPerCore = Math.ceil(rows / cores) * 32;
  const inputPixels = Math.ceil(window.batch * window.inputHeight * window.inputWidth / cores);
  return {
    window,
    cores,
    pixels: pixelsPerCore,
    channels,
    stickBytes: channels * element,
    inputShardBytes: inputPixels * channels * element,
    haloBytes: haloBytes(window, pixelsPerCore, channels * element),
  };
}

/** `max_pool2d`, `avg_pool2d`: shards, halo, then reduction of windows; a pool without a window reduces the image. */
export function poolPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (!op.attributes.has("kernel_size")) return globalPoolPrograms(input, output, chip);
  const window = readWindow(op.attributes, false);
  if (window === undefined) {
    return unknownPrograms(op.name, "batch, image, channels or kernel are missing or do not fit");
  }
  const pixels = output.shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
  const plan = planPool(window, input, pixels, input.tiled || output.tiled, chip);
  const windowPixels = window.kernelHeight * window.kernelWidth;
  const channelTiles = Math.max(1, Math.ceil(window.inChannels / 32));
  const programs: DeviceProgram[] = [];
  if (input.placement !== "l1_sharded") programs.push(spreadPages(input, "read", plan.cores, 1, chip));
  programs.push(
    haloProgram({
      window,
      input,
      rowCores: plan.cores,
      cores: plan.cores,
      stickBytes: plan.stickBytes,
      outputSticks: plan.haloBytes / plan.stickBytes,
      channelTiles,
    }),
    {
      kind: "pool",
      cores: plan.cores,
      circularBuffers: [],
      reads: [{ tensor: input, bytes: input.bytes, local: true }],
      writes: [{ tensor: output, bytes: output.bytes, local: true }],
      flops: pixels * windowPixels * channelTiles * 32,
      launches: 1,
      pixels: Math.min(plan.pixels, Math.ceil(pixels / plan.cores)),
      windowPixels,
      channelTiles,
    },
  );
  if (output.placement !== "l1_sharded") programs.push(spreadPages(output, "write", plan.cores, 1, chip));
  return inOrder(...programs);
}

/** `global_avg_pool2d`: a sum over the image, tile by tile of the result, and a scale. */
function globalPoolPrograms(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): OpPrograms {
  const perResult = input.tiles / Math.max(1, output.tiles);
  return inOrder(streamProgram({
    units: output.tiles,
    reads: [wherePlaced(input)],
    writes: [wherePlaced(output)],
    compute: [{ operation: "reduce", count: perResult }],
    readBarriers: perResult,
    flops: input.tiles * 1024,
    circularBuffers: [{ name: "tiles", bytes: 6 * 2048 }],
  }, chip));
}
