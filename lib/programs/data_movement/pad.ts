// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { elementBytes, isBlockFloat } from "../../layout/data_type.ts";
import { fillsTiles, matrixCount, rowCount, sameExtents } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { PAD } from "../../ops/attributes/movement.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { keepsPlace, movedSteps } from "./memory_move.ts";
import { castStep, tileWork, typecastProgram } from "../eltwise/eltwise_program.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "../op_launch.ts";
import type { DeviceProgram, OpPrograms, StreamProgram } from "../program.ts";
import {
  alignmentOf,
  bytesPerTile,
  isInShards,
  layoutOf,
  type ProgramTensor,
  programTensor,
  rowMajorTensor,
  withFormat,
  withShape,
} from "../program_tensor.ts";
import { fillingWords, pageBuffer, pageCopy, streamProgram, wherePlaced, wholeTensors } from "../stream.ts";

export interface PadPlan {
  /** Whether the operand's own padding is filled first. */
  readonly fills: boolean;
  /** Whether the result has as many tiles as the operand; its tiles then hold the padding. */
  readonly keepsTiles: boolean;
  /** Whether the result uses the operand's buffer. */
  readonly isInPlace: boolean;
}

/**
 * The plan of a `pad`: existing tile padding is filled in place, further tiles are written by a program,
 * block floats as bf16 (`ttnn:backend-0-81-1`).
 *
 * @param output the placed result
 */
export function padPlan(
  op: Pick<OpLaunch, "attributes">,
  input: ProgramTensor,
  output: ProgramTensor | undefined,
): PadPlan {
  const { padding } = readAttributes(op, PAD);
  const isNothing = padding.every((amount) => amount === 0);
  const rank = input.shape.length;
  // Amounts are given for the last dimensions.
  const behind = (dim: number) => padding[2 * dim + 1 - (2 * rank - padding.length)] ?? 0;
  const keepsTiles = isNothing ||
    (input.tiled &&
      input.shape.every((extent, dim) =>
        dim < rank - 2 ? behind(dim) === 0 : Math.ceil(extent / 32) === Math.ceil((extent + behind(dim)) / 32)
      ));
  const fills = input.tiled && !isNothing && !fillsTiles(input.shape);
  const casts = fills && isBlockFloat(input.dataType);
  const isInPlace = keepsTiles && !casts && output !== undefined && keepsPlace(input, output);
  return { fills, keepsTiles, isInPlace };
}

/** The programs of {@linkcode padPlan}. */
export function padPrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const { fills, keepsTiles } = padPlan(op, input, output);
  if (keepsTiles && !fills) return launchChain(movedSteps(input, output, chip), chip);
  const { padding, use_multicore: isMulticore } = readAttributes(op, PAD);
  const how: PadHow = { before: padding.at(-2) ?? 0, isMulticore };
  if (keepsTiles) return launchChain([...filledSteps(input, chip), ...movedSteps(input, output, chip)], chip);
  if (!isBlockFloat(input.dataType)) return launchChain(paddedByDimension(input, output, how, chip), chip);
  return launchChain([
    ...fills ? filledSteps(input, chip) : [],
    ...paddedInFormat(input, output, how, chip).map((step) => ({ ...step, frees: [] })),
  ], chip);
}

/** {@linkcode fillSteps} of a `pad`, which casts block floats back into the operand's buffer. */
function filledSteps(input: ProgramTensor, chip: ChipDescription): readonly ChainStep[] {
  if (!isBlockFloat(input.dataType)) return fillSteps(input, chip);
  const wide = withFormat(input, "bf16");
  return [
    { tensor: wide, programs: [typecastProgram(input, wide, chip), ...fillPadding(wide, chip)] },
    chainStep(input, typecastProgram(wide, input, chip), [wide]),
  ];
}

/**
 * The steps that pad as a part of another op; block floats via bf16, whose temporaries go at the end, the last first
 * (`ttnn:backend-0-81-1`).
 */
export function paddedInFormat(
  input: ProgramTensor,
  output: ProgramTensor,
  how: PadHow,
  chip: ChipDescription,
): readonly ChainStep[] {
  if (!isBlockFloat(input.dataType)) return padSteps(input, output, how, chip);
  const [wide, padded] = [withFormat(input, "bf16"), withFormat(output, "bf16")];
  return [
    chainStep(wide, typecastProgram(input, wide, chip)),
    ...padSteps(wide, padded, how, chip),
    { ...chainStep(output, typecastProgram(padded, output, chip)), frees: [padded, wide] },
  ];
}

