// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import { pageBuffer, residentProgram, streamProgram, wholeTensor } from "./stream.ts";

/**
 * `upsample`: every input stick is written as often as it is repeated; sticks of shards are copied inside of their
 * core.
 */
export function upsamplePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (input.placement === "l1_sharded" && output.placement === "l1_sharded") {
    return inOrder(residentProgram(output.shardCores, [], { copiedBytes: output.shardBytes }));
  }
  return inOrder(streamProgram({
    units: input.pages,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    circularBuffers: [pageBuffer("in0", 2, input)],
  }, chip));
}
