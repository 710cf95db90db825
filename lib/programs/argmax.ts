// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import type { OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";

/** Bytes of a row that one core looks through at least. */
const ARGMAX_PIECE_BYTES = 32;

/**
 * `argmax`: the elements of a row of elements are cut over the cores, which compare them one by one and tell one core
 * their largest, row after row; rows of tiles go to one core each. One row and one row of the result are in flight
 * (derived:circular-buffers).
 */
export function argmaxPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const width = input.shape.at(-1) ?? 1;
  const rows = input.shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
  const pieces = Math.ceil(input.pageBytes / ARGMAX_PIECE_BYTES);
  const units = input.tiled ? Math.ceil(input.extent[0] / 32) : Math.min(workerCores(chip), pieces);
  // Rows of tiles are independent; all cores of rows of elements go through every row together.
  const perUnit = input.tiled ? Math.min(32, rows) : rows;
  const elements = input.tiled ? width : Math.ceil(width / units);
  return inOrder(streamProgram({
    units,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: [
      { operation: "scan_row", count: perUnit },
      { operation: "scan_element", count: perUnit * elements },
      { operation: "scan_share", count: input.tiled ? 0 : perUnit * units },
    ],
    parts: perUnit,
    flops: input.tiles * 1024,
    circularBuffers: [pageBuffer("in0", 1, input), pageBuffer("out", 1, output)],
  }, chip));
}
