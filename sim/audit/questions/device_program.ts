// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../../lib/device/chip_description.ts";
import { LayoutError } from "../../../lib/layout/layout_error.ts";
import { shardTransfer } from "../../../lib/programs/memory_move.ts";
import type { DeviceProgram } from "../../../lib/programs/program.ts";
import type { ProgramTensor } from "../../../lib/programs/program_tensor.ts";
import { moveProgram } from "../../../lib/programs/stream.ts";
import { shardConversion } from "../../../lib/programs/tilize.ts";
import { chipDescription, type Device } from "../../devices/device.ts";
import type { KernelCost } from "../../kernels/kernel.ts";
import { priceProgram } from "../../kernels/price_program.ts";
import type { DeviceOp } from "../device_op.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { earlierProgram } from "./earlier_program.ts";
import { programTensors } from "./placed_op.ts";
import { convolutionProgram, haloProgram, poolProgram } from "./window_program.ts";

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
 * convolution and pool on shards, moves of shards inside of L1), or an earlier kernel; `undefined` for all others.
 */
export function deviceProgramTime(op: DeviceOp, chip: MeasuredChip): DeviceTime | undefined {
  try {
    const { inputs, outputs: [output] } = programTensors(op, chip);
    const [input] = inputs;
    if (input === undefined || output === undefined) return undefined;
    const seen: ProgramOp = { op, inputs, input, output };
    const reader = PARTS.find(([prefix]) => op.op.startsWith(prefix))?.[1];
    if (reader === undefined) return op.isEarlier ? earlierProgram(seen) : undefined;
    const program = reader(seen);
    return program === undefined
      ? undefined
      : (device) => priceProgram(program(chipDescription(device)), device);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}
