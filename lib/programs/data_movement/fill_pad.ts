// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { fillsTiles, matrixCount } from "../../layout/extents.ts";
import { tileWork } from "../eltwise/eltwise_program.ts";
import { type ChainStep, endOf } from "../launch_sequence.ts";
import type { StreamProgram } from "../program.ts";
import { bytesPerTile, isInShards, type ProgramTensor } from "../program_tensor.ts";
import { fillingWords, pageBuffer, streamProgram, wherePlaced } from "../stream.ts";
import { castStep } from "../eltwise/typecast.ts";

/** Cost of a one-tile mask in 4-byte writes: a compare and a store per element. */
const MASK_WORDS = 2 * 32 * 32;

/**
 * `FillPad`: run first by ops that read whole tiles, on tensors with padding in their last tile rows or
 * columns. Builds one mask, or two if both are padded, and overwrites the padding of the edge tiles in place
 * (tt-metal:fill-pad, `ttnn:backend-0-81-1`).
 */
export function fillPadding(tensor: ProgramTensor, chip: ChipDescription): readonly StreamProgram[] {
  const edge = tensor.tiled ? tensor.tiles - fullTiles(tensor.shape) : 0;
  if (edge <= 0) return [];
  const moved = { ...wherePlaced(tensor), bytes: edge * bytesPerTile(tensor) };
  const masks = [tensor.shape.at(-2) ?? 1, tensor.shape.at(-1) ?? 1].filter((extent) => extent % 32 !== 0);
  const program = streamProgram({
    units: edge,
    reads: [moved],
    writes: [moved],
    compute: { work: tileWork("simple", [tensor]) },
    flops: edge * 1024,
    circularBuffers: [
      pageBuffer("in0", 2, tensor),
      pageBuffer("mask", masks.length, tensor),
      pageBuffer("out", 2, tensor),
    ],
  }, chip);
  return [fillingWords(program, MASK_WORDS)];
}

/** The steps that fill a tensor's padding in place; block floats via bf16 (`ttnn:backend-0-81-1`). */
export function fillSteps(tensor: ProgramTensor, chip: ChipDescription): readonly ChainStep[] {
  const { dataType } = tensor;
  const cast = isBlockFloat(dataType) ? [castStep(tensor, "bf16", chip)] : [];
  const wide = endOf(cast, tensor);
  const programs = fillPadding(wide, chip);
  if (programs.length === 0) return [];
  const filled: ChainStep = { tensor: wide, programs, inPlace: true };
  return wide === tensor ? [filled] : [...cast, filled, { ...castStep(wide, dataType, chip), frees: [wide] }];
}

/**
 * Why padding cannot be filled: the tensor is sharded and has several matrices (`ttnn:backend-0-81-1`); `undefined` if
 * it can, or there is none.
 */
export function fillFault(tensor: ProgramTensor): string | undefined {
  const { shape } = tensor;
  const isWhole = fillsTiles(shape);
  return !isInShards(tensor) || isWhole || matrixCount(shape) === 1
    ? undefined
    : `padding of ${matrixCount(shape)} matrices of ${shape.slice(-2).join("x")} is not filled in shards`;
}

/** Tiles without padding. */
function fullTiles(shape: readonly number[]): number {
  const matrices = matrixCount(shape);
  return matrices * Math.floor((shape.at(-2) ?? 1) / 32) * Math.floor((shape.at(-1) ?? 1) / 32);
}
