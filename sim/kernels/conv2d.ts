// SPDX-License-Identifier: Apache-2.0
import { type DataType, tileBytes } from "../../lib/layout/data_type.ts";
import { readInteger, readIntegers } from "../../lib/opmodel/attribute_values.ts";
import type { MathFidelity } from "../../lib/op_config/op_config.ts";
import type { Device } from "../devices/device.ts";
import { FREE, inSequence, type KernelCost, workers } from "./kernel.ts";
import type { PricedOp, PricedTensor } from "./priced_op.ts";
import { haloCost } from "./halo.ts";
import { fidelityOf, matmulCost, matmulTileCycles } from "./matmul.ts";
import { autoMatmulBlocks } from "./matmul_blocks.ts";
import { streamingCost, wholeTensor } from "./streaming.ts";

/** One core's part of a convolution program. Counts are in tiles unless they say otherwise. */
export interface ConvWork {
  readonly cores: number;
  /** Rows of tiles of the output that a core makes. */
  readonly rows: number;
  /** Columns of tiles of the output that a core makes. */
  readonly columns: number;
  /** Contracted extent: window × input channels. */
  readonly depth: number;
  /** Part of the depth that the core tilizes itself; less than `depth` where cores of a row share. */
  readonly ownDepth: number;
  /** Rows of an activation block; weights are read again for every further one when `reloadsWeights`. */
  readonly blockRows: number;
  readonly reloadsWeights: boolean;
  /** Depth of one activation block. */
  readonly blockDepth: number;
  readonly subblock: readonly [number, number];
  readonly fidelity: MathFidelity;
  readonly activationType: DataType;
  readonly weightType: DataType;
  /** Output pixels per core and reads of a window (one per window row where pixels lie together). */
  readonly pixels: number;
  readonly readsPerPixel: number;
  readonly flops: number;
}

/**
 * The convolution program: per activation block the reader gathers windows, the compute threads tilize the block and
 * then multiply it, while the weights of the block are read by one core and multicast. Tilizing and multiplying are
 * one thread's work, one after the other; weights hide behind tilizing only, because their buffer is single.
 */
export function convCost(work: ConvWork, device: Device): KernelCost {
  const { rows, columns, depth, ownDepth } = work;
  const blocks = Math.ceil(rows / Math.max(1, work.blockRows));
  const operands = [tileBytes(work.activationType), tileBytes(work.weightType)] as const;
  const [subblockH, subblockW] = work.subblock;
  const tileCycles = matmulTileCycles(device, work.fidelity, operands, subblockH, subblockW);
  const tilize = rows * ownDepth * device.tensix.tilizeTile;
  const steps = Math.max(1, Math.ceil(depth / Math.max(1, work.blockDepth))) * blocks;
  const multiply = rows * columns * (depth * tileCycles + steps / blocks * device.matmul.packTile);
  const weights = (work.reloadsWeights ? blocks : 1) * depth * columns * device.conv.weightTile;
  const shared = ownDepth < depth
    ? rows * depth * tileBytes(work.activationType) / device.noc.multicastBytesPerCycle
    : 0;
  // Two readers share the windows.
  const windows = work.pixels * work.readsPerPixel * device.conv.windowRead;
  const compute = tilize + multiply;
  const gather = shared > 0 ? weights + shared : Math.max(0, weights - tilize);
  const busy = Math.max(compute + gather, windows);
  return {
    ...FREE,
    cycles: device.conv.startup + busy + Math.min(compute, windows) / steps,
    read: Math.max(windows, weights + shared),
    compute,
    cores: work.cores,
    nocBytes: work.cores * depth * columns * tileBytes(work.weightType),
    flops: work.flops,
    programs: 1,
  };
}

/** Geometry of a sliding window op, from its attributes. */
export interface WindowGeometry {
  readonly kernel: readonly [number, number];
  readonly inputPixels: number;
  /** Pixels of one row of the padded input. */
  readonly paddedRow: number;
  /** Share of the padded input that is no padding. */
  readonly filledShare: number;
  readonly channels: number;
}

