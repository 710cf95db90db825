// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { volume } from "../../layout/extents.ts";
import { copyProgram, movedSteps, moveSteps } from "../data_movement/memory_move.ts";
import { reshaping } from "../data_movement/reshape.ts";
import { tilizeSteps, untilizeSteps } from "../data_movement/tilize.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import type { MeanPool } from "./pool_plan.ts";
import type { KnownPrograms, StreamProgram } from "../program.ts";
import {
  deviceMemory,
  interleavedCopy,
  isInShards,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
  withShape,
} from "../program_tensor.ts";
import {
  reduceRows,
  type Reduction,
  rowBuffers,
  rowSlices,
  sliceSteps,
} from "../reduction/reduce_programs.ts";
import { streamProgram, wholeTensors } from "../stream.ts";

/**
 * An average pool over whole images: moves the operand to interleaved pages of the result's memory, untilizes tiles that
 * contain several images, then reduces (`ttnn:backend-0-81-1`).
 */
export function meanPrograms({ request }: MeanPool, output: ProgramTensor): KnownPrograms {
  const { input, window, chip } = request;
  const memory = deviceMemory(output);
  const imagePixels = window.inputHeight * window.inputWidth;
  const brought = movedSteps(input, interleavedCopy(input, memory), chip);
  const image = endOf(brought, input);
  const untilized = image.tiled && imagePixels % 32 !== 0 ? inRows(image, chip) : [];
  const source = endOf(untilized, image);
  const made = [1, 1, window.batch, window.outChannels];
  const reduced = source.tiled ? tiledTensor(made, source.dataType, memory) : output;
  return launchChain([
    ...brought,
    ...freeing(untilized, image),
    ...reduction(source, reduced, imagePixels, chip),
    ...source.tiled ? untilizeSteps(reduced, output, chip) : [],
  ], chip);
}

/**
 * `global_avg_pool2d`: moves the operand to the result's memory; an image whose pixels do not fill tiles is
 * summed row-major, and the sums of several such images are tilized again. The means of several images of whole tiles
 * are reshaped twice (`ttnn:backend-0-81-1`).
 */
export function globalMeanPrograms(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): KnownPrograms {
  const memory = deviceMemory(output);
  const [batch = 1, height = 1, width = 1, channels = 1] = input.shape;
  const imagePixels = height * width;
  // Shards become interleaved pages of the same memory.
  const gathered = isInShards(input)
    ? moveSteps(input, interleavedCopy(input, deviceMemory(input)), chip)
    : [];
  const brought = endOf(gathered, input);
  const copy = interleavedCopy(brought, memory);
  const copied = deviceMemory(brought) === memory ? [] : [chainStep(copy, copyProgram(brought, copy, chip))];
  const image = endOf(copied, brought);
  if (image.tiled && imagePixels % 32 === 0) {
    const flat = withShape(image, [batch, 1, imagePixels, channels]);
    const flattened = [...gathered, ...copied, ...reshapeSteps(image, flat, chip)];
    if (batch === 1) {
      return launchChain([...flattened, ...reduction(flat, output, imagePixels, chip)], chip);
    }
    // Means of several images become the rows of one matrix, and images again.
    const means = tiledTensor([batch, 1, 1, channels], image.dataType, memory);
    const rows = withShape(means, [1, 1, batch, channels]);
    const before = [means, flat, ...copied.map(({ tensor }) => tensor)];
    return launchChain([
      ...flattened,
      ...reduction(flat, means, imagePixels, chip),
      ...reshapeSteps(means, rows, chip).map((step) => ({ ...step, frees: before })),
      ...reshapeSteps(rows, output, chip),
    ], chip);
  }
  const untilized = image.tiled ? inRows(image, chip) : [];
  const rows = endOf(untilized, image);
  const sums = batch === 1 ? output : rowMajorTensor([1, 1, batch, channels], rows.dataType, memory);
  const tiles = tiledTensor(sums.shape, rows.dataType, memory);
  const made = [sums, ...untilized.map(({ tensor }) => tensor)];
  return launchChain([
    ...gathered,
    ...copied,
    ...untilized.map((step) => ({ ...step, frees: copied.map(({ tensor }) => tensor) })),
    ...reduction(rows, sums, imagePixels, chip),
    ...batch === 1 ? [] : [
      ...tilizeSteps(sums, tiles, chip).map((step) => ({ ...step, frees: made })),
      ...reshapeSteps(tiles, output, chip),
    ],
  ], chip);
}

function inRows(image: ProgramTensor, chip: ChipDescription): readonly ChainStep[] {
  return untilizeSteps(image, rowMajorTensor(image.shape, image.dataType, deviceMemory(image)), chip);
}

function reshapeSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): readonly ChainStep[] {
  const { programs } = reshaping(input, output, chip);
  return programs.length === 0 ? [] : [{ tensor: output, programs }];
}

/**
 * The sum over each image per channel, tile by tile of the result; slice by slice first where images are tall
 * (`ttnn:backend-0-81-1`).
 */
function reduction(
  input: ProgramTensor,
  output: ProgramTensor,
  imagePixels: number,
  chip: ChipDescription,
): readonly ChainStep[] {
  const [channels = 1, images = 1] = [output.shape.at(-1), volume(output.shape.slice(0, -1))];
  const image = { ...input, shape: [images, 1, imagePixels, channels] };
  const sums = { ...output, shape: [images, 1, 1, channels] };
  const mean: Reduction = { kind: "mean", input: image, output: sums, chip };
  const slices = rowSlices(mean);
  if (slices > 1) {
    const [first, second] = sliceSteps(mean, slices);
    return [first, { ...second, tensor: output }];
  }
  return [chainStep(output, image.tiled ? reduceRows(mean) : rowReduction(image, sums, chip))];
}

/** The sum over images in rows. */
function rowReduction(image: ProgramTensor, sums: ProgramTensor, chip: ChipDescription): StreamProgram {
  const [images = 1, , pixels = 1, channels = 1] = image.shape;
  const units = Math.ceil(channels / 32) * images;
  const perResult = Math.max(1, Math.ceil(pixels / 32));
  return streamProgram({
    units,
    ...wholeTensors(image, sums),
    compute: { work: [{ operation: "reduce", count: perResult }] },
    reader: { barriers: perResult },
    flops: units * perResult * 1024,
    circularBuffers: rowBuffers(image, sums.dataType, perResult),
  }, chip);
}