/**
 * With more than four dimensions, leading ones that stay not counted, an interleaved operand's dimensions before the last
 * three are padded one by one in its memory, outermost first; the padding of tiles is filled before each step
 * (`ttnn:backend-0-81-1`).
 */
function paddedByDimension(
  input: ProgramTensor,
  output: ProgramTensor,
  how: PadHow,
  chip: ChipDescription,
): readonly ChainStep[] {
  const ones = input.shape.findIndex((extent, dim) => extent !== 1 || output.shape[dim] !== 1);
  const isWhole = isInShards(input) || input.shape.length - ones <= 4;
  const stages: ProgramTensor[] = [];
  for (const [dim, extent] of (isWhole ? [] : output.shape.slice(0, -INNER_DIMENSIONS)).entries()) {
    const from = stages.at(-1) ?? input;
    if (from.shape[dim] !== extent) stages.push(withShape(from, from.shape.with(dim, extent)));
  }
  return [...stages, output].flatMap((to, at) => {
    const from = stages[at - 1] ?? input;
    const own = sameExtents(from.shape, to.shape)
      ? movedSteps(from, to, chip)
      : [...fillSteps(from, chip), ...padSteps(from, to, to === output ? how : { ...how, before: 0 }, chip)];
    return at === 0 ? own : freeing(own, from);
  });
}

/** Dimensions that one program pads, of more than four. */
export const INNER_DIMENSIONS = 3;

/**
 * Whether rows become both wider and more, from height shards to shards: first wider, height
 * sharded on the operand's cores, then more (`ttnn:backend-0-81-1`).
 */
export function padsTwice(input: ProgramTensor, output: ProgramTensor): boolean {
  return input.memoryLayout === "height_sharded" && isInShards(output) &&
    input.shape.at(-1) !== output.extent[1] && rowCount(input.shape) !== output.extent[0];
}

/** How a padding program runs. */
export interface PadHow {
  /** Columns of padding before the operand's. */
  readonly before: number;
  /** `use_multicore`: otherwise one core pads, except from shards. */
  readonly isMulticore: boolean;
}

/** The padding behind rows and columns that other ops ask for. */
export const PAD_BEHIND: PadHow = { before: 0, isMulticore: true };

/** The programs that write a result with more rows or columns than the operand. */
export function padSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  how: PadHow,
  chip: ChipDescription,
): readonly ChainStep[] {
  const pad = (from: ProgramTensor, to: ProgramTensor): ChainStep =>
    from.tiled
      ? chainStep(to, padTiles(from, to, how, chip))
      : how.isMulticore || isInShards(from)
      ? chainStep(to, padRows(from, to, how, chip))
      : padRowsOnOneCore(from, to, chip);
  if (!padsTwice(input, output)) return [pad(input, output)];
  const unit = input.tiled ? 32 : 1;
  const columns = output.extent[1];
  const shardShape = [Math.ceil(input.extent[0] / input.shardCores / unit), columns / unit];
  const wider = programTensor(
    { shape: input.shape.with(-1, columns), dataType: input.dataType },
    { ...layoutOf(input), shardShape },
  );
  return [pad(input, wider), { ...pad(wider, output), frees: [wider] }];
}

/** Each core writes a tile of the padding value word by word, then copies tiles of input and padding. */
function padTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  { isMulticore }: PadHow,
  chip: ChipDescription,
): DeviceProgram {
  const maxCores = isMulticore ? workerCores(chip) : 1;
  const ownTiles = Math.ceil(output.tiles / Math.min(maxCores, output.tiles));
  return streamProgram({
    units: output.tiles,
    maxCores,
    ...wholeTensors(input, output),
    compute: { work: [{ operation: "fill_word", count: bytesPerTile(input) / 4 / ownTiles }] },
    circularBuffers: [pageBuffer("in0", 2, input), pageBuffer("padding_value", 1, input, "scratch")],
  }, chip);
}

/** Short copies per row of padding, the initial content of every result row, with a barrier. */
const COPIES_PER_ROW = 4;

/** Copies per input row that cannot be read to its final address: read, barrier, copy. */
const STAGED_COPIES = 3;

/** Bytes of rows per read barrier. */
const BARRIER_BYTES = 2048;

