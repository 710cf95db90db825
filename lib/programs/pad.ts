// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { pageCopy } from "./page_copy.ts";
import {
  type DeviceProgram,
  inOrder,
  NO_PROGRAMS,
  type OpLaunch,
  type OpPrograms,
  unknownPrograms,
} from "./program.ts";
import { memoryOf, type ProgramTensor, rowMajorTensor } from "./program_tensor.ts";
import { pageBuffer } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";
import { padSharesBuffer } from "./view.ts";

/**
 * `pad`: nothing where the tiles hold the padding anyway; else rows between their padding, two pages in flight and one
 * of the padding value. Tiles become rows before and tiles again behind.
 */
export function padPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (padSharesBuffer(op, input, output)) return NO_PROGRAMS;
  if (!input.tiled) return inOrder(padRows(input, output, output, chip));
  const memory = memoryOf(output) === "l1" ? "l1" : "dram";
  const from = rowMajorTensor(input.shape, input.dataType, memory);
  const to = rowMajorTensor(output.shape, output.dataType, memory);
  return inOrder(
    tilizeProgram(input, from, chip),
    padRows(from, to, input, chip),
    tilizeProgram(to, output, chip),
  );
}

/** Copies that put the padding around a row: before, behind, and the row between them. */
const COPIES_PER_ROW = 4;

/** Each row is read, put between its padding and written, one after the other. */
function padRows(
  input: ProgramTensor,
  output: ProgramTensor,
  page: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  return pageCopy([input], [output], {
    shortCopies: COPIES_PER_ROW,
    circularBuffers: [pageBuffer("in0", 2, page), pageBuffer("padding_value", 1, page)],
  }, chip);
}
