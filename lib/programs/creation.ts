// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { LaunchContext, OpLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS, type OpPrograms } from "./program.ts";
import { chainStep, launchChain } from "./program_chain.ts";
import { inPages, type ProgramTensor } from "./program_tensor.ts";
import { hostTransfer } from "./relayout.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { untilizeSteps } from "./tilize.ts";

/** Tensors made on the device: fill, range. An empty tensor only allocates memory. */
export function creationPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [output] = op.outputs;
  if (output === undefined || definitionOf(op.name).family === "empty") return NO_PROGRAMS;
  return inOrder(output.placement === "host" ? hostTransfer([output]) : fill(output, chip));
}

/** `rand`: uniform numbers in tiles of the format that is asked for, untilized for rows (`ttnn:backend-0-81-1`). */
export function randomPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [output] = op.outputs;
  if (output === undefined) return NO_PROGRAMS;
  if (output.placement === "host") return inOrder(hostTransfer([output]));
  const tiles = output.tiled ? output : inPages(output, "tile");
  const numbers: DeviceProgram = {
    ...fill(tiles, chip),
    circularBuffers: [{ ...pageBuffer("out", 2, tiles), kind: "circular" }],
  };
  return launchChain(
    [chainStep(tiles, numbers), ...(tiles === output ? [] : untilizeSteps(tiles, output, chip))],
    chip,
  );
}

function fill(output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  return streamProgram({ units: output.pages, reads: [], writes: [wholeTensor(output)] }, chip);
}
