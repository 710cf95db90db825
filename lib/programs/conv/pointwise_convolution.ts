// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../layout/data_type.ts";
import { computeOf, type ConvolutionBlocks, type ConvolutionWork } from "./convolution_blocks.ts";
import { type ConvolutionRefusal, refused } from "../sliding_window/refused.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { programOfBlocks } from "../matmul/matmul.ts";
import { chooseSubblock, subblockRegisterTiles } from "../matmul/matmul_blocking.ts";
import type { MatmulBlocks } from "../matmul/matmul_blocks.ts";
import type { MatmulProblem } from "../matmul/matmul_problem.ts";
import type { ParallelConfig } from "../sliding_window/parallel_config.ts";
import type { MatmulProgram } from "../program.ts";
import { circularBufferBytes } from "../circular_buffer_sums.ts";
import type { ProgramTensor } from "../program_tensor.ts";
import { outputPixels } from "../sliding_window/sliding_window.ts";

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
    {
      name: "in0",
      bytes: kind === "block_sharded" ? copies * outHeight * blockWidth * tileBytes(inputType) : 0,
    },
    { name: "in1", bytes: copies * blockWidth * outWidth * tileBytes(weightType) },
    { name: "partials", bytes: partials === outType ? 0 : outHeight * outWidth * tileBytes(partials) },
    { name: "bias", bytes: hasBias ? outWidth * tileBytes(weightType) : 0 },
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
  const blocks: MatmulBlocks = {
    dataflow: kind === "block_sharded" ? "mcast_2d" : "mcast_in1",
    gridX: columns,
    gridY: rows,
    perCoreM: outHeight,
    perCoreN: outWidth,
    in0BlockW: blockWidth,
    outBlockH: outHeight,
    outBlockW: outWidth,
    outSubblockH: subblock.height,
    outSubblockW: subblock.width,
    batches: 1,
  };
  return programOfBlocks(problem, blocks, buffers);
}
