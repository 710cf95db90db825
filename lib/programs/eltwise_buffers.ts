// SPDX-License-Identifier: Apache-2.0
import { sameCoreRanges } from "../layout/core_range.ts";
import { type DataType, elementBytes, isBlockFloat, tileBytes } from "../layout/data_type.ts";
import { sameExtents, volume } from "../layout/extents.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { BufferKind, CircularBuffer } from "./circular_buffer.ts";
import { bytesPerTile, fillsShards, isInShards, type ProgramTensor } from "./program_tensor.ts";

/** Buffers of an elementwise program, and whether its result is worked on in its own shards. */
export interface EltwiseBuffers {
  /** Whether the result, and operands in shards, are the program's own buffers: nothing of them is copied. */
  readonly onShards: boolean;
  readonly buffers: readonly CircularBuffer[];
}

/** Rows and columns of a shard, in elements. */
function shardElements({ shardShape: [rows = 1, columns = 1], tiled }: ProgramTensor): readonly number[] {
  return tiled ? [rows * 32, columns * 32] : [rows, columns];
}

/** Whether a tensor fills what it has of shards; interleaved ones have none to fill. */
function isEven(tensor: ProgramTensor): boolean {
  return !isInShards(tensor) || fillsShards(tensor);
}

function isOnShards({ placement }: ProgramTensor): boolean {
  return placement === "l1_sharded";
}

/** Whether two tensors have one memory config. */
function sameMemory(a: ProgramTensor, b: ProgramTensor): boolean {
  return a.placement === b.placement && a.memoryLayout === b.memoryLayout &&
    sameExtents(shardElements(a), shardElements(b)) && sameCoreRanges(a.coreRanges, b.coreRanges);
}

function isEquivalent(a: ProgramTensor, b: ProgramTensor): boolean {
  return sameExtents(a.shape, b.shape) && sameMemory(a, b);
}

/** Whether two sharded tensors lie in L1, on the same cores. */
function shareCores(a: ProgramTensor, b: ProgramTensor): boolean {
  return isOnShards(a) && isOnShards(b) && sameCoreRanges(a.coreRanges, b.coreRanges);
}

/** Buffers of tiles, without those of no bytes. */
function listed(
  kind: BufferKind,
  buffers: readonly (readonly [name: string, tiles: number, dataType: DataType])[],
): readonly CircularBuffer[] {
  return buffers.filter(([, tiles]) => tiles > 0)
    .map(([name, tiles, dataType]) => ({ name, bytes: tiles * tileBytes(dataType), kind }));
}

/**
 * Buffers of a program over one tensor: two tiles of input and result each, none where both are even shards of one kind
 * on the same cores (`ttnn:backend-0-81-1`). Row-major shards count in units of 1,024 elements.
 *
 * @param intermediateTiles tiles that the function keeps between its steps
 */
export function unaryBuffers(
  input: ProgramTensor,
  output: ProgramTensor,
  intermediateTiles: number = 0,
): EltwiseBuffers {
  const onShards = input.memoryLayout === output.memoryLayout && shareCores(input, output) &&
    isEven(input) && isEven(output) && hasWholeTiles(input);
  const streamed = onShards ? 0 : 2;
  const buffers = listed("dataflow", [
    ["in0", streamed, input.dataType],
    ["between", intermediateTiles, input.dataType],
    ["out", streamed, output.dataType],
  ]);
  return { onShards, buffers };
}

function hasWholeTiles({ tiled, shardShape, dataType }: ProgramTensor): boolean {
  return tiled ||
    (volume(shardShape) % 1024 === 0 && (shardShape[1] ?? 0) * elementBytes(dataType) % 16 === 0);
}

/** How an operand is spread inside of a tile. */
type TileSpread = "row" | "column" | "scalar";

interface SpreadOperand {
  /** Index of the operand; where a row meets a column, of the row. */
  readonly operand: 0 | 1;
  readonly spread: TileSpread;
}

type Shaped = Pick<ProgramTensor, "shape">;

