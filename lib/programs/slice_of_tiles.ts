// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { StreamProgram } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";

/** Bytes per dimension of the table of begins of a slice, which has four. */
const SLICE_TABLE_BYTES = 4;

/** `Slice` of whole tiles, as ops run it on the way to their results. */
export function sliceOfTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  return streamProgram({
    units: output.tiles,
    reads: [{ tensor: input, bytes: output.bytes }],
    writes: [wholeTensor(output)],
    circularBuffers: [
      pageBuffer("in0", 2, input),
      { name: "begins", bytes: SLICE_TABLE_BYTES * 4, kind: "scratch" },
    ],
  }, chip);
}
