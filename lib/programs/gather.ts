// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { deviceMemory, isPresent, type ProgramTensor, rowMajorTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";

/** `gather`: a row of tiles of the result is picked from one of the input; two tiles of each tensor are in flight. */
export function gatherPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input, index] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || index === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input, indices and a result");
  }
  return inOrder(streamProgram({
    units: output.tiled ? Math.ceil(output.extent[0] / 32) : output.pages,
    reads: [{ tensor: input, bytes: Math.max(input.bytes, output.bytes) }, wholeTensor(index)],
    writes: [wholeTensor(output)],
    compute: [{ operation: "eltwise", count: Math.ceil(output.extent[1] / 32) }],
    circularBuffers: [
      pageBuffer("in0", 2, input),
      pageBuffer("index", 2, index),
      pageBuffer("out", 2, output),
    ],
  }, chip));
}

/** `scatter`: tiled tensors are untilized, rows of the input are written anew, a tiled result is tilized. */
export function scatterPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const operands = op.inputs.filter(isPresent);
  const [output] = op.outputs;
  if (operands.length < 2 || output === undefined) {
    return unknownPrograms(op.name, "needs an input, indices, updates and a result");
  }
  const inRows = (tensor: ProgramTensor) =>
    tensor.tiled ? rowMajorTensor(tensor.shape, tensor.dataType, deviceMemory(tensor)) : tensor;
  const rows = operands.map(inRows);
  const result = inRows(output);
  return inOrder(
    ...operands.flatMap((tensor, index) => {
      const copy = rows[index];
      return copy === undefined || copy === tensor ? [] : [tilizeProgram(tensor, copy, chip)];
    }),
    streamProgram({
      units: result.pages,
      reads: rows.map(wholeTensor),
      writes: [wholeTensor(result)],
      readBarriers: rows.length,
      circularBuffers: [
        ...rows.map((tensor, index) => pageBuffer(`in${index}`, 1, tensor)),
        pageBuffer("out", 1, result),
      ],
    }, chip),
    ...(result === output ? [] : [tilizeProgram(result, output, chip)]),
  );
}
