// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, NO_PROGRAMS, type OpLaunch, type OpPrograms } from "./program.ts";
import { streamProgram, wholeTensor } from "./stream.ts";

/** Tensors made on the device: fill, range, random. An empty tensor is memory and nothing else. */
export function creationPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const output = op.outputs[0];
  if (output === undefined || op.name === "ttnn.empty") return NO_PROGRAMS;
  return inOrder(streamProgram({ units: output.pages, reads: [], writes: [wholeTensor(output)] }, chip));
}
