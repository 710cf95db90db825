// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { elementBytes, isBlockFloat } from "../../layout/data_type.ts";
import { normalDim } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import { CONCAT } from "../../ops/attributes/movement.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { movedSteps, permuteSharesBuffer } from "./memory_move.ts";
import { permutation } from "./permute.ts";
import { tilizeProgram, unpaddedShard, untilizeSteps } from "./tilize.ts";
import type { UntilizeKernel } from "./tilize_cut.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import { emptyRoom, type LaunchContext, type OpLaunch, type Room, type UnaryLaunch } from "../op_launch.ts";
import type { DeviceProgram, OpPrograms } from "../program.ts";
import {
  alignmentOf,
  bytesPerBank,
  bytesPerTile,
  circularBufferPage,
  deviceMemory,
  inDram,
  interleavedCopy,
  isInShards,
  isPresent,
  layoutOf,
  type ProgramTensor,
  programTensor,
  rowMajorTensor,
  tiledTensor,
} from "../program_tensor.ts";
import { inShards, type ShardExtent, shardExtent } from "../shard_spec.ts";
import { pageBuffer, pageCopy, residentProgram, streamProgram, wholeTensor } from "../stream.ts";

/** How a `concat` runs. */
export interface ConcatPlan {
  /** The operands as they are joined, after being untilized or moved if necessary. */
  readonly parts: readonly ProgramTensor[];
  /**
   * `pages`: pages are copied; `shards`: each core joins its shards; `columns`: one kernel joins columns that
   * do not end on tiles, via row-major data.
   */
  readonly joins: "pages" | "shards" | "columns";
  /** The joined tensor; moved or tilized afterwards if it is not the result. */
  readonly joined: ProgramTensor;
}

/**
 * The plan of a concat along a dimension. Each core joins its shards if the result is sharded, or if the shards of the
 * first operand do not split the dimension; everything else is copied page by page. If a tiled operand does not end on
 * tiles along the dimension, all operands are untilized first, or one kernel untilizes and joins columns: of at most
 * {@linkcode MOST_COLUMN_OPERANDS} interleaved operands in bf16 or f32, if its buffers, and a result in L1, fit below the
 * lowest tensor (`ttnn:backend-0-81-1`).
 *
 * @param output the result; its page layout and format may differ from those of the joined tensor
 * @param room free L1; a search over joins must not depend on the memory of single operands, and takes an empty L1
 */
export function concatPlan(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  axis: number,
  chip: ChipDescription,
  room: Room = () => emptyRoom(chip),
): ConcatPlan {
  if (!joinsRagged(inputs, axis)) return joinPlan(inPagesOfFirst(inputs), output, axis, chip);
  const isFloat = inputs.every(({ dataType }) => dataType === "bf16" || dataType === "f32");
  if (isFloat && joinsRaggedColumns(inputs, output, axis) && inputs.length <= MOST_COLUMN_OPERANDS) {
    const buffers = columnBuffers(inputs, output).reduce((sum, { bytes }) => sum + bytes, 0);
    const result = inDram(output) ? 0 : bytesPerBank(output, chip);
    if (buffers + result <= room().beforeResults) {
      return { parts: inputs, joins: "columns", joined: output };
    }
  }
  return joinPlan(inputs.map(asRows), inRows(output), axis, chip);
}

/**
 * Interleaved operands whose pages differ from the first operand's are converted to its pages, in their
 * memory (`ttnn:backend-0-81-1`).
 */
function inPagesOfFirst(inputs: readonly ProgramTensor[]): readonly ProgramTensor[] {
  const tiled = inputs[0]?.tiled === true;
  return inputs.map((input) => {
    if (input.tiled === tiled) return input;
    return tiled ? tiledTensor(input.shape, input.dataType, deviceMemory(input)) : asRows(input);
  });
}

/** Most operands of the kernel that joins columns. */
const MOST_COLUMN_OPERANDS = 32;

/**
 * Whether tiled operands do not end on tiles along the joined dimension. Always true for tiled operands of one
 * dimension: the backend takes the row dimension of their tiles for the joined one (`ttnn:backend-0-81-1`).
 */
