// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import type { MathFidelity } from "../../lib/op_config/op_config.ts";
import { lineCores, sticksOf } from "../../lib/programs/halo.ts";
import { largestDivisor } from "../../lib/programs/matmul_blocking.ts";
import { poolReads } from "../../lib/programs/pool.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { ProgramTensor } from "../../lib/programs/program_tensor.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import type { KernelCost } from "../kernels/kernel.ts";
import { priceProgram } from "../kernels/price_program.ts";
import type { ProfileTensors } from "./profile_tensor.ts";

/** The time of a device op on a device. */
export type Timed = (device: Device) => KernelCost;

/** The time of a program that is made for a chip. */
export function timed(programOn: (chip: ChipDescription) => DeviceProgram): Timed {
  return (device) => priceProgram(programOn(chipDescription(device)), device);
}

/** An integer of printed attributes: `name=3`, `name: 3`; `undefined` when it is not there. */
export function integer(attributes: string, name: string): number | undefined {
  const match = new RegExp(`${name}(?:'?[:=] ?'?)(\\d+)`).exec(attributes);
  return match === null ? undefined : Number(match[1]);
}

function pair(attributes: string, name: string): readonly [number, number] | undefined {
  const match = new RegExp(`${name}=\\((\\d+); ?(\\d+)\\)`).exec(attributes);
  return match === null ? undefined : [Number(match[1]), Number(match[2])];
}

/** A halo program by its sliding window and the sticks of a core. */
export function profiledHalo(
  attributes: string,
  tensors: ProfileTensors,
  input: ProgramTensor,
  output: ProgramTensor,
): Timed | undefined {
  const inputSticks = integer(attributes, "in_nsticks_per_core");
  const outputSticks = integer(attributes, "max_out_nsticks_per_core");
  const rowCores = integer(attributes, "num_cores_nhw");
  if (inputSticks === undefined || outputSticks === undefined || rowCores === undefined) return undefined;
  const inputExtent = /input_hw=\((\d+);(\d+)\)/.exec(attributes);
  const pad = /padding=\(\((\d+); (\d+)\); \((\d+); (\d+)\)\)/.exec(attributes);
  const extents = [inputExtent?.[1], inputExtent?.[2], pad?.[1], pad?.[2], pad?.[3], pad?.[4]].map((text) =>
    Number(text ?? 0)
  );
  const [height = 1, width = 1, top = 0, bottom = 0, left = 0, right = 0] = extents;
  const sticks = sticksOf(
    {
      inputHeight: height,
      inputWidth: width,
      padHeight: top + bottom,
      padWidth: left + right,
    },
    outputSticks,
    { sticks: input.extent[0], rowCores, inputSticks },
  );
  const channelCores = Math.max(1, Math.round(tensors.cores / rowCores));
  const channels = Math.ceil((output.shape.at(-1) ?? 1) / channelCores);
  return timed((chip) => ({
    ...NOTHING_MOVES,
    kind: "halo",
    cores: tensors.cores,
    inputSticks,
    outputSticks,
    ...sticks,
    lineCores: lineCores(rowCores, tensors.cores, chip),
    stickBytes: channels * 2,
    tiles: input.tiled ? Math.ceil(inputSticks / 32) * Math.ceil(channels / 32) : 0,
  }));
}

/** The convolution kernel alone: its halo is a device op of its own. */
export function profiledConvolution(
  attributes: string,
  fidelity: MathFidelity,
  tensors: ProfileTensors,
  output: ProgramTensor,
): Timed | undefined {
  const [activation, weight] = tensors.inputs;
  if (activation === undefined || weight === undefined) return undefined;
  const block = output.memoryLayout === "block_sharded";
  const columnsTotal = Math.ceil((output.shape.at(-1) ?? 32) / 32);
  const channelCores = block ? channelCoresOf(output, columnsTotal, tensors.cores) : 1;
  const channels = activation.shape.at(-1) ?? 32;
  const depth = profiledDepth(attributes, weight.shape.at(-2) ?? 32, channels, channelCores);
  const rowsTotal = Math.ceil(output.extent[0] / 32);
  const rowCores = Math.max(1, Math.floor(tensors.cores / channelCores));
  const rows = Math.ceil(rowsTotal / rowCores);
  const windowRows = Math.max(
    1,
    Math.round(Math.sqrt(depth * 32 / Math.max(8, channels))),
  );
  return timed(() => ({
    ...NOTHING_MOVES,
    kind: "convolution",
    cores: tensors.cores,
    rows,
    columns: Math.ceil(columnsTotal / channelCores),
    depth,
    ownDepth: Math.ceil(depth / channelCores),
    blockRows: integer(attributes, "act_block_h_ntiles") ?? rows,
    reloadsWeights: block,
    doubleBuffered: ["act", "weights"].every((name) =>
      new RegExp(`enable_${name}_double_buffer\\W+(true|1)`).test(attributes)
    ),
    blockDepth: integer(attributes, "act_block_w_ntiles") ?? depth,
    subblock: [
      integer(attributes, "out_subblock_h_ntiles") ?? 1,
      integer(attributes, "out_subblock_w_ntiles") ?? 1,
    ],
    fidelity,
    activationType: "bf16",
    weightType: weight.dataType,
    pixels: rows * 32,
    readsPerPixel: windowRows,
  }));
}

/**
 * Tiles of the contracted extent. Profiles show weights as their op names them, with the window over the image's own
 * channels, or as they are prepared, with the padding of every row of the window.
 */
function profiledDepth(
  attributes: string,
  weightRows: number,
  channels: number,
  channelCores: number,
): number {
  const window = integer(attributes, "kernel");
  return window === undefined
    ? Math.ceil(weightRows / 32)
    : channelCores * window * Math.ceil(window * channels / channelCores / 32);
}

/** Cores along the channels: as many as shards, where they are told. */
function channelCoresOf(output: ProgramTensor, columns: number, cores: number): number {
  const shards = output.gridShape.at(-1) ?? 0;
  if (shards > 1 && shards <= columns && cores % shards === 0) return shards;
  return largestDivisor(cores, columns);
}

/** Program facts missing from a profiled row. */
const NOTHING_MOVES = { circularBuffers: [], reads: [], writes: [], flops: 0, launches: 1 } as const;

/** A pool by its window. */
export function profiledPool(
  attributes: string,
  tensors: ProfileTensors,
  output: ProgramTensor,
): Timed | undefined {
  const window = pair(attributes, "window_hw");
  if (window === undefined) return undefined;
  const channelTiles = Math.ceil((output.shape.at(-1) ?? 1) / 32);
  const channelCores = output.memoryLayout === "width_sharded"
    ? tensors.cores
    : output.memoryLayout === "block_sharded"
    ? channelCoresOf(output, channelTiles, tensors.cores)
    : 1;
  return timed(() => ({
    ...NOTHING_MOVES,
    kind: "pool",
    cores: tensors.cores,
    pixels: Math.max(1, Math.ceil(output.extent[0] * channelCores / tensors.cores)),
    windowPixels: window[0] * window[1],
    windowReads: poolReads(window[0], window[1]),
    channelTiles: Math.ceil(channelTiles / channelCores),
  }));
}
