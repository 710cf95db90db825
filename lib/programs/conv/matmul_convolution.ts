// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import type { AttributeMap } from "../../ir/attribute.ts";
import { isBlockFloat, rowElementBytes, tileBytes } from "../../layout/data_type.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { type CircularBuffer, circularBufferBytes } from "../circular_buffer.ts";
import type { LinearConvolution } from "./convolution.ts";
import { computeOf, type ConvolutionBlocks, type ConvolutionWork } from "./convolution_blocks.ts";
import type { ConvolutionRequest, ShardedConvolution } from "./convolution_plan.ts";
import { moveSteps } from "../data_movement/memory_move.ts";
import { tilizeSteps } from "../data_movement/tilize.ts";
import { type ChainStep, freeing } from "../launch_sequence.ts";
import { matmulPrograms, programOfBlocks } from "../matmul/matmul.ts";
import { chooseSubblock, subblockRegisterTiles } from "../matmul/matmul_blocking.ts";
import { type MatmulProblem, wholeBlocks } from "../matmul/matmul_blocks.ts";
import { emptyRoom, type LaunchContext, type OpLaunch, partLaunch } from "../op_launch.ts";
import type { MatmulProgram, StreamProgram } from "../program.ts";
import {
  bytesPerBank,
  inPages,
  memoryOf,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
} from "../program_tensor.ts";
import type { ParallelConfig } from "../sliding_window/parallel_config.ts";
import {
  type ConvolutionRefusal,
  NO_PADDING,
  outputPixels,
  refused,
} from "../sliding_window/sliding_window.ts";
import { streamProgram, tileBuffer, wholeTensors } from "../stream.ts";

/**
 * Circular buffers of the matmul that implements a 1x1 convolution on shards (`ttnn:backend-0-81-1`): on
 * height shards the 1D program that multicasts the weights with all of K in one block; on block shards the 2D
 * program with one K block per column of cores.
 */
export function pointwiseBuffers(
  work: ConvolutionWork,
  { kind, columns }: ParallelConfig,
  { outHeight, outWidth, blockWidth }: ConvolutionBlocks,
): readonly CircularBuffer[] | ConvolutionRefusal {
  const { inputType, weightType, outType, hasBias, chip } = work;
  const copies = columns > 1 ? 2 : 1;
  const { fp32DestAccEn, packerL1Acc } = computeOf(work);
  const partials = fp32DestAccEn ? "f32" : packerL1Acc && columns > 1 ? "bf16" : outType;
  const buffers = [
    tileBuffer("in0", kind === "block_sharded" ? copies * outHeight * blockWidth : 0, inputType),
    tileBuffer("in1", copies * blockWidth * outWidth, weightType),
    tileBuffer("partials", partials === outType ? 0 : outHeight * outWidth, partials),
    tileBuffer("bias", hasBias ? outWidth : 0, weightType),
  ].filter(({ bytes }) => bytes > 0);
  const end = chip.l1UnreservedBase + circularBufferBytes({ circularBuffers: buffers });
  return end > chip.l1Size
    ? refused("buffers", `its circular buffers end at ${end} B, L1 at ${chip.l1Size} B`)
    : buffers;
}

/** A 1x1 convolution as a matmul of pixels and weights. */
export function pointwiseProblem(
  work: ConvolutionWork,
  { input, weight, output }: Readonly<Record<"input" | "weight" | "output", ProgramTensor>>,
): MatmulProblem {
  const { window, inputType, weightType, outType } = work;
  const tiles = (extent: number) => Math.max(1, Math.ceil(extent / 32));
  return {
    in0: input,
    in1: { ...weight, placement: "dram_interleaved" },
    in0Transposed: false,
    in1Transposed: false,
    output,
    bias: undefined,
    batchA: 1,
    batchB: 1,
    tilesM: tiles(outputPixels(window)),
    tilesK: tiles(window.inChannels),
    tilesN: tiles(window.outChannels),
    in0TileBytes: tileBytes(inputType),
    in1TileBytes: tileBytes(weightType),
    outTileBytes: tileBytes(outType),
    compute: computeOf(work),
  };
}

