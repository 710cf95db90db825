// SPDX-License-Identifier: Apache-2.0
import { rowElementBytes, tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { circularBufferBytes } from "../circular_buffer.ts";
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
import type { ConvolutionRequest } from "./convolution_plan.ts";
import {
  coresOfConfig,
  type ParallelConfig,
  type ShardKind,
  spreadOverCores,
} from "../sliding_window/parallel_config.ts";
import {
  type ConvolutionRefusal,
  coreBounds,
  haloSticks,
  inputPixels,
  isRefused,
  NO_PADDING,
  outputPixels,
  paddedImage,
} from "../sliding_window/sliding_window.ts";

/** Cores that the backend assigns to a convolution of a sharding kind. */
export function convolutionCores(
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
  { window, input }: Pick<ConvolutionRequest, "window" | "input">,
  { kind, rows, columns }: ParallelConfig,
  alignment: number,
): readonly [number, number] {
  const rowUnit = kind === "width_sharded" && !input.tiled ? 1 : 32;
  return [
    roundUp(inputPixels(window), rows * rowUnit) / rows,
    roundUp(window.inChannels, columns * alignment) / columns,
  ];
}

/**
 * The sharding that the backend chooses for an interleaved operand: height; block (over at least a row of cores) if it
 * takes less L1; width if that takes still less. A depthwise 1D convolution is always height sharded; one that runs as a
 * matmul is never width sharded (tt-metal:conv2d, `determine_conv_config_for_auto_shard`).
 *
 * @param isMatmul whether it is a 1x1 convolution that runs as a matmul
 * @param gathered the window whose halo is estimated, if not the convolution's
 */
export function automaticKind(
  given: ConvolutionRequest,
  isMatmul: boolean,
  gathered?: SlidingWindow,
): ShardKind | ConvolutionRefusal {
  const work = given.transposed ? asStrideOne(given) : given;
  const expected = (kind: ShardKind) => expectedL1(work, kind, isMatmul, gathered ?? work.window);
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
function asStrideOne(request: ConvolutionRequest): ConvolutionRequest {
  const { window, transposed } = request;
  const [inputHeight, inputWidth] = paddedImage({ window, transposed });
  const image = { inputHeight, inputWidth, strideHeight: 1, strideWidth: 1, ...NO_PADDING };
  return { ...request, transposed: false, window: { ...window, ...image } };
}

/** The backend's estimate of L1 per core for a sharding (buffers, result, halo), and its cores. */
function expectedL1(
  work: ConvolutionRequest,
  kind: ShardKind,
  isMatmul: boolean,
  gathered: SlidingWindow,
): { readonly bytes: number; readonly cores: number } | ConvolutionRefusal {
  const { inChannels, outChannels, kernelHeight, kernelWidth } = work.window;
  const alignment = channelAlignment(kind, work.input.tiled || isMatmul);
  const input = convolutionCores(work, kind, alignment, isMatmul);
  const kernel = kernelL1(work, input, roundUp(inChannels, input.columns * alignment), [
    roundUp(inChannels, alignment) * kernelHeight * kernelWidth,
    roundUp(outChannels, 32),
  ]);
  if (isRefused(kernel)) return kernel;
  const [, width] = activationShard(work, input, alignment);
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
  return haloSticks(coreBounds({ window, transposed }, input.rows, 32));
}
