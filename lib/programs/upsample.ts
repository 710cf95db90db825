// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { pageBuffer, streamProgram, wherePlaced, wholeTensor } from "./stream.ts";

/** `upsample`: every input stick is written as often as it is repeated; sticks of shards stay in their core. */
export function upsamplePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const resident = input.placement === "l1_sharded" && output.placement === "l1_sharded";
  const stream = resident ? wherePlaced : wholeTensor;
  return inOrder(streamProgram({
    units: input.pages,
    ...(resident ? { maxCores: output.shardCores } : {}),
    reads: [stream(input)],
    writes: [stream(output)],
    circularBuffers: resident ? [] : [pageBuffer("in0", 2, input)],
  }, chip));
}
