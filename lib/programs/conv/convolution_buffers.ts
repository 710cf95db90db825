// SPDX-License-Identifier: Apache-2.0
import { type KernelArchitecture, kernelsOf } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { type CircularBuffer, circularBuffer } from "../circular_buffer.ts";
import {
  computeOf,
  type ConvolutionBlocks,
  type ConvolutionWork,
  isDepthwiseLine,
  isTapwise,
  stickType,
  type WeightsExtent,
} from "./convolution_blocks.ts";
import type { ParallelConfig } from "../sliding_window/parallel_config.ts";
import { type ConvolutionRefusal, isRefused, refused } from "../sliding_window/sliding_window.ts";

/** Inputs of a convolution's kernel besides its blocks. */
export interface KernelInputs {
  readonly input: ParallelConfig;
  readonly blocks: ConvolutionBlocks;
  /** Extent of the weights operand. */
  readonly weights: WeightsExtent;
  /** Whether one core has all channels, so that activations are not multicast. */
  readonly isAlone: boolean;
  /**
   * Bytes of the readers' index table in DRAM, copied into a buffer; `undefined` if the table is in L1_SMALL.
   */
  readonly indexBytes: number | undefined;
}

/** Tile rows of an activation block for the first and the second reader; 0 without a second one. */
export function readerShares(
  work: ConvolutionWork,
  { input, blocks }: Pick<KernelInputs, "input" | "blocks">,
): readonly [number, number] | ConvolutionRefusal {
  const { blockHeight } = blocks;
  if (input.kind === "width_sharded" || isDepthwiseLine(work) || blockHeight <= 1) return [blockHeight, 0];
  const shared = input.kind === "block_sharded" || readersShareWindows(work, blocks);
  if (shared === undefined) {
    return refused("result-format", `a height-sharded convolution cannot make ${work.outType}`);
  }
  const second = shared ? Math.floor(blockHeight / 2) : 0;
  return [blockHeight - second, second];
}

/**
 * Circular buffers of the convolution kernel that no tensor backs, bytes per core, in trace order
 * (`ttnn:backend-0-81-1`): weight blocks, partial results unless they use the result's shard, gathered
 * activations, tilized activations, bias, multicast rows, index table, scratch.
 */
export function convolutionBuffers(
  work: ConvolutionWork,
  kernelInputs: KernelInputs,
): readonly CircularBuffer[] | ConvolutionRefusal {
  const { window, config, outType, weightType, inputType, hasBias } = work;
  const { input, blocks, isAlone } = kernelInputs;
  const { outHeight, outWidth, blockHeight, blockWidth } = blocks;
  const shares = readerShares(work, kernelInputs);
  if (isRefused(shares)) return shares;
  const isLine = isDepthwiseLine(work);
  const takesTaps = isTapwise(work, input.kind, blocks.channels);
  const sticks = tileBytes(stickType(inputType));
  const [weightTile, outTile] = [tileBytes(weightType), tileBytes(outType)];
  const partialTile = partialTileBytes(work, kernelInputs);
  const byHeight = input.kind === "height_sharded";
  const isBlock = input.kind === "block_sharded";
  // Gathered and tilized activations of one format share a buffer if activations are multicast.
  const shared = isBlock && stickType(inputType) === outType && !isAlone;
  const copies = config.enableActDoubleBuffer === true ? 2 : 1;
  const [first, second] = [shares[0] * blockWidth * copies, shares[1] * blockWidth * copies];
  const activations = byHeight ? first * sticks : isAlone ? 0 : (first + second) * outTile;
  const rows = input.kind === "width_sharded" ? 2 * blockWidth : isBlock ? first : 0;
  if (!isLine && blockHeight > outHeight) {
    return refused(
      "act-block-h",
      `act_block_h_override ${config.actBlockHOverride} is more than the ${outHeight * 32} rows of a core`,
    );
  }
  return [
    circularBuffer(
      "weights",
      outWidth *
        (isLine ? blockHeight * (byHeight && !takesTaps ? window.kernelWidth : 1) : blockWidth) *
        weightCopies(work, kernelInputs) * weightTile,
    ),
    circularBuffer(
      "partials",
      isLine
        ? (takesTaps && hasSeveralRows(blocks) ? blockHeight * outWidth * outTile : 0)
        : (config.outputLayout !== "row_major" && partialTile === outTile)
        ? 0
        : blockHeight * outWidth * partialTile,
    ),
    circularBuffer("activation", activations),
    circularBuffer("activation_second_reader", shared ? 0 : second * sticks),
    circularBuffer("activation_tilized", blockHeight * blockWidth * outTile),
    circularBuffer("bias", hasBias ? outWidth * weightTile : 0),
    circularBuffer("activation_rows", shared ? 0 : rows * sticks),
    circularBuffer("reader_indices", kernelInputs.indexBytes ?? 0),
    circularBuffer("scratch", SCRATCH_BYTES),
  ].filter(({ bytes }) => bytes > 0);
}

const SCRATCH_BYTES = 64;

/** Bytes per tile row of a core's result that the backend reserves for the index table. */
export const INDEX_BYTES_PER_TILE = 64;

