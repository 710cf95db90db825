// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../../lib/device/chip_description.ts";
import { LayoutError } from "../../../lib/layout/layout_error.ts";
import { lineCores, sticksOf } from "../../../lib/programs/sliding_window/halo.ts";
import { largestDivisor } from "../../../lib/programs/matmul/matmul_blocking.ts";
import { shardTransfer } from "../../../lib/programs/data_movement/memory_move.ts";
import { poolReads } from "../../../lib/programs/pool/pool.ts";
import type { DeviceProgram } from "../../../lib/programs/program.ts";
import type { ProgramTensor } from "../../../lib/programs/program_tensor.ts";
import { moveProgram } from "../../../lib/programs/stream.ts";
import { shardConversion } from "../../../lib/programs/data_movement/tilize.ts";
import { chipDescription, type Device } from "../../devices/device.ts";
import type { KernelCost } from "../../kernels/kernel.ts";
import { priceProgram } from "../../kernels/price_program.ts";
import { type DeviceOp, statedFlag, statedNumber, statedPair } from "../device_op.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { statedCompute } from "./matmul.ts";
import { programTensors } from "./placed_op.ts";

/** Program facts that a profile does not have. */
const NOTHING_MOVES = { circularBuffers: [], reads: [], writes: [], flops: 0 } as const;

/** A halo program by its sliding window and the sticks of a core. */
export const haloProgram: ProgramReader = ({ op, input, output }) => {
  const rowCores = statedNumber(op, "num_cores_nhw") ?? input.gridShape[0] ?? op.cores;
  const sticks = (tensor: ProgramTensor) => Math.ceil(tensor.extent[0] / Math.max(1, rowCores));
  const inputSticks = statedNumber(op, "in_sticks_per_core", "in_nsticks_per_core") ?? sticks(input);
  const outputSticks =
    statedNumber(op, "max_out_sticks_per_core", "max_out_nsticks_per_core", "max_out_nsticks_per_core_") ??
      sticks(output);
  const [inputHeight, inputWidth] = statedPair(op, "hw", "input_hw") ?? [1, 1];
  const sides = /\bpadding=\(\((\d+); (\d+)\); \((\d+); (\d+)\)\)/.exec(op.attributes)?.slice(1).map(Number);
  const [vertical, horizontal] = statedPair(op, "pad", "pad_hw") ?? [0, 0];
  const [top = 0, bottom = 0, left = 0, right = 0] = sides ?? [vertical, vertical, horizontal, horizontal];
  const window = { inputHeight, inputWidth, padHeight: top + bottom, padWidth: left + right };
  const counts = sticksOf(window, outputSticks, { sticks: input.extent[0], rowCores, inputSticks });
  const channelCores = Math.max(1, Math.round(op.cores / rowCores));
  const channels = Math.ceil((output.shape.at(-1) ?? 1) / channelCores);
  return (chip) => ({
    ...NOTHING_MOVES,
    kind: "halo",
    cores: op.cores,
    inputSticks,
    outputSticks,
    ...counts,
    lineCores: lineCores(rowCores, op.cores, chip),
    stickBytes: channels * 2,
    tiles: input.tiled ? Math.ceil(inputSticks / 32) * Math.ceil(channels / 32) : 0,
  });
};

