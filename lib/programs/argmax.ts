// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";

/** Bytes of a row that one core looks through at a time: what the memories align to. */
const ARGMAX_PIECE_BYTES = 64;

/**
 * `argmax`: rows of elements are cut over the cores, rows of tiles go to one core each; one row and one row of the
 * result are in flight (derived:circular-buffers).
 */
export function argmaxPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const pieces = input.tiled ? 1 : Math.ceil(input.pageBytes / ARGMAX_PIECE_BYTES);
  const units = input.tiled ? Math.ceil(input.extent[0] / 32) : input.pages * pieces;
  return inOrder(streamProgram({
    units,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: [{ operation: "reduce", count: input.tiles / Math.max(1, units) }],
    readBarriers: 1 / pieces,
    writeBarriers: 1 / pieces,
    flops: input.tiles * 1024,
    circularBuffers: [pageBuffer("in0", 1, input), pageBuffer("out", 1, output)],
  }, chip));
}