export function joinsRagged(inputs: readonly ProgramTensor[], axis: number): boolean {
  return inputs.some(({ shape, tiled }) =>
    tiled && (shape.length === 1 || axis >= shape.length - 2 && (shape[axis] ?? 1) % 32 !== 0)
  );
}

/** Whether columns of interleaved tiled operands, none block float, do not end on tiles. */
export function joinsRaggedColumns(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  axis: number,
): boolean {
  return axis === output.shape.length - 1 && axis > 0 && joinsRagged(inputs, axis) &&
    ![...inputs, output].some(isInShards) && !inputs.some(({ dataType }) => isBlockFloat(dataType));
}

function joinPlan(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  axis: number,
  chip: ChipDescription,
): ConcatPlan {
  const [first] = inputs;
  if (first !== undefined && inputs.some(isInShards) && (isInShards(output) || joinsShards(first, axis))) {
    return {
      parts: inputs,
      joins: "shards",
      joined: isInShards(output) ? output : joinedShards(inputs, output, axis),
    };
  }
  // If some operands are sharded, all are moved to the result's memory first.
  const parts = inputs.some(isInShards)
    ? inputs.map((input) => interleavedCopy(input, deviceMemory(output)))
    : inputs;
  const isDirect = output.tiled || !isInShards(output) ||
    (output.memoryLayout === "height_sharded" && output.pageBytes % chip.l1Alignment === 0);
  return { parts, joins: "pages", joined: isDirect ? output : interleavedCopy(output, "dram") };
}

/** Whether the joined dimension is not split by the shards, so that each core joins its own. */
export function joinsShards({ shape, memoryLayout }: ProgramTensor, axis: number): boolean {
  if (axis < shape.length - 2) return false;
  return memoryLayout === "block_sharded" ||
    memoryLayout === (axis === shape.length - 1 ? "height_sharded" : "width_sharded");
}

/** The concatenated shards of all operands, on the first operand's cores. */
function joinedShards(inputs: readonly ProgramTensor[], output: ProgramTensor, axis: number): ProgramTensor {
  const layouts = inputs.map(layoutOf);
  const [first] = layouts;
  if (first === undefined) return output;
  const along = axis === output.shape.length - 1 ? 1 : 0;
  const sum = layouts.reduce((extent, layout) => extent + (shardExtent(layout)[along] ?? 0), 0);
  const [rows, columns] = shardExtent(first);
  const shard: ShardExtent = along === 1 ? [rows, sum] : [sum, columns];
  return programTensor(output, inShards(first, layoutOf(output), shard));
}

/** A tiled operand untilized and unpadded, in its own memory. */
function asRows(tensor: ProgramTensor): ProgramTensor {
  if (!isInShards(tensor)) return rowMajorTensor(tensor.shape, tensor.dataType, deviceMemory(tensor));
  const layout = layoutOf(tensor);
  const dataType = isBlockFloat(tensor.dataType) ? "bf16" : tensor.dataType;
  const shard = unpaddedShard({ shape: tensor.shape, layout });
  return programTensor(
    { shape: tensor.shape, dataType },
    inShards(layout, { dataType, tile: undefined }, shard),
  );
}

/** The row-major form of a tiled result, in the same memory. */
export function inRows(output: ProgramTensor): ProgramTensor {
  if (!isInShards(output)) return rowMajorTensor(output.shape, output.dataType, deviceMemory(output));
  return programTensor(output, inShards(layoutOf(output), { dataType: output.dataType, tile: undefined }));
}