/** Reads kernel, input extents and padding; a pointwise window where they are not given. */
export function windowGeometry(op: PricedOp, input: PricedTensor): WindowGeometry {
  const [kernelH = 1, kernelW = 1] = readIntegers(op.attributes, "kernel_size") ?? [];
  const padding = readIntegers(op.attributes, "padding") ?? [];
  const width = readInteger(op.attributes, "input_width") ?? 1;
  const height = readInteger(op.attributes, "input_height") ?? 1;
  const top = padding[0] ?? 0;
  const bottom = padding.length === 4 ? padding[1] ?? 0 : top;
  const left = padding.length === 4 ? padding[2] ?? 0 : padding[1] ?? 0;
  const right = padding.length === 4 ? padding[3] ?? 0 : padding[1] ?? 0;
  return {
    kernel: [kernelH, kernelW],
    inputPixels: Math.max(1, input.extent[0]),
    paddedRow: width + left + right,
    filledShare: width * height / ((width + left + right) * (height + top + bottom)),
    channels: readInteger(op.attributes, "in_channels") ?? readInteger(op.attributes, "channels") ??
      input.shape.at(-1) ?? 1,
  };
}

/** The halo program of a sliding window op whose activation is spread over `cores`. */
export function windowHalo(
  window: WindowGeometry,
  input: PricedTensor,
  cores: number,
  channelCores: number,
  device: Device,
): KernelCost {
  const [kernelH, kernelW] = window.kernel;
  if (kernelH === 1 && kernelW === 1) return FREE;
  const sticks = Math.ceil(window.inputPixels / Math.max(1, cores / channelCores));
  const stickBytes = Math.max(16, 2 * Math.ceil(window.channels / channelCores));
  return haloCost({
    cores,
    inputSticks: sticks,
    outputSticks: sticks / window.filledShare + (kernelH - 1) * window.paddedRow,
    filledShare: window.filledShare,
    stickBytes,
    tiles: input.tiled ? Math.ceil(sticks / 32) * Math.ceil(window.channels / channelCores / 32) : 0,
  }, device);
}

/**
 * `conv2d`, `conv_transpose2d` and `conv3d` as TTNN runs them: the activation sharded (by height unless the config or
 * the output says otherwise), the halo put together, the convolution itself, and the result written back where it is
 * not wanted in shards. Pointwise windows run as a matmul.
 */
export function convolution(op: PricedOp, device: Device): KernelCost {
  const [input, weight] = op.inputs;
  const output = op.outputs[0];
  if (input === undefined || weight === undefined || output === undefined) return FREE;
  const window = windowGeometry(op, input);
  const outputChannels = output.shape.at(-1) ?? 1;
  const groups = Math.max(1, readInteger(op.attributes, "groups") ?? 1);
  const [kernelH, kernelW] = window.kernel;
  const fidelity = fidelityOf(op.config);
  if (kernelH === 1 && kernelW === 1 && groups === 1) return pointwise(input, weight, output, op, device);
  const sharding = shardingOf(op, output, device);
  const rows = Math.max(1, Math.ceil(output.extent[0] / 32 / sharding.rowCores));
  const columns = Math.max(1, Math.ceil(outputChannels / 32 / sharding.channelCores));
  const depth = Math.max(1, Math.ceil(kernelH * kernelW * window.channels / groups / 32));
  const config = op.config?.kind === "conv2d" ? op.config.conv2dConfig : undefined;
  const blockRows = Math.max(1, Math.ceil((config?.actBlockHOverride ?? 0) / 32) || rows);
  const conv = convCost({
    cores: sharding.rowCores * sharding.channelCores,
    rows,
    columns,
    depth,
    ownDepth: Math.ceil(depth / sharding.channelCores),
    blockRows,
    reloadsWeights: sharding.channelCores > 1,
    blockDepth: Math.max(1, Math.ceil(depth / kernelH)),
    subblock: [1, Math.min(4, columns)],
    fidelity,
    activationType: "bf16",
    weightType: config?.weightsDtype ?? weight.dataType,
    pixels: rows * 32,
    readsPerPixel: kernelH,
    flops: output.extent[0] * outputChannels * kernelH * kernelW * window.channels * 2 / groups,
  }, device);
  const cores = sharding.rowCores * sharding.channelCores;
  const steps = [windowHalo(window, input, cores, sharding.channelCores, device), conv];
  if (input.placement !== "l1_sharded") steps.unshift(toShards(input, cores, device, "read"));
  if (output.placement !== "l1_sharded") steps.push(toShards(output, cores, device, "write"));
  return inSequence(steps);
}

