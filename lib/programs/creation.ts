// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../ops/op_book.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import type { OpLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS, type OpPrograms } from "./program.ts";
import { interleavedTensor, memoryOf, type ProgramTensor } from "./program_tensor.ts";
import { hostTransfer } from "./relayout.ts";
import { pageBuffer, streamProgram, tileBuffer, wholeTensor } from "./stream.ts";

/** Tensors made on the device: fill, range. An empty tensor only allocates memory. */
export function creationPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [output] = op.outputs;
  if (output === undefined || definitionOf(op.name).family === "empty") return NO_PROGRAMS;
  return inOrder(output.placement === "host" ? hostTransfer([output]) : fill(output, chip));
}

/** `rand`: uniform numbers in f32, then a typecast if another format is requested (tt-mlir:op-model-tests). */
export function randomPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [output] = op.outputs;
  if (output === undefined) return NO_PROGRAMS;
  if (output.placement === "host") return inOrder(hostTransfer([output]));
  const uniform = tileBuffer("intermediate", 3, "f32");
  if (output.dataType === "f32") return inOrder({ ...fill(output, chip), circularBuffers: [uniform] });
  const memory = memoryOf(output) === "l1" ? "l1" : "dram";
  const tile = output.tiled ? { height: 32, width: 32 } : undefined;
  const numbers = interleavedTensor(output.shape, "f32", memory, tile);
  return inOrder(
    { ...fill(numbers, chip), circularBuffers: [uniform] },
    streamProgram({
      units: output.pages,
      reads: [wholeTensor(numbers)],
      writes: [wholeTensor(output)],
      compute: [{ operation: "eltwise", count: 1 }],
      circularBuffers: [pageBuffer("in0", 2, numbers), pageBuffer("out", 2, output)],
    }, chip),
  );
}

function fill(output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  return streamProgram({ units: output.pages, reads: [], writes: [wholeTensor(output)] }, chip);
}