/** The matmul program of a 1x1 convolution on its shards. */
export function pointwiseProgram(
  problem: MatmulProblem,
  { kind, rows, columns }: ParallelConfig,
  { outHeight, outWidth, blockWidth }: ConvolutionBlocks,
  buffers: readonly CircularBuffer[],
): MatmulProgram {
  const subblock = chooseSubblock(outHeight, outWidth, subblockRegisterTiles(problem.compute));
  const blocks = wholeBlocks(kind === "block_sharded" ? "mcast_2d" : "mcast_in1", [columns, rows], {
    perCoreM: outHeight,
    perCoreN: outWidth,
    in0BlockW: blockWidth,
    outSubblockH: subblock.height,
    outSubblockW: subblock.width,
  });
  return programOfBlocks(problem, blocks, buffers);
}

/**
 * The steps of a 1x1 convolution of an interleaved operand as a `linear` into DRAM; any other requested layout costs
 * a move.
 */
export function linearSteps(
  request: ConvolutionRequest,
  { bias, output }: { readonly bias: ProgramTensor | undefined; readonly output: ProgramTensor },
  context: LaunchContext,
): readonly ChainStep[] {
  const { chip } = context;
  const { window, config, input, outType } = request;
  const freed = config.deallocateActivation === true && memoryOf(input) === "l1" ? [input] : [];
  const source = input.tiled ? input : inPages(input, "tile");
  const tilized = input.tiled ? [] : freeing(tilizeSteps(input, source, chip), ...freed);
  const product = tiledTensor([1, 1, outputPixels(window), window.outChannels], outType, "dram");
  const isResult = output.placement === "dram_interleaved";
  const launched = matmulPrograms(
    linearOf(request, [source, product], bias),
    input.tiled || freed.length > 0 ? context : withoutRoomFor(source, context),
  );
  const steps = [
    ...tilized,
    {
      tensor: isResult ? output : product,
      programs: launched.status === "known" ? launched.programs : [],
      frees: input.tiled ? freed : [],
    },
    ...isResult ? [] : freeing(moveSteps(product, output, chip), product),
  ];
  return input.tiled ? steps : freeing(steps, source);
}

/** The `linear`, with prepared weights. */
function linearOf(
  request: ConvolutionRequest,
  [source, product]: readonly [ProgramTensor, ProgramTensor],
  bias: ProgramTensor | undefined,
): OpLaunch {
  const { window: { inChannels, outChannels }, config: { activation }, weightType } = request;
  const attributes: AttributeMap = new Map(
    activation === undefined ? [] : [["activation", { kind: "string", value: activation.opType }]],
  );
  const weight = tiledTensor([1, 1, inChannels, outChannels], weightType, "dram");
  const row = bias === undefined ? undefined : tiledTensor([1, 1, 1, outChannels], weightType, "dram");
  const linear = partLaunch("ttnn.linear", [source, weight, row], product, attributes);
  return { ...linear, config: { kind: "matmul", computeConfig: computeOf(request) } };
}

/**
 * The context with a further tensor in L1. An empty L1 although the operand is in it means that nothing is
 * allocated at all (upstream's op model).
 */
function withoutRoomFor(tensor: ProgramTensor, context: LaunchContext): LaunchContext {
  if (memoryOf(tensor) !== "l1") return context;
  const bytes = bytesPerBank(tensor, context.chip);
  const room = () => {
    const given = context.room();
    if (given.beforeResults === emptyRoom(context.chip).beforeResults) return given;
    return {
      beforeResults: given.beforeResults - bytes,
      besideResults: given.besideResults - bytes,
      freeBytes: given.freeBytes - bytes,
    };
  };
  return { ...context, room };
}

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
    ...NO_PADDING,
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
    ...wholeTensors(input, output),
    circularBuffers: input.tiled
      ? [
        { name: "in0", bytes: row * tileBytes(input.dataType) },
        { name: "untilized", bytes: row * element * 1024 },
        { name: "rows", bytes: inputWidth * stick * kernelHeight },
      ]
      : [{ name: "in0", bytes: HELD * kernelHeight * kernelWidth * stick }],
  }, chip);
}
