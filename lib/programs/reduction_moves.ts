// SPDX-License-Identifier: Apache-2.0

/** Programs between those of a reduction: format changes, exchanged dimensions, copies and negations (`ttnn-0.81.1`). */

import type { ChipDescription } from "../device/chip_description.ts";
import type { DataType } from "../layout/data_type.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import { eltwiseProgram, tileWork } from "./eltwise.ts";
import { pageCopy } from "./page_copy.ts";
import { exchangeDimensions } from "./permute.ts";
import type { DeviceProgram } from "./program.ts";
import { bytesPerTile, type ProgramTensor } from "./program_tensor.ts";
import { interleavedTiles } from "./reduced_layout.ts";
import { asProgramTensor, type StepChain, type StepTensor } from "./step_chain.ts";
import { pageBuffer } from "./stream.ts";

/** A copy in another format where the tensor lies. The tensor is not freed. */
export function typecast(
  chain: StepChain,
  tensor: StepTensor,
  dataType: DataType,
  chip: ChipDescription,
): StepTensor {
  const { shape, layout } = tensor;
  const made = chain.make({
    shape,
    layout: isSharded(layout)
      ? { ...layout, dataType }
      : interleavedTiles({ shape, dataType }, layout.bufferType, chip),
  });
  const [from, to] = [asProgramTensor(tensor), asProgramTensor(made)];
  chain.run(eltwiseProgram([from], to, tileWork("none", [from, to]), streamBuffers(from, to), chip));
  return made;
}

/** Every element negated. */
export function negation(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const backed = input.placement === "l1_sharded" && output.placement === "l1_sharded";
  return eltwiseProgram(
    [input],
    output,
    tileWork("simple", []),
    backed ? [] : streamBuffers(input, output),
    chip,
  );
}

/** A dimension in front of the tile exchanged with the rows; rows that the result's tiles lack are filled up. */
export function exchangeRows(
  input: ProgramTensor,
  output: ProgramTensor,
  dim: number,
  chip: ChipDescription,
): DeviceProgram {
  const rows = input.shape.length - 2;
  const tile = bytesPerTile(input);
  const isRagged = (output.shape[rows] ?? 1) % 32 !== 0;
  return {
    ...exchangeDimensions(input, output, [dim, rows], chip),
    circularBuffers: [
      pageBuffer("in0", 2, input),
      ...isRagged ? [{ name: "padding", bytes: tile / (dim === rows - 1 ? 4 : 64) }] : [],
    ],
  };
}

/** A slice that copies whole tiles. */
export function copySlice(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const circularBuffers = [
    pageBuffer("in0", 2, input),
    { name: "indices", bytes: 4 * input.shape.length, kind: "scratch" } as const,
  ];
  return pageCopy([input], [output], { circularBuffers }, chip);
}

function streamBuffers(input: ProgramTensor, output: ProgramTensor) {
  return [pageBuffer("in0", 2, input), pageBuffer("out", 2, output)];
}
