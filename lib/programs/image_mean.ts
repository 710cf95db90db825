// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { type ChainStep, chainStep, endOf, launchChain } from "./launch_sequence.ts";
import { copyProgram, moveSteps } from "./memory_move.ts";
import type { MeanPool } from "./pool_plan.ts";
import type { KnownPrograms, StreamProgram } from "./program.ts";
import {
  bytesPerTile,
  deviceMemory,
  interleavedCopy,
  isInShards,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
  withShape,
} from "./program_tensor.ts";
import { reshaping } from "./reshape.ts";
import { streamProgram, wholeTensor } from "./stream.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";

/**
 * An average pool over whole images: gathers shards, untilizes tiles that contain several images, then
 * reduces.
 */
export function meanPrograms({ request }: MeanPool, output: ProgramTensor): KnownPrograms {
  const { input, window, chip } = request;
  const memory = deviceMemory(input);
  const imagePixels = window.inputHeight * window.inputWidth;
  const gathered = gathering(input, chip);
  const image = endOf(gathered, input);
  const untilized = image.tiled && imagePixels % 32 !== 0 ? inRows(image, chip) : [];
  const source = endOf(untilized, image);
  const made = [1, 1, window.batch, window.outChannels];
  const reduced = source.tiled ? tiledTensor(made, source.dataType, memory) : output;
  return launchChain([
    ...gathered,
    ...untilized,
    reduction(source, reduced, imagePixels, chip),
    ...source.tiled ? untilizeSteps(reduced, output, chip) : [],
  ], chip);
}

/**
 * `global_avg_pool2d`: moves the operand to the result's memory; an image whose pixels do not fill tiles is
 * summed row-major, and the sums of several such images are tilized again (`ttnn:backend-0-81-1`).
 */
export function globalMeanPrograms(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): KnownPrograms {
  const memory = deviceMemory(output);
  const [batch = 1, height = 1, width = 1, channels = 1] = input.shape;
  const imagePixels = height * width;
  const gathered = gathering(input, chip);
  const brought = endOf(gathered, input);
  const copy = interleavedCopy(brought, memory);
  const copied = deviceMemory(brought) === memory ? [] : [chainStep(copy, copyProgram(brought, copy, chip))];
  const image = endOf(copied, brought);
  if (image.tiled && imagePixels % 32 === 0) {
    const flat = withShape(image, [batch, 1, imagePixels, channels]);
    return launchChain([
      ...gathered,
      ...copied,
      ...reshapeSteps(image, flat, chip),
      reduction(flat, output, imagePixels, chip),
    ], chip);
  }
  const untilized = image.tiled ? inRows(image, chip) : [];
  const rows = endOf(untilized, image);
  const sums = batch === 1 ? output : rowMajorTensor([1, 1, batch, channels], rows.dataType, memory);
  const tiles = tiledTensor(sums.shape, rows.dataType, memory);
  return launchChain([
    ...gathered,
    ...copied,
    ...untilized.map((step) => ({ ...step, frees: copied.map(({ tensor }) => tensor) })),
    reduction(rows, sums, imagePixels, chip),
    ...batch === 1 ? [] : [
      ...tilizeSteps(sums, tiles, chip).map((step) => ({ ...step, frees: [sums, rows] })),
      ...reshapeSteps(tiles, output, chip),
    ],
  ], chip);
}

/** Moves shards to interleaved pages of the same memory. */
function gathering(input: ProgramTensor, chip: ChipDescription): readonly ChainStep[] {
  return isInShards(input) ? moveSteps(input, interleavedCopy(input, deviceMemory(input)), chip) : [];
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

/** The sum over an image per channel, tile by tile of the result (`ttnn:backend-0-81-1`). */
function reduction(
  input: ProgramTensor,
  output: ProgramTensor,
  imagePixels: number,
  chip: ChipDescription,
): ChainStep {
  return chainStep(output, imageReduction(input, output, imagePixels, chip));
}

function imageReduction(
  input: ProgramTensor,
  output: ProgramTensor,
  imagePixels: number,
  chip: ChipDescription,
): StreamProgram {
  const images = output.shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
  const units = Math.max(1, Math.ceil((output.shape.at(-1) ?? 1) / 32)) * images;
  const perResult = Math.max(1, Math.ceil(imagePixels / 32));
  const tile = bytesPerTile(input);
  const tiles = (name: string, count: number, bytes: number) => ({ name, bytes: count * bytes });
  return streamProgram({
    units,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: { work: [{ operation: "reduce", count: perResult }] },
    reader: { barriers: perResult },
    flops: units * perResult * 1024,
    circularBuffers: input.tiled
      ? [tiles("in0", 2, tile), tiles("scalar", 1, 2048), tiles("out", 2, tile)]
      : [
        tiles("in0", 2, tile),
        tiles("scalar", 1, 2048),
        tiles("rows", 1, tile),
        tiles("tilized", Math.max(2, perResult), tile),
        tiles("reduced", 1, tile),
        tiles("out", 2, tile),
      ],
  }, chip);
}