/** The programs of {@linkcode concatPlan}. Row-major shards are priced like rows spread over L1. */
export function concatPrograms(op: UnaryLaunch, { chip, room }: LaunchContext): OpPrograms {
  const { output } = op;
  const inputs = op.inputs.filter(isPresent);
  const axis = concatAxis(op, output.shape.length);
  const plan = concatPlan(inputs, output, axis, chip, room);
  const kernel = joinsRagged(inputs, axis) ? "unpadding" : undefined;
  const ready = inputs.map((input, index) => {
    const part = plan.parts[index] ?? input;
    const paged = pageSteps(input, part, chip, kernel);
    return { paged, moved: movedSteps(endOf(paged, input), part, chip) };
  });
  const made = ready.map(({ paged, moved }) => [...paged, ...moved].map(({ tensor }) => tensor));
  return launchChain([
    // All are in their pages before the first one moves (`ttnn:backend-0-81-1`).
    ...ready.flatMap(({ paged }) => paged),
    ...ready.flatMap(({ moved }) => moved),
    ...joinSteps(plan, made, axis, chip),
    ...endSteps(plan.joined, output, chip),
  ], chip);
}

/**
 * An operand in the pages in which it is joined, in its own memory; tiles are made in the memory of the join.
 *
 * @param kernel the untilize kernel; `undefined` derives it from the tensors
 */
function pageSteps(
  input: ProgramTensor,
  part: ProgramTensor,
  chip: ChipDescription,
  kernel: UntilizeKernel | undefined,
): readonly ChainStep[] {
  if (input.tiled === part.tiled) return [];
  if (part.tiled) return [chainStep(part, tilizeProgram(input, part, chip))];
  return untilizeSteps(input, asRows(input), chip, undefined, kernel);
}

function endSteps(joined: ProgramTensor, output: ProgramTensor, chip: ChipDescription): readonly ChainStep[] {
  if (joined.tiled === output.tiled) return movedSteps(joined, output, chip);
  const rows = inRows(output);
  return [
    ...freeing(movedSteps(joined, rows, chip), joined),
    chainStep(output, tilizeProgram(rows, output, chip)),
  ];
}

/**
 * Whether tensors are joined transposed: along their last dimension, if a row of one is no multiple of the
 * memory's alignment; block floats count one byte per element (`ttnn:backend-0-81-1`).
 */
export function permutesRows({ parts, joined }: ConcatPlan, axis: number, chip: ChipDescription): boolean {
  const rowBytes = ({ tiled, dataType, extent, pageBytes }: ProgramTensor) =>
    !tiled ? pageBytes : isBlockFloat(dataType) ? extent[1] : 0;
  return axis === joined.shape.length - 1 &&
    parts.some((part) => rowBytes(part) % alignmentOf(part, chip) !== 0);
}

/** @param made what was made of each operand */
function joinSteps(
  plan: ConcatPlan,
  made: readonly (readonly ProgramTensor[])[],
  axis: number,
  chip: ChipDescription,
): readonly ChainStep[] {
  const { parts, joins, joined } = plan;
  switch (joins) {
    case "shards": {
      const held = { copiedBytes: joined.shardBytes, circularBuffers: heldShards(parts, joined, axis) };
      return [chainStep(joined, residentProgram(joined.shardCores, [], held))];
    }
    case "columns":
      return [chainStep(joined, joinColumns(parts, joined, chip))];
    case "pages":
      // Moved copies of operands are freed after the join.
      return permutesRows(plan, axis, chip)
        ? joinPermuted(parts, made, joined, chip)
        : [chainStep(joined, joinPages(parts, joined, chip), parts)];
  }
}

/**
 * Two tiled height-sharded tensors joined along the width pass through the kernel's buffers; everything else is
 * copied from shard to shard.
 */
function heldShards(
  parts: readonly ProgramTensor[],
  joined: ProgramTensor,
  axis: number,
): readonly CircularBuffer[] {
  const isPair = parts.length === 2 && joined.tiled && axis === joined.shape.length - 1 &&
    joined.memoryLayout === "height_sharded";
  if (!isPair) return [];
  const columns = parts.map(({ shardShape }) => shardShape.at(-1) ?? 1);
  const all = columns.reduce((sum, count) => sum + count, 0);
  const untilized = 1024 * (isBlockFloat(joined.dataType) ? 2 : Math.max(2, elementBytes(joined.dataType)));
  return [
    ...columns.map((count, index) => ({ name: `rows${index}`, bytes: count * untilized })),
    { name: "rows", bytes: all * untilized },
    { name: "out", bytes: all * bytesPerTile(joined) },
  ];
}

