// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { rowCount } from "../layout/extents.ts";
import { tileColumns } from "../layout/tile_shape.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { ADAMW } from "../ops/attributes/training.ts";
import { definitionOf } from "../ops/op_book.ts";
import { hostTransfer } from "./data_movement/relayout.ts";
import { sliceRows, sliceTiles } from "./data_movement/slice.ts";
import { untilizeSteps } from "./data_movement/tilize.ts";
import { chainStep, launchChain } from "./launch_sequence.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS, type OpPrograms, unknownPrograms } from "./program.ts";
import { inPages, isPresent, type ProgramTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, tileBuffer, wholeTensor } from "./stream.ts";

/**
 * `adamw`: reads parameter, gradient and moments tile by tile; writes parameter and moments back. Scalars of
 * the step that are no attributes are operands after the fourth, one element each, and not counted.
 */
export function adamwPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const { lr, beta1_pow, beta2_pow } = readAttributes(op, ADAMW);
  const numbers = [lr, beta1_pow, beta2_pow].filter((given) => given === undefined).length;
  const behind = op.inputs.length < 4 + numbers ? 4 : 4 + numbers;
  const operands = op.inputs.filter((_, index) => index < 4 || index >= behind).filter(isPresent);
  const [parameter, , ...moments] = operands;
  if (parameter === undefined) return NO_PROGRAMS;
  return inOrder(streamProgram({
    units: parameter.tiles,
    reads: operands.map(wholeTensor),
    writes: [parameter, ...moments].map(wholeTensor),
    compute: { work: [{ operation: "eltwise", count: operands.length }] },
    reader: { barriers: operands.length },
    flops: parameter.tiles * 1024 * operands.length,
    circularBuffers: operands.map(({ dataType }, index) => tileBuffer(`in${index}`, 2, dataType)),
  }, chip));
}

/** `sampling`: one core per user processes its values. */
export function samplingPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const operands = op.inputs.filter(isPresent);
  const [values] = operands;
  const outputs = op.outputs.filter(isPresent);
  if (values === undefined) return unknownPrograms(op.name, "needs values");
  return inOrder(streamProgram({
    units: rowCount(values.shape),
    reads: operands.map(wholeTensor),
    writes: outputs.map(wholeTensor),
    compute: { work: [{ operation: "reduce", count: tileColumns(values.shape) }] },
    circularBuffers: [pageBuffer("values", 8, values)],
  }, chip));
}

/** `mesh_partition`: a slice of every chip's share. */
export function meshPartitionPrograms({ input, output }: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  return inOrder(input.tiled ? sliceTiles(input, output, chip) : sliceRows(input, output, 0, chip));
}

/** Tensors created on the device: fill, range. An empty tensor is only allocated. */
export function creationPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [output] = op.outputs;
  if (output === undefined || definitionOf(op.name).family === "empty") return NO_PROGRAMS;
  return inOrder(output.placement === "host" ? hostTransfer([output]) : fill(output, chip));
}

/**
 * `rand`: uniform random tiles in the requested format, untilized for a row-major result
 * (`ttnn:backend-0-81-1`).
 */
export function randomPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [output] = op.outputs;
  if (output === undefined) return NO_PROGRAMS;
  if (output.placement === "host") return inOrder(hostTransfer([output]));
  const tiles = output.tiled ? output : inPages(output, "tile");
  const numbers = { ...fill(tiles, chip), circularBuffers: [pageBuffer("out", 2, tiles, "circular")] };
  const untilized = tiles === output ? [] : untilizeSteps(tiles, output, chip);
  return launchChain([chainStep(tiles, numbers), ...untilized], chip);
}

function fill(output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  return streamProgram({ units: output.pages, reads: [], writes: [wholeTensor(output)] }, chip);
}