/** Cores along rows (pixels) and along channels that a convolution is spread over. */
function shardingOf(
  op: PricedOp,
  output: PricedTensor,
  device: Device,
): { readonly rowCores: number; readonly channelCores: number } {
  const wanted = op.config?.kind === "conv2d" ? op.config.conv2dConfig?.shardLayout : undefined;
  const layout = output.placement === "l1_sharded" ? output.memoryLayout : wanted;
  const rowTiles = Math.max(1, Math.ceil(output.extent[0] / 32));
  const channelTiles = Math.max(1, Math.ceil((output.shape.at(-1) ?? 1) / 32));
  const { workerRows, workerColumns } = device.grid;
  switch (layout) {
    case "block_sharded":
      return {
        rowCores: Math.min(workerRows, rowTiles),
        channelCores: Math.min(workerColumns, channelTiles),
      };
    case "width_sharded":
      return { rowCores: 1, channelCores: Math.min(workers(device), channelTiles) };
    default: {
      const cores = output.placement === "l1_sharded" ? output.shardCores : workers(device);
      return { rowCores: Math.max(1, Math.min(cores, rowTiles)), channelCores: 1 };
    }
  }
}

/** A convolution with a one-pixel window is a matmul of the pixels with the weights. */
function pointwise(
  input: PricedTensor,
  weight: PricedTensor,
  output: PricedTensor,
  op: PricedOp,
  device: Device,
): KernelCost {
  const outputChannels = output.shape.at(-1) ?? 1;
  const inputChannels = readInteger(op.attributes, "in_channels") ?? input.shape.at(-1) ?? 1;
  const problem = {
    in0: input,
    in1: { ...weight, placement: "dram_interleaved" as const },
    output,
    bias: undefined,
    batchA: 1,
    batchB: 1,
    tilesM: Math.max(1, Math.ceil(output.extent[0] / 32)),
    tilesK: Math.max(1, Math.ceil(inputChannels / 32)),
    tilesN: Math.max(1, Math.ceil(outputChannels / 32)),
    in0TileBytes: tileBytes(input.dataType),
    in1TileBytes: tileBytes(weight.dataType),
    outTileBytes: tileBytes(output.dataType),
    compute: op.config?.computeConfig,
  };
  return matmulCost(problem, autoMatmulBlocks(problem, device), fidelityOf(op.config), device);
}

/** Interleaved pages to shards over `cores`, or back. */
export function toShards(
  tensor: PricedTensor,
  cores: number,
  device: Device,
  kind: "read" | "write",
): KernelCost {
  const stream = [wholeTensor(tensor)];
  return streamingCost({
    units: Math.max(1, tensor.pages),
    maxCores: cores,
    reads: kind === "read" ? stream : [],
    writes: kind === "write" ? stream : [],
    computePerUnit: 0,
    // Pages are issued back to back; one barrier at the end.
    readBarriers: cores / Math.max(1, tensor.pages),
    writeBarriers: cores / Math.max(1, tensor.pages),
    flops: 0,
  }, device);
}