/**
 * Columns that do not end on tiles, in one program: a tile row of every operand is untilized, the rows are
 * joined, and the result is tilized (`ttnn:backend-0-81-1`).
 */
function joinColumns(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  const columns = columnsOf(inputs);
  return streamProgram({
    units: tileRows(output.shape),
    reads: inputs.map(wholeTensor),
    writes: [{ ...wholeTensor(output), flushesPages: true }],
    compute: {
      work: [
        { operation: "untilize_row", count: inputs.length },
        { operation: "untilize", count: columns },
        { operation: "tilize", count: tileColumns(output.shape) },
      ],
    },
    reader: { barriers: columns, copies: 32 * inputs.length },
    circularBuffers: columnBuffers(inputs, output),
  }, chip);
}

/** Tile columns of all tensors. */
function columnsOf(tensors: readonly ProgramTensor[]): number {
  return tensors.reduce((sum, { shape }) => sum + tileColumns(shape), 0);
}

function columnBuffers(inputs: readonly ProgramTensor[], output: ProgramTensor): readonly CircularBuffer[] {
  const [columns, result] = [columnsOf(inputs), tileColumns(output.shape)];
  return [
    pageBuffer("in0", 2 * columns, output, "circular"),
    pageBuffer("rows", columns, output, "circular"),
    pageBuffer("joined", result, output, "circular"),
    pageBuffer("out", 2 * result, output, "circular"),
  ];
}

/**
 * Transposes every operand, joins, and transposes the result back.
 *
 * @param made what was made of each operand; it goes before the join if it was transposed (`ttnn:backend-0-81-1`)
 */
function joinPermuted(
  inputs: readonly ProgramTensor[],
  made: readonly (readonly ProgramTensor[])[],
  output: ProgramTensor,
  chip: ChipDescription,
): readonly ChainStep[] {
  // A line is a matrix of one row.
  const rank = Math.max(2, output.shape.length);
  const order = Array.from({ length: rank }, (_, dim) => dim < rank - 2 ? dim : 2 * rank - 3 - dim);
  const matrix = ({ shape }: ProgramTensor) => shape.length < 2 ? [1, ...shape] : shape;
  const permuted = (tensor: ProgramTensor) => {
    const shape = order.map((dim) => matrix(tensor)[dim] ?? 1);
    const transposed = interleavedCopy({ ...tensor, shape }, deviceMemory(tensor));
    // One element is as it was.
    return permuteSharesBuffer({ ...tensor, shape: matrix(tensor) }, transposed, order) ? tensor : transposed;
  };
  const permute = (from: ProgramTensor, to: ProgramTensor) =>
    from === to ? [] : [chainStep(to, permutation(from, to, order, chip))];
  const columns = inputs.map(permuted);
  const joined = permuted(output);
  const permutes = inputs.flatMap((input, index) => permute(input, columns[index] ?? input));
  const frees = made.filter((_, index) => columns[index] !== inputs[index]).flat();
  return [
    ...freeing(permutes, ...frees),
    chainStep(joined, joinPages(columns, joined, chip)),
    ...permute(joined, output),
  ];
}

/** The dimension along which tensors of this rank are joined. */
export function concatAxis(op: Pick<OpLaunch, "attributes">, rank: number): number {
  return normalDim(readAttributes(op, CONCAT).dim, rank);
}

/**
 * Copies row-major or tiled pages to the result. Rows are as long as the memories of the first operand and of the result
 * align them. The buffer holds two pages if they fit half of L1, less the reserved bytes at its start (tt-metal:concat,
 * `ttnn:backend-0-81-1`).
 */
function joinPages(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  const page = output.tiled ? bytesPerTile(output) : roundUp(
    circularBufferPage(output),
    Math.max(...[output, ...inputs.slice(0, 1)].map((tensor) => alignmentOf(tensor, chip))),
  );
  const pages = 2 * page > chip.l1Size / 2 - chip.l1UnreservedBase ? 1 : 2;
  return pageCopy(inputs, [output], { circularBuffers: [{ name: "in0", bytes: pages * page }] }, chip);
}
