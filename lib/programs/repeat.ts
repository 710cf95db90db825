// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { pageCopy } from "./page_copy.ts";
import { inOrder, NO_PROGRAMS, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { memoryOf, type ProgramTensor, rowMajorTensor } from "./program_tensor.ts";
import { pageBuffer } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";
import { repeatSharesBuffer } from "./view.ts";

/** `repeat` and `repeat_interleave`: rows are repeated; tiles are untilized before and tilized again behind. */
export function repeatPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (repeatSharesBuffer(op, input, output)) return NO_PROGRAMS;
  if (!input.tiled) return inOrder(repeatRows(input, output, chip));
  const memory = memoryOf(input) === "l1" ? "l1" : "dram";
  const from = rowMajorTensor(input.shape, input.dataType, memory);
  const to = rowMajorTensor(output.shape, output.dataType, memory);
  return inOrder(
    tilizeProgram(input, from, chip),
    repeatRows(from, to, chip),
    tilizeProgram(to, output, chip),
  );
}

function repeatRows(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription) {
  return pageCopy([input], [output], { circularBuffers: [pageBuffer("in0", 2, input)] }, chip);
}
