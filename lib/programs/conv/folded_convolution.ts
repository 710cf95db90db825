// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat, rowElementBytes, tileBytes } from "../../layout/data_type.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import type { ChipDescription } from "../../device/chip_description.ts";
import type { ConvolutionRequest, ShardedConvolution } from "./convolution_plan.ts";
import type { LinearConvolution } from "./convolution.ts";
import type { StreamProgram } from "../program.ts";
import { type ProgramTensor, rowMajorTensor } from "../program_tensor.ts";
import { streamProgram, wholeTensor } from "../stream.ts";

/**
 * A convolution with non-overlapping windows: windows are folded into channels, so that each becomes a pixel
 * of a matmul.
 */
export interface FoldedConvolution {
  readonly kind: "folded";
  /** Before folding. */
  readonly request: ConvolutionRequest;
  readonly then: LinearConvolution | ShardedConvolution;
}

/**
 * Whether the backend folds windows into channels: as configured; otherwise if the windows fill the image and
 * the operand is height sharded, or in DRAM and either row-major or not padded (`ttnn:backend-0-81-1`).
 */
export function folds({ window, transposed, config, input }: ConvolutionRequest): boolean {
  const { kernelHeight, kernelWidth, strideHeight, strideWidth, padHeight, padWidth } = window;
  const moves = strideHeight > 1 || strideWidth > 1;
  if (transposed || config.enableKernelStrideFolding === false || !moves) return false;
  const isTiling = strideHeight === kernelHeight && strideWidth === kernelWidth &&
    window.dilationHeight === 1 &&
    window.dilationWidth === 1;
  if (!isTiling || config.enableKernelStrideFolding === true) {
    return config.enableKernelStrideFolding === true;
  }
  const fills = (window.inputHeight + padHeight) % strideHeight === 0 &&
    (window.inputWidth + padWidth) % strideWidth === 0;
  if (!fills) return false;
  const readsDram = input.placement === "dram_interleaved" && (!input.tiled || padHeight + padWidth === 0);
  return readsDram || (input.placement === "l1_sharded" && input.memoryLayout === "height_sharded");
}

/** The 1x1 convolution of the folded image; `undefined` if folding of the operand is not modelled. */
export function foldedRequest(request: ConvolutionRequest): ConvolutionRequest | undefined {
  const { window, config, input } = request;
  const { kernelHeight, kernelWidth } = window;
  const tiles = window.strideHeight === kernelHeight && window.strideWidth === kernelWidth;
  if (input.placement !== "dram_interleaved" || !tiles || config.shardLayout === "width_sharded") {
    return undefined;
  }
  const folded: SlidingWindow = {
    ...window,
    inputHeight: (window.inputHeight + window.padHeight) / kernelHeight,
    inputWidth: (window.inputWidth + window.padWidth) / kernelWidth,
    inChannels: window.inChannels * kernelHeight * kernelWidth,
    kernelHeight: 1,
    kernelWidth: 1,
    strideHeight: 1,
    strideWidth: 1,
    padHeight: 0,
    padWidth: 0,
    padding: { top: 0, left: 0, bottom: 0, right: 0 },
  };
  const dataType = isBlockFloat(input.dataType) ? "bf16" : input.dataType;
  const pixels = folded.batch * folded.inputHeight * folded.inputWidth;
  return {
    ...request,
    window: folded,
    config: { ...config, enableKernelStrideFolding: false },
    inputType: dataType,
    input: rowMajorTensor([1, 1, pixels, folded.inChannels], dataType, "dram"),
    // Weights are prepared for the folded convolution as well.
    preparesForShards: true,
  };
}

/** Tile rows, and pixels, that a core of the folding program holds. */
const HELD = 2;

/** The program that folds an image in DRAM, row-major (`ttnn:backend-0-81-1`). */
export function foldProgram(
  { window, input }: ConvolutionRequest,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const { inputWidth, inChannels, kernelHeight, kernelWidth } = window;
  const element = rowElementBytes(input.dataType);
  const row = HELD * Math.ceil(inChannels / 32);
  const stick = inChannels * element;
  return streamProgram({
    units: output.pages,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    circularBuffers: input.tiled
      ? [
        { name: "in0", bytes: row * tileBytes(input.dataType) },
        { name: "untilized", bytes: row * element * 1024 },
        { name: "rows", bytes: inputWidth * stick * kernelHeight },
      ]
      : [{ name: "in0", bytes: HELD * kernelHeight * kernelWidth * stick }],
  }, chip);
}