/**
 * Barriers' worth of rows in flight, for any row width (tt-metal:pad, `buffer_reader_writer_async_factor`).
 */
const BARRIERS_IN_FLIGHT = 16;

/**
 * Every result row is first a copy of a padding row; then the input row is read into it, or staged if its
 * begin or the result's end is not aligned (tt-metal:pad, `reader_pad_dims_rm_interleaved_v2`).
 */
function padRows(
  input: ProgramTensor,
  output: ProgramTensor,
  { before }: PadHow,
  chip: ChipDescription,
): DeviceProgram {
  const alignment = alignmentOf(output, chip);
  const isStaged = before > 0 || output.pageBytes % alignment !== 0;
  return pageCopy([input], [output], {
    reader: { copies: COPIES_PER_ROW + (isStaged ? STAGED_COPIES : 0) },
    circularBuffers: rowBuffers(input, output, before, chip),
  }, chip);
}

/** Most result rows in flight on the one core without `use_multicore`. */
const ROWS_ON_ONE_CORE = 16;

/** Elements of the line of padding in L1 that one core copies from, bf16 for every format. */
const LINE_ELEMENTS = 32;

/**
 * One core pads row by row from a line of padding in interleaved L1, which lives as long as the program
 * (`ttnn:backend-0-81-1`).
 */
function padRowsOnOneCore(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): ChainStep {
  const row = roundUp(
    (output.shape.at(-1) ?? 1) * elementBytes(output.dataType),
    Math.max(alignmentOf(input, chip), LINE_ELEMENTS),
  );
  const rows = Math.min(ROWS_ON_ONE_CORE, Math.max(1, Math.floor(paddedRowsBudget(chip) / row)));
  const program = pageCopy([input], [output], {
    maxCores: 1,
    reader: { copies: COPIES_PER_ROW },
    circularBuffers: [{ name: "in0", bytes: rows * row }],
  }, chip);
  return { ...chainStep(output, program), tables: [rowMajorTensor([1, 1, 1, LINE_ELEMENTS], "bf16", "l1")] };
}

/**
 * Bytes per core for result rows in flight: half of L1 minus the reserved base (`ttnn:backend-0-81-1`). A
 * longer row is refused.
 */
export function paddedRowsBudget({ l1Size, l1UnreservedBase }: ChipDescription): number {
  return l1Size / 2 - l1UnreservedBase;
}

/**
 * Buffers: result rows in flight, a padding row, and a staging row if rows begin elsewhere or do not end on a
 * DRAM word; from height shards to height shards one result row, as long as wider rows stay on their cores
 * (`ttnn:backend-0-81-1`).
 */
function rowBuffers(
  input: ProgramTensor,
  output: ProgramTensor,
  before: number,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const width = output.shape.at(-1) ?? 1;
  const bytes = width * elementBytes(output.dataType);
  if (
    isInShards(input) && output.memoryLayout === "height_sharded" && input.memoryLayout === "height_sharded"
  ) {
    if (input.extent[1] === output.extent[1]) return [{ name: "row", bytes }];
    if (input.shardShape[0] === output.shardShape[0]) return [{ name: "row", bytes, kind: "scratch" }];
  }
  const row = roundUp(bytes, chip.l1Alignment);
  const inDram = roundUp(bytes, chip.dramAlignment);
  const stages = before > 0 || row % chip.dramAlignment !== 0;
  const rows = Math.min(
    BARRIERS_IN_FLIGHT * Math.ceil(BARRIER_BYTES / row),
    Math.floor(paddedRowsBudget(chip) / row),
  );
  return [
    { name: "in0", bytes: Math.max(1, rows) * row },
    { name: "padding_value", bytes: inDram, kind: "scratch" },
    ...stages ? [{ name: "staging", bytes: inDram, kind: "scratch" as const }] : [],
  ];
}

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
  return !isInShards(tensor) || fillsTiles(shape) || matrixCount(shape) === 1
    ? undefined
    : `padding of ${matrixCount(shape)} matrices of ${shape.slice(-2).join("x")} is not filled in shards`;
}

/** Tiles without padding. */
function fullTiles(shape: readonly number[]): number {
  const matrices = matrixCount(shape);
  return matrices * Math.floor((shape.at(-2) ?? 1) / 32) * Math.floor((shape.at(-1) ?? 1) / 32);
}