/** Whether a core computes its result in several row blocks. */
function hasSeveralRows({ outHeight, blockHeight }: ConvolutionBlocks): boolean {
  return Math.floor(outHeight / blockHeight) > 1;
}

/** Weight blocks that a core holds: with height shards all of them if several row blocks need them; else one, or two if double-buffered. */
function weightCopies(work: ConvolutionWork, { input, blocks }: KernelInputs): number {
  const { window, config } = work;
  if (input.kind === "height_sharded" && hasSeveralRows(blocks)) {
    return isTapwise(work, input.kind, blocks.channels) ? window.kernelWidth : window.kernelHeight;
  }
  return config.enableWeightsDoubleBuffer === true ? 2 : 1;
}

/**
 * Bytes of a partial-result tile: of the result's format, unless the packer accumulates several blocks in L1.
 */
function partialTileBytes(work: ConvolutionWork, { input, blocks, weights }: KernelInputs): number {
  const { hasBias, outType } = work;
  const { packerL1Acc, fp32DestAccEn } = computeOf(work);
  const deep = Math.floor(weights[0] / 32 / Math.max(1, blocks.blockWidth));
  const count = input.kind === "block_sharded" ? deep * Math.floor(weights[1] / 32 / blocks.outWidth) : deep;
  const accumulates = packerL1Acc && (hasBias ? count > 1 : count > 2);
  return accumulates ? tileBytes(fp32DestAccEn ? "f32" : "bf16") : tileBytes(outType);
}

/** A NoC rate in bytes per ns that grows linearly with the transaction size from 16 bytes on. */
interface Rate {
  readonly slowest: number;
  readonly fastest: number;
  /** Bytes from which it is the fastest. */
  readonly from: number;
}

/**
 * The backend's estimates, used only for its choice of readers and for no predicted time (tt-metal:conv2d).
 */
interface Estimates {
  readonly gigahertz: number;
  /** Reads within one core's L1. */
  readonly local: Rate;
  /** Reads of one tile from DRAM, and multicasts of a block of weights. */
  readonly dram: Rate;
  readonly multicast: Rate;
  /** Cycles to tilize one tile, by source and target format; second value: with f32 accumulation. */
  readonly tilize: Readonly<Record<string, readonly [number, number]>>;
}

const ESTIMATES: Readonly<Record<KernelArchitecture, Estimates>> = {
  wormhole_b0: {
    gigahertz: 1,
    local: { slowest: 0.868, fastest: 27.84, from: 1024 },
    dram: { slowest: 0.436, fastest: 28.411, from: 2048 },
    multicast: { slowest: 0.318, fastest: 25.345, from: 65536 },
    tilize: {
      "f32 f32": [107, 128],
      "f32 bf16": [74, 74],
      "f32 bfp_bf8": [74, 70],
      "bf16 f32": [92, 117],
      "bf16 bf16": [61, 68],
      "bf16 bfp_bf8": [40, 43],
    },
  },
  blackhole: {
    gigahertz: 1.35,
    local: { slowest: 1.124, fastest: 80.48, from: 4096 },
    dram: { slowest: 0.671, fastest: 80.885, from: 2048 },
    multicast: { slowest: 0.182, fastest: 57.677, from: 65536 },
    tilize: {
      "f32 f32": [132, 132],
      "f32 bf16": [132, 80],
      "f32 bfp_bf8": [132, 77],
      "bf16 f32": [105, 128],
      "bf16 bf16": [72, 72],
      "bf16 bfp_bf8": [60, 60],
    },
  },
};

/**
 * Whether two data movement threads read the windows of a height-sharded convolution: the backend compares
 * its estimates for reading activations, reading weights and tilizing (tt-metal:conv2d,
 * `is_split_reader_viable`).
 *
 * @returns `undefined` for a result format without estimate; the backend then refuses the convolution
 */
function readersShareWindows(
  work: ConvolutionWork,
  { blockHeight: rows, blockWidth: columns, outWidth, channels }: ConvolutionBlocks,
): boolean | undefined {
  const { kernelWidth, dilationWidth } = work.window;
  const { gigahertz, local, dram, multicast, tilize } = ESTIMATES[kernelsOf(work.chip.architecture)];
  const format = work.inputType === "f32" ? "f32" : "bf16";
  const perTile = tilize[`${format} ${work.outType}`];
  if (perTile === undefined) return undefined;
  const elementBytes = format === "f32" ? 4 : 2;
  const stick = elementBytes * channels * (dilationWidth === 1 ? kernelWidth : 1);
  const activations = gigahertz * elementBytes * rows * 32 * channels * kernelWidth / rateOf(local, stick);
  const weightTile = tileBytes(work.weightType);
  const weightBytes = weightTile * outWidth * columns;
  const weights = gigahertz * weightBytes *
    (1 / rateOf(dram, weightTile) + 1 / rateOf(multicast, weightBytes));
  const tilizing = perTile[computeOf(work).fp32DestAccEn ? 1 : 0] * rows * columns;
  return activations / 2 + Math.max(weights, tilizing) < Math.max(activations + tilizing, weights);
}

function rateOf({ slowest, fastest, from }: Rate, bytes: number): number {
  const counted = Math.min(Math.max(bytes, 16), from);
  return slowest + (fastest - slowest) * (counted - 16) / (from - 16);
}