/** Last two extents. */
function matrixOf({ shape }: Shaped): readonly [rows: number, columns: number] {
  return [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
}

/** The operand that a binary program spreads inside of a tile; `undefined` if it spreads none (`ttnn:backend-0-81-1`). */
function spreadOperand(a: ProgramTensor, b: ProgramTensor): SpreadOperand | undefined {
  const [[aRows, aColumns], [bRows, bColumns]] = [matrixOf(a), matrixOf(b)];
  if (aRows === bRows && aColumns === bColumns) return undefined;
  if (aRows === 1 && aColumns === 1) return { operand: 0, spread: "scalar" };
  if (bRows === 1 && bColumns === 1) return { operand: 1, spread: "scalar" };
  if (aRows === 1 && bColumns === 1) return { operand: 0, spread: "row" };
  if (aColumns === 1 && bRows === 1) return { operand: 1, spread: "row" };
  if (aRows === 1) return { operand: 0, spread: "row" };
  if (aColumns === 1) return { operand: 0, spread: "column" };
  return { operand: 1, spread: bRows === 1 ? "row" : "column" };
}

/** Formats of which two equal operands stay on the vector unit. */
const ON_VECTOR_UNIT: readonly DataType[] = ["f32", "si32", "u32", "u16"];

/** Whether a binary op of operands of these formats runs on the matrix unit, not the vector unit (`ttnn:backend-0-81-1`). */
export function runsOnMatrixUnit(name: string, a: DataType, b: DataType): boolean {
  const { matrixUnit } = definitionOf(name);
  if (matrixUnit === undefined) return false;
  return a !== b || !(ON_VECTOR_UNIT.includes(a) || (matrixUnit === "product" && a === "bf16"));
}

/** Whether every operand of an op goes through a function before. */
function changesOperands(name: string): boolean {
  return definitionOf(name).operandFunction !== undefined;
}

/** A binary op as far as its buffers depend on it. */
export interface BinaryOp {
  readonly name: string;
  /** Which of the operands go through a function before. */
  readonly activates: readonly boolean[];
}

/**
 * Buffers of a program over two tensors: two tiles of operands and result each, two more of an operand that is spread
 * inside of a tile, some of each operand that goes through a function first. Nothing is copied of shards where both
 * operands have one memory config and the result has their cores, or where an interleaved column or element meets height
 * shards (`ttnn:backend-0-81-1`).
 */
export function binaryBuffers(
  { name, activates }: BinaryOp,
  a: ProgramTensor,
  b: ProgramTensor,
  output: ProgramTensor,
): EltwiseBuffers {
  const spread = spreadOperand(a, b);
  const onShards = worksOnShards(a, b, output, spread);
  const onMatrixUnit = runsOnMatrixUnit(name, a.dataType, b.dataType);
  const isWide = [a, b, output].some(({ dataType }) => dataType === "f32");
  const between = !onShards || !isInShards(a) || spread !== undefined
    ? 1
    : !onMatrixUnit
    ? 2
    : isWide
    ? 4
    : 8;
  const streamed = (tensor: ProgramTensor) => onShards && isInShards(tensor) ? 0 : 2;
  const activated = (operand: number) => activates[operand] === true || changesOperands(name) ? between : 0;
  const buffers = listed("circular", [
    ["in0", streamed(a), a.dataType],
    ["in1", streamed(b), b.dataType],
    ["in0_activated", activated(0), a.dataType],
    ["in1_activated", activated(1), b.dataType],
    ["spread", spread === undefined ? 0 : 2, (spread?.operand === 0 ? a : b).dataType],
    ["out", onShards ? 0 : 2, output.dataType],
  ]);
  return { onShards, buffers };
}

function worksOnShards(
  a: ProgramTensor,
  b: ProgramTensor,
  output: ProgramTensor,
  spread: SpreadOperand | undefined,
): boolean {
  if (!isOnShards(output)) return false;
  if (isEquivalent(a, b)) {
    if (a.placement === "l1_interleaved") return isEven(output);
    return shareCores(a, output) &&
      (sameExtents(shardElements(a), shardElements(output)) || (isEven(a) && isEven(output)));
  }
  return spread?.operand === 1 && spread.spread !== "row" && !isInShards(b) &&
    a.memoryLayout === "height_sharded" && output.memoryLayout === "height_sharded" &&
    shareCores(a, output) && isEven(a) && isEven(output);
}

/** Buffers of a binary program whose second operand is a number, which is filled into one tile (`ttnn:backend-0-81-1`). */
export function numberBuffers(
  { name, activates }: BinaryOp,
  input: ProgramTensor,
  output: ProgramTensor,
): EltwiseBuffers {
  const onShards = shareCores(input, output) && isEven(input) && isEven(output);
  const between = !onShards ? 1 : runsOnMatrixUnit(name, input.dataType, input.dataType) ? 8 : 2;
  const number = isBlockFloat(input.dataType) ? "bf16" : input.dataType;
  const streamed = onShards ? 0 : 2;
  const buffers = listed("circular", [
    ["in0", streamed, input.dataType],
    ["number", 1, number],
    ["in0_activated", activates[0] === true || changesOperands(name) ? between : 0, input.dataType],
    ["number_activated", changesOperands(name) ? between : 0, number],
    ["out", streamed, output.dataType],
  ]);
  return { onShards, buffers };
}

/**
 * Buffers of a program over two or three tensors and numbers: two tiles each, two more of each of three tensors if some
 * of them are rows and the others whole. Nothing is copied of shards where all operands are equal in shape and memory
 * config and the result has their cores (`ttnn:backend-0-81-1`).
 */
export function ternaryBuffers(operands: readonly ProgramTensor[], output: ProgramTensor): EltwiseBuffers {
  const [first] = operands;
  const onShards = first !== undefined && isOnShards(output) && isEven(first) &&
    operands.every((operand) => isEquivalent(operand, first)) &&
    (first.placement === "l1_interleaved" ? isEven(output) : shareCores(first, output));
  const spread = operands.length === 3 && spreadsRowsOnly(operands) ? 2 : 0;
  const buffers = listed("circular", [
    ...operands.flatMap(({ dataType, placement }, index) =>
      [
        [`in${index}`, onShards && placement === "l1_sharded" ? 0 : 2, dataType],
        [`in${index}_spread`, spread, dataType],
      ] as const
    ),
    ["out", onShards ? 0 : 2, output.dataType],
  ]);
  return { onShards, buffers };
}

/** How each of several tensors is spread inside of a tile; `undefined` for one that is not. */
function spreadsOf(tensors: readonly Shaped[]): readonly (TileSpread | undefined)[] {
  const matrices = tensors.map(matrixOf);
  const most = (dim: 0 | 1) => Math.max(...matrices.map((extents) => extents[dim]));
  return matrices.map(([rows, columns]) => {
    if (rows !== most(0)) return columns === most(1) ? "row" : "scalar";
    return columns === most(1) ? undefined : "column";
  });
}

/** Whether some of the tensors are rows for the others, and none is anything else. */
function spreadsRowsOnly(operands: readonly Shaped[]): boolean {
  const kinds = new Set(spreadsOf(operands));
  return kinds.has("row") && !kinds.has("column") && !kinds.has("scalar");
}

/** Whether tensors are spread in one way only: as rows, as columns, or among three as single elements. */
export function spreadsAlongOneAxis(operands: readonly Shaped[]): boolean {
  const kinds = new Set(spreadsOf(operands).filter((kind) => kind !== undefined));
  return kinds.size === 1 && (!kinds.has("scalar") || operands.length === 3);
}

/** Two tiles of every tensor: programs that do not work on shards where they lie. */
export function streamedBuffers(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  kind: BufferKind = "dataflow",
): readonly CircularBuffer[] {
  return [
    ...inputs.map((input, index) => ({ name: `in${index}`, bytes: 2 * bytesPerTile(input), kind })),
    { name: "out", bytes: 2 * bytesPerTile(output), kind },
  ];
}
