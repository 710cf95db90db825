// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { normalDim, rowCount, swapExtents } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import { GATHER, SCATTER } from "../../ops/attributes/movement.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { type CircularBuffer, circularBuffer } from "../circular_buffer.ts";
import { permuteSharesBuffer } from "./memory_move.ts";
import { fillFault, fillPadding, fillSteps } from "./pad.ts";
import { exchangedOrder, permutation } from "./permute.ts";
import { addPermute, permuteSteps } from "./permute_chain.ts";
import { sliceOfTiles, sliceRows } from "./slice.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";
import { type ChainStep, chainStep, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import { type DeviceProgram, type OpPrograms, type StreamProgram, unknownPrograms } from "../program.ts";
import {
  inPages,
  interleavedCopy,
  interleavedTensor,
  isInShards,
  isPresent,
  layoutOf,
  type ProgramTensor,
  programTensor,
  withShape,
} from "../program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "../stream.ts";

/** Widest row in tiles that one core holds. */
const HELD_TILES = 60;

/** Comparisons per index if the core holds the whole row. */
const COMPARISONS_IN_HELD_ROW = 2;

/** Arrival time of a tile of a long row, in comparisons. */
const PAIR_COMPARISONS = 40;

/**
 * `gather`, index by index. Short rows: a core holds the input row and visits its rows of indices. Long rows:
 * every core takes columns of index tiles and compares each with every input tile; two tiles of each tensor
 * are in flight (published:ops-2: 43 us per index tile, or 14 to 21 us per pair of tiles, on n150).
 *
 * @param asked requested memory, used for the gathered tensor even if the result is elsewhere; by default the
 * input's
 */
export function gatherPrograms(op: OpLaunch, { chip }: LaunchContext, asked?: TtnnLayout): OpPrograms {
  const [input, index] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || index === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input, indices and a result");
  }
  const rank = input.shape.length;
  const dim = normalDim(readAttributes(op, GATHER).dim, rank);
  const permutes = dim !== rank - 1;
  const steps: ChainStep[] = [];
  const request = { order: exchangedOrder(rank, [dim, rank - 1]), isTranspose: true };
  const permute = (tensor: ProgramTensor) => addPermute(steps, tensor, request, layoutOf(tensor), chip);
  // Dimensions other than the last go through transposed copies, the indices first (`ttnn:backend-0-81-1`).
  const indices = permutes ? permute(index) : index;
  steps.push(...fillSteps(indices, chip));
  const permuted = permutes ? permute(input) : input;
  const rows = cutToIndices(permuted, indices);
  const isCut = rows !== permuted;
  if (isCut) steps.push(chainStep(rows, cutProgram(permuted, rows, chip)));
  const filled = fillPadding(asRead(rows), chip);
  if (filled.length > 0 || isCut) {
    steps.push({ tensor: rows, programs: filled, inPlace: true, frees: isCut && permutes ? [permuted] : [] });
  }
  const gathered = permutes
    ? programTensor({ shape: swapExtents(output.shape, dim, rank - 1), dataType: output.dataType }, {
      ...asked ?? layoutOf(input),
      dataType: output.dataType,
    })
    : output;
  steps.push(chainStep(gathered, gatherProgram({ input: rows, index: indices, output: gathered, chip })));
  if (permutes) steps.push(...permuteSteps(gathered, request, layoutOf(output), chip, output));
  return launchChain(steps, chip);
}

/**
 * The indices of a gather as rows, and the rows of the input that it reads, in the operands' memories.
 *
 * @param dim indexed dimension, from 0
 */
export function gatheredRows(
  input: ProgramTensor,
  index: ProgramTensor,
  dim: number,
): { readonly rows: ProgramTensor; readonly indices: ProgramTensor } {
  const permuted = (tensor: ProgramTensor) =>
    withShape(tensor, swapExtents(tensor.shape, dim, tensor.shape.length - 1));
  const indices = permuted(index);
  return { indices, rows: cutToIndices(permuted(input), indices) };
}

/** Why a gather cannot fill the padding of these rows (`ttnn:backend-0-81-1`); `undefined` if it can. */
export function gatherFillFault(
  { rows, indices }: { readonly rows: ProgramTensor; readonly indices: ProgramTensor },
): string | undefined {
  return rows.tiled ? fillFault(indices) ?? fillFault(asRead(rows)) : undefined;
}

