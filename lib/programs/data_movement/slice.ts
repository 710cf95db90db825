// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { rowElementBytes } from "../../layout/data_type.ts";
import { rowCount } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { SLICE, SLICE_DYNAMIC } from "../../ops/attributes/movement.ts";
import { type AttributedOp, readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { movedSteps } from "./memory_move.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";
import { chainStep, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import { type DeviceProgram, inOrder, type OpPrograms, type StreamProgram } from "../program.ts";
import { alignmentOf, deviceMemory, type ProgramTensor, rowMajorTensor } from "../program_tensor.ts";
import { pageBuffer, pageCopy, splitWorkToCores, streamProgram, wholeTensor } from "../stream.ts";

/**
 * Most bytes of contiguous rows that one read of the row-major program merges (tt-metal slice,
 * `MAX_READ_SIZE`).
 */
const MAX_READ_BYTES = 4096;

/** The granularity of a slice. */
export type SliceKind =
  /** Nothing: the slice keeps everything. */
  | "nothing"
  /** Whole tiles: every begin is on a tile boundary. */
  | "tiles"
  /** Parts of rows; bounds that are tensors may be anywhere. */
  | "rows"
  /** Single elements of rows, for steps above 1. */
  | "elements";

/** The granularity of a slice of an operand. */
export function sliceKind(
  op: AttributedOp,
  { shape, tiled }: Pick<ProgramTensor, "shape" | "tiled">,
): SliceKind {
  if (readAttributes(op, SLICE_DYNAMIC).step?.some((step) => step !== 1) === true) return "elements";
  const [begins, ends] = writtenBounds(op);
  if (begins === undefined) return "rows";
  const keepsAll = begins.every((begin) => begin === 0) &&
    shape.every((extent, dim) => (ends?.[dim] ?? extent) >= extent);
  if (keepsAll) return "nothing";
  const isAligned = begins.length >= 2 && begins.slice(-2).every((begin) => begin % 32 === 0);
  return tiled && isAligned ? "tiles" : "rows";
}

/** Begins and ends from attributes; empty if they are operands. */
export function writtenBounds(op: AttributedOp): readonly (readonly number[])[] {
  if (op.name === "ttnn.slice_dynamic") return [];
  const { begins, ends } = readAttributes(op, SLICE);
  return [begins, ends];
}

/**
 * `slice_static` and `slice_dynamic`: row-major tensors by rows; tiled ones by tiles if every begin is on a
 * tile boundary; all others via row-major data in the result's memory: untilize, slice, tilize
 * (`ttnn:backend-0-81-1`).
 */
export function slicePrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const kind = sliceKind(op, input);
  if (kind === "nothing") return launchChain(movedSteps(input, output, chip), chip);
  if (kind === "tiles") return inOrder(sliceTiles(input, output, chip));
  const begin = writtenBounds(op)[0]?.at(-1) ?? 0;
  const rows = (from: ProgramTensor, to: ProgramTensor) =>
    chainStep(to, kind === "elements" ? sliceElements(from, to, chip) : sliceRows(from, to, begin, chip));
  if (!input.tiled) return launchChain([rows(input, output)], chip);
  const from = rowMajorTensor(input.shape, input.dataType, deviceMemory(output));
  const to = rowMajorTensor(output.shape, output.dataType, deviceMemory(output));
  const steps = [...untilizeSteps(input, from, chip), rows(from, to), ...tilizeSteps(to, output, chip)];
  return launchChain(steps, chip);
}

/** A slice of whole tiles. */
export function sliceTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  return pageCopy([input], [output], { circularBuffers: [pageBuffer("in0", 2, input), bounds(input)] }, chip);
}

/** The buffer of a slice's bounds, a 4-byte word per dimension. */
function bounds({ shape }: ProgramTensor): CircularBuffer {
  return { name: "bounds", bytes: 4 * shape.length, kind: "scratch" };
}

/**
 * A slice of rows. The circular buffer holds two batches of result rows; a batch is the rows of a core that
 * one read of at most 4096 bytes merges, counted in multiples of 32 (tt-metal `slice_program_factory_rm.cpp`
 * `compute_cb_size`). The reader has one barrier per batch.
 *
 * @param begin first element of a row that is kept
 */
export function sliceRows(
  input: ProgramTensor,
  output: ProgramTensor,
  begin: number,
  chip: ChipDescription,
): DeviceProgram {
  const alignment = Math.max(alignmentOf(input, chip), alignmentOf(output, chip));
  const element = rowElementBytes(input.dataType);
  const rowBytes = (output.shape.at(-1) ?? 1) * element;
  const stride = roundUp(rowBytes, alignment);
  const isMisaligned = begin * element % alignmentOf(input, chip) !== 0;
  const page = isMisaligned ? roundUp(rowBytes, 2 * alignment) : stride;
  const rows = rowCount(output.shape);
  const own = splitWorkToCores(workerCores(chip), rows).unitsPerCoreGroup1;
  const perCore = roundUp(own, 32);
  let merged = 1;
  for (let count = 1; count <= perCore && count * stride <= MAX_READ_BYTES; count++) {
    if (perCore % count === 0) merged = count;
  }
  return pageCopy([input], [output], {
    // A core has one barrier even if its rows do not fill a batch. Rows that do not begin on a memory word
    // are read in whole words and shifted into place after their arrival (published:ops-3).
    reader: isMisaligned
      ? { barriers: 1, copies: 1 }
      : { barriers: 1 / Math.min(merged, own), copies: merged > 1 ? 1 : 0 },
    writer: { barriers: 1 / Math.min(merged, own) },
    circularBuffers: [{ name: "in0", bytes: 2 * merged * page }, bounds(input)],
  }, chip);
}

/** A slice with steps: reads whole rows and copies the kept elements byte by byte (tt-metal:slice). */
function sliceElements(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const element = rowElementBytes(input.dataType);
  const rows = rowCount(output.shape);
  const alignment = Math.max(alignmentOf(input, chip), alignmentOf(output, chip));
  return streamProgram({
    units: rows,
    reads: [{ tensor: input, bytes: rows * input.pageBytes }],
    writes: [wholeTensor(output)],
    compute: { work: [{ operation: "copy_byte", count: (output.shape.at(-1) ?? 1) * element }] },
    circularBuffers: [{ name: "in0", bytes: 2 * roundUp(input.pageBytes, alignment) }],
  }, chip);
}

/** Bytes of the table of begins of a slice of four dimensions. */
const SLICE_TABLE_BYTES = 4 * 4;

/** `Slice` of whole tiles, as a step of another op. */
export function sliceOfTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  return streamProgram({
    units: output.tiles,
    reads: [{ tensor: input, bytes: output.bytes }],
    writes: [wholeTensor(output)],
    circularBuffers: [
      pageBuffer("in0", 2, input),
      { name: "begins", bytes: SLICE_TABLE_BYTES, kind: "scratch" },
    ],
  }, chip);
}
