// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { LaunchContext, OpLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS, type OpPrograms } from "./program.ts";
import { isPresent, type ProgramTensor } from "./program_tensor.ts";
import { residentProgram, streamProgram, type StreamRequest, wholeTensor } from "./stream.ts";

/** Ops of which only the reads of operands and writes of results are known, page by page. */
export function opaquePrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const writes = op.outputs.filter(isPresent);
  return writes.length === 0 ? NO_PROGRAMS : inOrder(pageCopy(op.inputs.filter(isPresent), writes, {}, chip));
}

/**
 * Kernels of experts whose programs no source describes: they read all of their operands, mainly the weights of all
 * experts, which is the least that they take.
 */
export function expertsPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [reads, writes] = [op.inputs, op.outputs].map((tensors) => tensors.filter(isPresent));
  if (reads === undefined || writes === undefined || writes.length === 0) return NO_PROGRAMS;
  return inOrder(streamProgram({
    units: [...reads, ...writes].reduce((sum, { pages }) => sum + pages, 0),
    reads: reads.map(wholeTensor),
    writes: writes.map(wholeTensor),
  }, chip));
}

/** Pages copied unchanged: as many bytes are read as written, in proportion to the operands' sizes. */
export function pageCopy(
  inputs: readonly ProgramTensor[],
  outputs: readonly ProgramTensor[],
  how: Omit<Partial<StreamRequest>, "reads" | "writes">,
  chip: ChipDescription,
): DeviceProgram {
  const moved = outputs.reduce((sum, tensor) => sum + tensor.bytes, 0);
  const available = inputs.reduce((sum, tensor) => sum + tensor.bytes, 0);
  return streamProgram({
    units: outputs.reduce((sum, tensor) => sum + tensor.pages, 0),
    ...how,
    reads: inputs.map((tensor) => ({ tensor, bytes: moved * tensor.bytes / Math.max(1, available) })),
    writes: outputs.map(wholeTensor),
  }, chip);
}

/**
 * `move`: a buffer copied to another address of the same memory, to close gaps. Shards stay in their core and are
 * copied by the data movement threads.
 */
export function moveProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  return input.placement === "l1_sharded" && output.placement === "l1_sharded"
    ? residentProgram(output.shardCores, [], { copiedBytes: output.shardBytes })
    : pageCopy([input], [output], {}, chip);
}
