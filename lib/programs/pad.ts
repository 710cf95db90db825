// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, NO_PROGRAMS, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { padSharesBuffer } from "./view.ts";

/** `pad`: nothing where the tiles hold the padding anyway; else two pages in flight and one of the padding value. */
export function padPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (padSharesBuffer(op, input, output)) return NO_PROGRAMS;
  const page = input.tiled ? input : output;
  return inOrder(streamProgram({
    units: output.pages,
    reads: [{ tensor: input, bytes: input.bytes }],
    writes: [wholeTensor(output)],
    circularBuffers: [pageBuffer("in0", 2, page), pageBuffer("padding_value", 1, page)],
  }, chip));
}
