// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readIntegers } from "../dialect/attribute_values.ts";
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

/**
 * A program for each repeated dimension, from the last to the first. A core takes what lies in front of the dimension,
 * or what lies behind it where that is more, reads each of its rows once and writes its copies one by one
 * (tt-metal:repeat, `repeat_program_factory_higher_dim`).
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
      const volume = (extents: readonly number[]) => extents.reduce((product, extent) => product * extent, 1);
      const higher = volume(current.shape.slice(0, dim));
      const lower = volume(current.shape.slice(dim + 1, -1));
      programs.push(streamProgram({
        reads: [wholeTensor(current)],
        writes: [{ ...wholeTensor(next), scattered: true }],
        units: volume(current.shape.slice(0, -1)),
        maxCores: Math.min(workerCores(chip), Math.max(higher, lower)),
        // Within a row the copies double what is there.
        shortCopies: dim === rank - 1 ? Math.ceil(Math.log2(factor)) : 0,
        oneThread: true,
        circularBuffers: [pageBuffer("in0", 2, current)],
      }, chip));
      current = next;
    }
    return programs.length === 0 ? copyRows(input, output, chip) : programs;
  };
}
