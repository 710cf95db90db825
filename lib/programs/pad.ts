// SPDX-License-Identifier: Apache-2.0
import { PAD } from "../ops/attributes/movement.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { elementBytes, isBlockFloat } from "../layout/data_type.ts";
import { fillsTiles, rowCount } from "../layout/extents.ts";
import { roundUp } from "../layout/make_layout.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { fillPadding, fillSteps } from "./fill_pad.ts";
import { type ChainStep, chainStep, launchChain } from "./launch_sequence.ts";
import { keepsPlace, movedSteps } from "./memory_move.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "./op_launch.ts";
import type { DeviceProgram, OpPrograms } from "./program.ts";
import {
  alignmentOf,
  bytesPerTile,
  isInShards,
  layoutOf,
  type ProgramTensor,
  programTensor,
  withFormat,
} from "./program_tensor.ts";
import { pageBuffer, pageCopy, streamProgram, wholeTensor } from "./stream.ts";
import { typecastProgram } from "./typecast.ts";

/** How a `pad` runs. */
export interface PadPlan {
  /** Whether the operand's own padding is filled first. */
  readonly fills: boolean;
  /** Whether the result takes as many tiles as the operand, which then hold the padding. */
  readonly keepsTiles: boolean;
  /** Whether the result lies in the operand's buffer. */
  readonly isInPlace: boolean;
}

/**
 * How a `pad` runs: tiles that have padding of their own are filled in place, further ones are written by a program, block
 * floats as bf16 (`ttnn:backend-0-81-1`).
 *
 * @param output the result, once it is placed
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

/** `pad` as {@linkcode padPlan} has it. */
export function padPrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const { fills, keepsTiles } = padPlan(op, input, output);
  if (keepsTiles && !fills) return launchChain(movedSteps(input, output, chip), chip);
  const before = readAttributes(op, PAD).padding.at(-2) ?? 0;
  if (!input.tiled) return launchChain(padSteps(input, output, before, chip), chip);
  if (!isBlockFloat(input.dataType)) {
    return launchChain([
      ...fills ? fillSteps(input, chip) : [],
      ...keepsTiles ? movedSteps(input, output, chip) : padSteps(input, output, before, chip),
    ], chip);
  }
  const cast = (from: ProgramTensor, to: ProgramTensor): ChainStep =>
    chainStep(to, typecastProgram(from, to, chip));
  const [wide, padded] = [withFormat(input, "bf16"), withFormat(output, "bf16")];
  const widened = cast(input, wide);
  const filled = fills
    ? [
      { ...widened, programs: [...widened.programs, ...fillPadding(wide, chip)] },
      { ...cast(wide, input), frees: [wide] },
    ]
    : [];
  const steps = keepsTiles
    ? movedSteps(input, output, chip)
    : [cast(input, wide), ...padSteps(wide, padded, before, chip), cast(padded, output)];
  return launchChain([...filled, ...steps], chip);
}

/**
 * Whether rows become wider and more, from height shards into shards: wider first, in height shards on the operand's
 * cores, then more (`ttnn:backend-0-81-1`).
 */
export function padsTwice(input: ProgramTensor, output: ProgramTensor): boolean {
  return input.memoryLayout === "height_sharded" && isInShards(output) &&
    input.shape.at(-1) !== output.extent[1] && rowCount(input.shape) !== output.extent[0];
}

/** The programs that write a result with more rows or columns than the operand. */
function padSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  before: number,
  chip: ChipDescription,
): readonly ChainStep[] {
  const pad = (from: ProgramTensor, to: ProgramTensor) =>
    chainStep(to, from.tiled ? padTiles(from, to, chip) : padRows(from, to, before, chip));
  if (!padsTwice(input, output)) return [pad(input, output)];
  const unit = input.tiled ? 32 : 1;
  const columns = output.extent[1];
  const wider = programTensor(
    { shape: [...input.shape.slice(0, -1), columns], dataType: input.dataType },
    {
      ...layoutOf(input),
      shardShape: [Math.ceil(input.extent[0] / input.shardCores / unit), columns / unit],
    },
  );
  return [pad(input, wider), { ...pad(wider, output), frees: [wider] }];
}

/** Each core makes a tile of the padding value word by word, then copies tiles of the input and of padding. */
function padTiles(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const cores = Math.min(workerCores(chip), output.tiles);
  return streamProgram({
    units: output.tiles,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: {
      work: [{ operation: "fill_word", count: bytesPerTile(input) / 4 / Math.ceil(output.tiles / cores) }],
    },
    circularBuffers: [
      pageBuffer("in0", 2, input),
      { ...pageBuffer("padding_value", 1, input), kind: "scratch" },
    ],
  }, chip);
}

/** Short copies that a row of padding takes, which every row of the result begins as and is waited for. */
const COPIES_PER_ROW = 4;

/** Likewise the row of the input, where it cannot be read to its place: it is staged, waited for and copied. */
const STAGED_COPIES = 3;

/** Bytes of rows that are read before the reader waits. */
const BARRIER_BYTES = 2048;

/** As many barriers' rows are in flight, however wide they are (tt-metal:pad, `buffer_reader_writer_async_factor`). */
const BARRIERS_IN_FLIGHT = 16;

/**
 * Every row of the result is a copy of a row of padding first, then the row of the input is read into it; where that does
 * not begin, or the result does not end, on a word of the memory, through a staging buffer (tt-metal:pad,
 * `reader_pad_dims_rm_interleaved_v2`).
 */
function padRows(
  input: ProgramTensor,
  output: ProgramTensor,
  before: number,
  chip: ChipDescription,
): DeviceProgram {
  const alignment = alignmentOf(output, chip);
  const isStaged = before > 0 || output.pageBytes % alignment !== 0;
  return pageCopy([input], [output], {
    reader: { copies: COPIES_PER_ROW + (isStaged ? STAGED_COPIES : 0) },
    circularBuffers: rowBuffers(input, output, before, chip),
  }, chip);
}

/**
 * Bytes per core that rows of the result in flight may take: half of L1, less what lies below the first buffer
 * (`ttnn:backend-0-81-1`). A row that is longer is refused.
 */
export function paddedRowsBudget({ l1Size, l1UnreservedBase }: ChipDescription): number {
  return l1Size / 2 - l1UnreservedBase;
}

/**
 * Rows of the result in flight, a row of the padding value, and one to stage rows in where they begin elsewhere or do
 * not end on a word of DRAM; shards on both sides take a row of the result (`ttnn:backend-0-81-1`).
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
    return [{ name: "row", bytes }];
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