/** Rows of an input whose padding columns a gather fills; it never reads padding rows. */
function asRead(rows: ProgramTensor): ProgramTensor {
  const [height = 1, width = 1] = rows.shape.slice(-2);
  return { ...rows, shape: [...rows.shape.slice(0, -2), roundUp(height, 32), width] };
}

/** The input, restricted to the rows, of tiles to the padded ones, and to the matrices of the indices. */
function cutToIndices(input: ProgramTensor, indices: ProgramTensor): ProgramTensor {
  const last = input.shape.length - 1;
  const isCut = input.shape.some((extent, dim) => {
    const asked = indices.shape[dim] ?? 1;
    return dim < last && extent !== (input.tiled && dim === last - 1 ? roundUp(asked, 32) : asked);
  });
  return isCut ? withShape(input, indices.shape.with(last, input.shape.at(-1) ?? 1)) : input;
}

/** The slice that restricts the input; it counts four dimensions. */
function cutProgram(input: ProgramTensor, rows: ProgramTensor, chip: ChipDescription): DeviceProgram {
  if (input.tiled) return sliceOfTiles(input, rows, chip);
  return sliceRows(inFourDimensions(input), inFourDimensions(rows), 0, chip);
}

function inFourDimensions(tensor: ProgramTensor): ProgramTensor {
  return withShape(tensor, [1, 1, 1, ...tensor.shape].slice(-Math.max(4, tensor.shape.length)));
}

/** A gather along rows. */
interface RowGather {
  readonly input: ProgramTensor;
  readonly index: ProgramTensor;
  readonly output: ProgramTensor;
  readonly chip: ChipDescription;
}

/**
 * A gather of row-major tensors: a core holds an input row and visits the rows of indices; long rows of indices are cut,
 * a part per core, beside two input rows (`ttnn:backend-0-81-1`).
 */
function rowGatherProgram({ input, index, output, chip }: RowGather): StreamProgram {
  const width = output.shape.at(-1) ?? 1;
  const isCut = width > 32 * HELD_TILES;
  const rows = rowCount(output.shape);
  const cores = workerCores(chip);
  const share = isCut ? Math.ceil(width / cores) / width : 1;
  const count = width * share * (isCut ? rows : 1) * COMPARISONS_IN_HELD_ROW;
  return streamProgram({
    units: isCut ? cores : rows,
    reads: [{ tensor: input, bytes: input.bytes * (isCut ? cores : 1) }, wholeTensor(index)],
    writes: [wholeTensor(output)],
    compute: { work: [{ operation: "gather_element", count }] },
    parts: isCut ? rows : 1,
    circularBuffers: [
      circularBuffer("in0", (isCut ? 2 : 1) * wholeRowBytes(input)),
      circularBuffer("index", share * wholeRowBytes(index)),
      circularBuffer("out", share * wholeRowBytes(output)),
    ],
  }, chip);
}

/** Bytes of a whole row, also where shards cut it. */
function wholeRowBytes(tensor: ProgramTensor): number {
  return interleavedCopy(tensor, "dram").pageBytes;
}

/** Gathers tiles, or {@linkcode rowGatherProgram rows}. */
function gatherProgram(gather: RowGather): StreamProgram {
  const { input, index, output, chip } = gather;
  if (!input.tiled) return rowGatherProgram(gather);
  const [rows, columns] = [tileRows(output.shape), tileColumns(output.shape)];
  const width = tileColumns(input.shape);
  const indices = 32 * Math.min(32, output.shape.at(-2) ?? 1);
  const held = width <= HELD_TILES;
  const count = held
    ? indices * columns * COMPARISONS_IN_HELD_ROW
    : (indices + PAIR_COMPARISONS) * rows * width;
  return streamProgram({
    units: held ? rows : columns,
    reads: [{ tensor: input, bytes: input.bytes * (held ? 1 : columns) }, wholeTensor(index)],
    writes: [wholeTensor(output)],
    compute: { work: [{ operation: "gather_element", count }] },
    parts: held ? columns : rows * width,
    circularBuffers: gatherBuffers(gather),
  }, chip);
}

/** Tiles of the result in flight for short rows. */
const LEAST_TILES_OUT = 4;

/**
 * Buffers of a gather: a tile row of input, an index tile, and a tile row of output, or single tiles next to
 * part of the row if L1 is too small. Formats other than bf16, and shards, go tile by tile, with two tiles of
 * a long row (`ttnn:backend-0-81-1`).
 */
