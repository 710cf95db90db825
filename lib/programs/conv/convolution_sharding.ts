// SPDX-License-Identifier: Apache-2.0
import { rowElementBytes, tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import {
  channelAlignment,
  convolutionBlocks,
  type ConvolutionWork,
  isDepthwiseLine,
  resultConfig,
  stickType,
  type WeightsExtent,
} from "./convolution_blocks.ts";
import { convolutionBuffers, INDEX_BYTES_PER_TILE } from "./convolution_buffers.ts";
import { type ConvolutionRefusal, isRefused } from "../sliding_window/refused.ts";
import {
  coresOfConfig,
  type ParallelConfig,
  type ShardKind,
  spreadOverCores,
} from "../sliding_window/parallel_config.ts";
import { circularBufferBytes } from "../circular_buffer_sums.ts";
import {
  coreBounds,
  haloSticks,
  inputPixels,
  type MovedWindow,
  outputPixels,
  paddedImage,
} from "../sliding_window/sliding_window.ts";

/** Cores that the backend assigns to a convolution of a sharding kind. */
export function convolutionConfig(
  { window, config, chip }: ConvolutionWork,
  kind: ShardKind,
  alignment: number,
  isMatmul: boolean,
): ParallelConfig {
  return spreadOverCores(kind, {
    pixels: outputPixels(window),
    inChannels: window.inChannels,
    outChannels: window.outChannels,
    channelAlignment: alignment,
    padsChannels: !isMatmul,
    rowUnit: 32,
    columnUnit: 32,
    rowMultiple: Math.max(1, Math.floor((config.actBlockHOverride ?? 0) / 32)),
  }, chip);
}

/** Shard `[rows, columns]` in elements of an activation on these cores. */
export function activationShard(
  window: SlidingWindow,
  { kind, rows, columns }: ParallelConfig,
  tiled: boolean,
  alignment: number,
): readonly [number, number] {
  const rowUnit = kind === "width_sharded" && !tiled ? 1 : 32;
  return [
    roundUp(inputPixels(window), rows * rowUnit) / rows,
    roundUp(window.inChannels, columns * alignment) / columns,
  ];
}

/**
 * The sharding that the backend chooses for an interleaved operand: height; block (over at least a row of
 * cores) if it takes less L1; width if that takes still less (tt-metal:conv2d,
 * `determine_conv_config_for_auto_shard`).
 *
 * @param tiled pages of the operand
 * @param gathered the window whose halo is estimated, if not the convolution's
 */
export function automaticKind(
  given: ConvolutionWork,
  isMatmul: boolean,
  tiled: boolean,
  gathered?: SlidingWindow,
): ShardKind | ConvolutionRefusal {
  const work = given.transposed ? asStrideOne(given) : given;
  const expected = (kind: ShardKind) =>
    expectedL1(work, kind, { isMatmul, tiled, gathered: gathered ?? work.window });
  const height = expected("height_sharded");
  if (isRefused(height) || isDepthwiseLine(work)) return isRefused(height) ? height : "height_sharded";
  const block = expected("block_sharded");
  if (isRefused(block)) return block;
  const width = expected("width_sharded");
  if (isRefused(width)) return width;
  const takesBlocks = block.bytes < height.bytes && block.cores >= work.chip.workerGrid.columns;
  const least = takesBlocks ? block : height;
  if (!isMatmul && width.bytes < least.bytes) return "width_sharded";
  return takesBlocks ? "block_sharded" : "height_sharded";
}

/** A transposed convolution is estimated as a stride-1 convolution of its spread image. */
function asStrideOne(work: ConvolutionWork): ConvolutionWork {
  const { window, transposed } = work;
  const [inputHeight, inputWidth] = paddedImage({ window, transposed });
  return {
    ...work,
    transposed: false,
    window: {
      ...window,
      inputHeight,
      inputWidth,
      strideHeight: 1,
      strideWidth: 1,
      padHeight: 0,
      padWidth: 0,
      padding: { top: 0, left: 0, bottom: 0, right: 0 },
    },
  };
}

/** The backend's estimate of L1 per core for a sharding (buffers, result, halo), and its cores. */
function expectedL1(
  work: ConvolutionWork,
  kind: ShardKind,
  { isMatmul, tiled, gathered }: {
    readonly isMatmul: boolean;
    readonly tiled: boolean;
    readonly gathered: SlidingWindow;
  },
): { readonly bytes: number; readonly cores: number } | ConvolutionRefusal {
  const { inChannels, outChannels, kernelHeight, kernelWidth } = work.window;
  const alignment = channelAlignment({ kind, tiled, isMatmul });
  const input = convolutionConfig(work, kind, alignment, isMatmul);
  const kernel = kernelL1(work, input, roundUp(inChannels, input.columns * alignment), [
    roundUp(inChannels, alignment) * kernelHeight * kernelWidth,
    roundUp(outChannels, 32),
  ]);
  if (isRefused(kernel)) return kernel;
  const [, width] = activationShard(work.window, input, tiled, alignment);
  const sticks = expectedSticks({ ...work, window: gathered }, input);
  return {
    bytes: kernel.bytes + sticks * width * rowElementBytes(stickType(work.inputType)),
    cores: Math.max(coresOfConfig(input), coresOfConfig(resultConfig(work, input))),
  };
}

/**
 * The backend's estimate of the bytes per core of the kernel's buffers and result.
 *
 * @param channels padded input channels
 */
export function kernelL1(
  work: ConvolutionWork,
  input: ParallelConfig,
  channels: number,
  weights: WeightsExtent,
): { readonly bytes: number } | ConvolutionRefusal {
  const output = resultConfig(work, input);
  const blocks = convolutionBlocks(work, input, output, channels);
  const indexBytes = work.config.configTensorsInDram === true
    ? blocks.outHeight * INDEX_BYTES_PER_TILE
    : undefined;
  const buffers = convolutionBuffers(work, { input, blocks, weights, isAlone: false, indexBytes });
  if (isRefused(buffers)) return buffers;
  const result = blocks.outHeight * blocks.outWidth * tileBytes(work.outType);
  return { bytes: circularBufferBytes({ circularBuffers: buffers }) + result };
}

/** Sticks of the halo on the core with the most. */
export function expectedSticks({ window, transposed }: ConvolutionWork, input: ParallelConfig): number {
  const moved: MovedWindow = { window, transposed };
  return haloSticks(coreBounds(moved, input.rows, 32));
}
