// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readIntegers } from "../dialect/attribute_values.ts";
import { rowCount, volume } from "../layout/extents.ts";
import { pageCopy } from "./page_copy.ts";
import type { OpLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS, type OpPrograms, unknownPrograms } from "./program.ts";
import { memoryOf, type ProgramTensor, rowMajorTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
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
  const factors = readIntegers(op.attributes, "repeat_dims");
  const rows = factors === undefined ? copyRows : repeatRows(factors);
  if (!input.tiled) return inOrder(...rows(input, output, chip));
  const memory = memoryOf(input) === "l1" ? "l1" : "dram";
  const from = rowMajorTensor(input.shape, input.dataType, memory);
  const to = rowMajorTensor(output.shape, output.dataType, memory);
  return inOrder(
    tilizeProgram(input, from, chip),
    ...rows(from, to, chip),
    tilizeProgram(to, output, chip),
  );
}

function copyRows(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): readonly DeviceProgram[] {
  return [pageCopy([input], [output], { circularBuffers: [pageBuffer("in0", 2, input)] }, chip)];
}

/** Bytes that a write begins and ends on. */
const WRITE_ALIGNMENT = 16;

/** How often a row is copied behind itself until its copies end where a write may begin. */
function doublingsOf(bytes: number): number {
  let doublings = 0;
  while ((bytes << doublings) % WRITE_ALIGNMENT !== 0) doublings++;
  return doublings;
}

/**
 * A program for each repeated dimension, from the last to the first. A core takes what lies in front of the dimension,
 * or what lies behind it where that is more, reads each of its rows once and writes its copies one by one, also those
 * that follow each other in a longer row (tt-metal:repeat, `repeat_higher_dim_rm`, `repeat_last_dim_rm`).
 */
function repeatRows(factors: readonly number[]): typeof copyRows {
  return (input, output, chip) => {
    const rank = input.shape.length;
    const padded = [...Array.from({ length: rank - factors.length }, () => 1), ...factors];
    const programs: DeviceProgram[] = [];
    let current = input;
    for (let dim = rank - 1; dim >= 0; dim--) {
      const factor = padded[dim] ?? 1;
      if (factor === 1) continue;
      const shape = current.shape.map((extent, at) => at === dim ? extent * factor : extent);
      const isLast = padded.slice(0, dim).every((other) => other === 1);
      const memory = memoryOf(output) === "l1" ? "l1" : "dram";
      const next = isLast ? output : rowMajorTensor(shape, output.dataType, memory);
      const higher = volume(current.shape.slice(0, dim));
      const lower = volume(current.shape.slice(dim + 1, -1));
      const rows = rowCount(current.shape);
      const inRow = dim === rank - 1;
      const doublings = inRow ? doublingsOf(current.pageBytes) : 0;
      programs.push(streamProgram({
        reads: [wholeTensor(current)],
        writes: [{
          ...wholeTensor(next),
          stride: inRow ? 0 : volume(current.shape.slice(dim, -1)),
          transactionBytes: inRow ? Math.min(next.pageBytes, current.pageBytes << doublings) : next.pageBytes,
          scattered: true,
        }],
        units: rows,
        maxCores: Math.min(workerCores(chip), inRow ? rows : Math.max(higher, lower)),
        shortCopies: doublings,
        oneThread: true,
        circularBuffers: [pageBuffer("in0", 2, current)],
      }, chip));
      current = next;
    }
    return programs.length === 0 ? copyRows(input, output, chip) : programs;
  };
}
