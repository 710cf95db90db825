// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import { exchangeWithFront, withDimensionInFront } from "./product.ts";
import type { OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram, unknownPrograms } from "./program.ts";
import { deviceMemory, type ProgramTensor, tiledTensor } from "./program_tensor.ts";
import { streamProgram, tileBuffer, wholeTensor } from "./stream.ts";

/**
 * `cumsum` and `cumprod`: a core carries the running result along the dimension, tile by tile; dimensions of the tile
 * go through copies with that dimension in front (derived:circular-buffers).
 */
export function cumulativePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const dim = readInteger(op.attributes, "dim") ?? 0;
  const shape = withDimensionInFront(input.shape, dim);
  if (shape === undefined) return inOrder(accumulation(input, output, input.shape.at(dim) ?? 1, chip));
  const before = tiledTensor(shape, input.dataType, deviceMemory(input));
  const after = tiledTensor(shape, output.dataType, deviceMemory(output));
  const behind = dim < 0 ? dim : dim - input.shape.length;
  return inOrder(
    exchangeWithFront(input, before, behind, chip),
    accumulation(before, after, input.shape.at(dim) ?? 1, chip),
    exchangeWithFront(after, output, behind, chip),
  );
}

function accumulation(
  input: ProgramTensor,
  output: ProgramTensor,
  extent: number,
  chip: ChipDescription,
): StreamProgram {
  const steps = Math.max(1, extent);
  return streamProgram({
    units: input.tiles / steps,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: [{ operation: "eltwise", count: steps }],
    readBarriers: steps,
    writeBarriers: steps,
    flops: input.tiles * 1024,
    circularBuffers: ["in0", "start", "running", "out"].map((name) => tileBuffer(name, 4, input.dataType)),
  }, chip);
}
