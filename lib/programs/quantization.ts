// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { definitionOf } from "../ops/op_book.ts";
import { eltwiseProgram, tileWork } from "./eltwise_program.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { type DeviceProgram, inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import { bytesPerTile, deviceMemory, isPresent, type ProgramTensor, tiledTensor } from "./program_tensor.ts";
import { pageBuffer } from "./stream.ts";

/**
 * Quantization ops, composites of binary programs: quantize divides in the float format and adds the zero point in the
 * result's; dequantize subtracts and multiplies in 32 bit. The steps of requantize are not all known, it counts as one
 * program. Circular buffers: per tensor three pairs of tiles, per axis four (derived:circular-buffers).
 */
export function quantizationPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input, ...rest] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const vectors = rest.filter(isPresent);
  const perAxis = vectors.some(({ shape }) => shape.some((extent) => extent > 1));
  const step = (
    from: ProgramTensor,
    to: ProgramTensor,
    buffers: readonly CircularBuffer[],
  ): DeviceProgram =>
    eltwiseProgram([from, ...vectors.slice(0, 1)], to, tileWork("simple", [from, to]), buffers, chip);
  const memory = deviceMemory(input);
  const { family } = definitionOf(op.name);
  if (family === "quantize") {
    const quotient = tiledTensor(input.shape, input.dataType, memory);
    const pair = (name: string) => pageBuffer(name, 2, input);
    return inOrder(
      step(input, quotient, ["in0", "in1", "out"].map(pair)),
      step(quotient, output, [
        ...(perAxis ? ["in0", "in1"] : ["in0"]).map(pair),
        pageBuffer("out", 2, output),
      ]),
    );
  }
  const wide = 2 * Math.max(bytesPerTile({ dataType: "si32" }), bytesPerTile(input));
  const buffers = ["in0", "in1", ...(perAxis ? ["staged"] : []), "out"]
    .map((name) => ({ name, bytes: wide }));
  if (family === "requantize") return inOrder(step(input, output, buffers));
  const difference = tiledTensor(input.shape, "si32", memory);
  return inOrder(step(input, difference, buffers), step(difference, output, buffers));
}