/** The convolution kernel alone: its halo is a device op of its own. */
export const convolutionProgram: ProgramReader = ({ op, inputs: [activation, weight], output }) => {
  if (activation === undefined || weight === undefined) return undefined;
  const block = output.memoryLayout === "block_sharded";
  const columnsTotal = Math.ceil((output.shape.at(-1) ?? 32) / 32);
  const channelCores = block ? channelCoresOf(output, columnsTotal, op.cores) : 1;
  const channels = activation.shape.at(-1) ?? 32;
  // Weights are printed as the op names them, with the window over the image's own channels, or as they are prepared,
  // with the padding of every row of the window.
  const window = statedPair(op, "kernel")?.[0];
  const depth = window === undefined
    ? Math.ceil((weight.shape.at(-2) ?? 32) / 32)
    : channelCores * window * Math.ceil(window * channels / channelCores / 32);
  const rows = Math.ceil(Math.ceil(output.extent[0] / 32) / Math.max(1, Math.floor(op.cores / channelCores)));
  const subblock = statedPair(op, "out_subblock") ??
    [statedNumber(op, "out_subblock_h_ntiles") ?? 1, statedNumber(op, "out_subblock_w_ntiles") ?? 1];
  return () => ({
    ...NOTHING_MOVES,
    kind: "convolution",
    cores: op.cores,
    rows,
    columns: Math.ceil(columnsTotal / channelCores),
    depth,
    ownDepth: Math.ceil(depth / channelCores),
    blockRows: statedNumber(op, "act_block_h_tiles", "act_block_h_ntiles") ?? rows,
    reloadsWeights: block,
    doubleBuffered: ["act", "weights"].every((name) =>
      statedFlag(op, `enable_${name}_double_buffer`) === true
    ),
    blockDepth: statedNumber(op, "act_block_w_tiles", "act_block_w_ntiles") ?? depth,
    subblock,
    fidelity: statedCompute(op).mathFidelity ?? "hifi2",
    activationType: "bf16",
    weightType: weight.dataType,
    pixels: rows * 32,
    readsPerPixel: Math.max(1, Math.round(Math.sqrt(depth * 32 / Math.max(8, channels)))),
  });
};

/** Cores along the channels: as many as shards, where they are stated. */
function channelCoresOf(output: ProgramTensor, columns: number, cores: number): number {
  const shards = output.gridShape.at(-1) ?? 0;
  if (shards > 1 && shards <= columns && cores % shards === 0) return shards;
  return largestDivisor(cores, columns);
}

/** A pool by its window. */
export const poolProgram: ProgramReader = ({ op, output }) => {
  const window = statedPair(op, "kernel", "window_hw");
  if (window === undefined) return undefined;
  const channelTiles = Math.ceil((output.shape.at(-1) ?? 1) / 32);
  const channelCores = output.memoryLayout === "width_sharded"
    ? op.cores
    : output.memoryLayout === "block_sharded"
    ? channelCoresOf(output, channelTiles, op.cores)
    : 1;
  return () => ({
    ...NOTHING_MOVES,
    kind: "pool",
    cores: op.cores,
    pixels: Math.max(1, Math.ceil(output.extent[0] * channelCores / op.cores)),
    windowPixels: window[0] * window[1],
    windowReads: poolReads(window[0], window[1]),
    channelTiles: Math.ceil(channelTiles / channelCores),
  });
};

/** A device op with its tensors as programs see them. */
export interface ProgramOp {
  readonly op: DeviceOp;
  readonly inputs: readonly ProgramTensor[];
  /** The first input. */
  readonly input: ProgramTensor;
  readonly output: ProgramTensor;
}

/** The program of a device op on a chip; `undefined` if what decides its time is not stated. */
export type ProgramReader = (op: ProgramOp) => ((chip: ChipDescription) => DeviceProgram) | undefined;

/** The time of a device op on a device. */
export type DeviceTime = (device: Device) => KernelCost;

/** A part of an interleaved tensor into shards, untilized on the way where it is tiled. */
const paddedSlice: ProgramReader = ({ input, output }) => {
  const part = { ...input, bytes: output.bytes, tiles: output.tiles, extent: output.extent };
  return () => input.tiled ? shardConversion(part, output, []) : shardTransfer(part, output, false);
};

/** Device operations that are a part of an op, by the beginning of their names. */
const PARTS: readonly (readonly [prefix: string, reader: ProgramReader])[] = [
  ["Halo", haloProgram],
  ["Conv2d", convolutionProgram],
  ["OptimizedConv", convolutionProgram],
  ["Pool2D", poolProgram],
  ["PaddedSlice", paddedSlice],
  ["Move", ({ input, output }) => (chip) => moveProgram(input, output, chip)],
];

/**
 * The time of a device op whose program no op of the dialect launches as it was measured: a part of an op (halo,
 * convolution and pool on shards, moves of shards inside of L1); `undefined` for all others.
 */
export function deviceProgramTime(op: DeviceOp, chip: MeasuredChip): DeviceTime | undefined {
  try {
    const { inputs, outputs: [output] } = programTensors(op, chip);
    const [input] = inputs;
    if (input === undefined || output === undefined) return undefined;
    const program = PARTS.find(([prefix]) => op.op.startsWith(prefix))?.[1]({ op, inputs, input, output });
    return program === undefined
      ? undefined
      : (device) => priceProgram(program(chipDescription(device)), device);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}