function gatherBuffers({ input, index, output, chip }: RowGather): readonly CircularBuffer[] {
  const width = tileColumns(input.shape);
  const buffers = (tilesIn: number, tilesOut: number): readonly CircularBuffer[] => [
    pageBuffer("in0", tilesIn, input, "circular"),
    pageBuffer("index", 1, index, "circular"),
    pageBuffer("out", tilesOut, output, "circular"),
  ];
  if (input.dataType !== "bf16" || [input, index, output].some(isInShards)) {
    return buffers(width <= HELD_TILES ? width : 2, 1);
  }
  const fits = (own: readonly CircularBuffer[]) =>
    own.reduce((sum, { bytes }) => sum + bytes, 0) <= chip.l1Size - chip.l1UnreservedBase;
  const whole = buffers(width, Math.max(LEAST_TILES_OUT, tileColumns(output.shape)));
  if (fits(whole)) return whole;
  let parts = 1;
  while (!fits(buffers(Math.ceil(width / parts), 1)) && parts < width) parts++;
  return buffers(Math.ceil(width / parts), 1);
}

/** Share of L1 that four parts of rows of four-byte elements take at most (`ttnn:backend-0-81-1`). */
const SHARE_OF_PARTS = 0.9;

/**
 * A row in L1, of a multiple of 32 bytes; rows of more elements than a fourth of L1 holds are taken in parts
 * (`ttnn:backend-0-81-1`). ttnn takes smaller parts where other tensors lie in L1, which is not modelled.
 */
function rowBuffer(
  name: string,
  tensor: ProgramTensor,
  { l1Size, l1UnreservedBase, l1SmallSize }: ChipDescription,
): CircularBuffer {
  const free = l1Size - l1UnreservedBase - l1SmallSize;
  const most = roundUp(SHARE_OF_PARTS * free / 16 - 32, 32);
  return { name, bytes: roundUp(Math.min(wholeRowBytes(tensor), most * elementBytes(tensor.dataType)), 32) };
}

/** The rows that a scatter holds: of each operand, and one of sums in f32 where it combines what is narrower. */
function scratchRows(op: OpLaunch, rows: readonly ProgramTensor[]): readonly ProgramTensor[] {
  const [input] = rows;
  const { scatter_reduce_type: reduce = "" } = readAttributes(op, SCATTER);
  return input?.dataType !== "bf16" || reduce === "" || reduce.includes("invalid")
    ? rows
    : [...rows, interleavedTensor(input.shape, "f32", "dram", undefined)];
}

/**
 * `scatter`: tiled tensors are untilized within their memory, rows of the input are written anew, a tiled result
 * is tilized; dimensions other than the last go through transposed copies (`ttnn:backend-0-81-1`).
 */
export function scatterPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const operands = op.inputs.filter(isPresent);
  const [output] = op.outputs;
  if (operands.length < 2 || output === undefined) {
    return unknownPrograms(op.name, "needs an input, indices, updates and a result");
  }
  const rank = output.shape.length;
  const dim = normalDim(readAttributes(op, SCATTER).dim, rank);
  const steps: ChainStep[] = [];
  const order = exchangedOrder(rank, [dim, rank - 1]);
  const permuted = (tensor: ProgramTensor) => withShape(tensor, swapExtents(tensor.shape, dim, rank - 1));
  const permute = (tensor: ProgramTensor, made: ProgramTensor) => {
    // The permutation frees the tensor that it reads, if a step of this op made it.
    if (!permuteSharesBuffer(tensor, made, order)) {
      steps.push(chainStep(made, permutation(tensor, made, order, chip), [tensor]));
    }
    return made;
  };
  const rows = operands.map((tensor) => {
    const flat = tensor.tiled ? inPages(tensor, "row_major") : tensor;
    if (flat !== tensor) steps.push(...untilizeSteps(tensor, flat, chip));
    return dim === rank - 1 ? flat : permute(flat, permuted(flat));
  });
  const result = output.tiled ? inPages(output, "row_major") : output;
  const made = dim === rank - 1 ? result : permuted(result);
  steps.push(chainStep(
    made,
    streamProgram({
      units: made.pages,
      reads: rows.map(wholeTensor),
      writes: [wholeTensor(made)],
      reader: { barriers: rows.length },
      circularBuffers: [
        rowBuffer("out", made, chip),
        ...scratchRows(op, rows).map((tensor, index) => ({
          ...rowBuffer(`row${index}`, tensor, chip),
          kind: "scratch" as const,
        })),
      ],
    }, chip),
  ));
  if (made !== result) permute(made, result);
  if (result !== output) steps.push(...tilizeSteps(result, output, chip));
  return launchChain(steps, chip);
}
