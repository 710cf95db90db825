// SPDX-License-Identifier: Apache-2.0
import { sameCoreRanges } from "../../layout/core_range.ts";
import { type DataType, elementBytes, isBlockFloat, tileBytes } from "../../layout/data_type.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { WHOLE_NUMBERS } from "../../ops/operand_formats.ts";
import type { BufferKind, CircularBuffer } from "../circular_buffer.ts";
import { bytesPerTile, fillsShards, isInShards, type ProgramTensor } from "../program_tensor.ts";

/** Buffers of an elementwise program, and whether it works on shards in place. */
export interface EltwiseBuffers {
  /** Whether the result and sharded operands serve as buffers themselves, so that they are not copied. */
  readonly onShards: boolean;
  readonly buffers: readonly CircularBuffer[];
}

/** Rows and columns of a shard, in elements. */
function shardElements({ shardShape: [rows = 1, columns = 1], tiled }: ProgramTensor): readonly number[] {
  return tiled ? [rows * 32, columns * 32] : [rows, columns];
}

/** Whether a tensor fills all of its shards; true for interleaved tensors. */
function isEven(tensor: ProgramTensor): boolean {
  return !isInShards(tensor) || fillsShards(tensor);
}

function isOnShards({ placement }: ProgramTensor): boolean {
  return placement === "l1_sharded";
}

/** Whether two tensors have equal memory configs. */
function sameMemoryConfig(a: ProgramTensor, b: ProgramTensor): boolean {
  return a.placement === b.placement && a.memoryLayout === b.memoryLayout &&
    sameExtents(shardElements(a), shardElements(b)) && sameCoreRanges(a.coreRanges, b.coreRanges);
}

function isEquivalent(a: ProgramTensor, b: ProgramTensor): boolean {
  return sameExtents(a.shape, b.shape) && sameMemoryConfig(a, b);
}

/** Whether two sharded tensors are in L1 on the same cores. */
function shareCores(a: ProgramTensor, b: ProgramTensor): boolean {
  return isOnShards(a) && isOnShards(b) && sameCoreRanges(a.coreRanges, b.coreRanges);
}

/** Tile buffers without those of 0 bytes. */
function listed(
  kind: BufferKind,
  buffers: readonly (readonly [name: string, tiles: number, dataType: DataType])[],
): readonly CircularBuffer[] {
  return buffers.filter(([, tiles]) => tiles > 0)
    .map(([name, tiles, dataType]) => ({ name, bytes: tiles * tileBytes(dataType), kind }));
}

/**
 * Buffers of a unary program: two tiles each of input and result; none if both are even shards of one kind on
 * the same cores (`ttnn:backend-0-81-1`), row-major ones of whole 1,024 elements in rows of whole 16 bytes.
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

/** Whether an op is a power of whole numbers, which streams tiles also of shards (`ttnn:backend-0-81-1`). */
export function isWholePower(name: string, { dataType }: { readonly dataType: DataType }): boolean {
  return name === "ttnn.pow_scalar" && WHOLE_NUMBERS.includes(dataType);
}

function hasWholeTiles({ tiled, shardShape, dataType }: ProgramTensor): boolean {
  return tiled ||
    (volume(shardShape) % 1024 === 0 && (shardShape[1] ?? 0) * elementBytes(dataType) % 16 === 0);
}

/** How an operand is broadcast within a tile. */
type TileSpread = "row" | "column" | "scalar";

interface SpreadOperand {
  /** Index of the operand; if a row meets a column, that of the row. */
  readonly operand: 0 | 1;
  readonly spread: TileSpread;
}

type Shaped = Pick<ProgramTensor, "shape">;

/** Last two extents. */
function matrixOf({ shape }: Shaped): readonly [rows: number, columns: number] {
  return [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
}

/**
 * The operand that a binary program broadcasts within tiles; `undefined` if there is none
 * (`ttnn:backend-0-81-1`).
 */
function spreadOperand(a: ProgramTensor, b: ProgramTensor): SpreadOperand | undefined {
  const [[aRows, aColumns], [bRows, bColumns]] = [matrixOf(a), matrixOf(b)];
  if (aRows === bRows && aColumns === bColumns) return undefined;
  if (aRows === 1 && aColumns === 1) return { operand: 0, spread: "scalar" };
  if (bRows === 1 && bColumns === 1) return { operand: 1, spread: "scalar" };
  if (aColumns === 1 && bRows === 1) return { operand: 1, spread: "row" };
  if (aRows === 1) return { operand: 0, spread: "row" };
  if (aColumns === 1) return { operand: 0, spread: "column" };
  return { operand: 1, spread: bRows === 1 ? "row" : "column" };
}

/** Formats that stay on the vector unit if both operands have them. */
const ON_VECTOR_UNIT: readonly DataType[] = ["f32", "si32", "u32", "u16"];

/** Whether a binary op runs on the matrix unit for these operand formats (`ttnn:backend-0-81-1`). */
export function runsOnMatrixUnit(name: string, a: DataType, b: DataType): boolean {
  const { matrixUnit } = definitionOf(name);
  if (matrixUnit === undefined) return false;
  return a !== b || !(ON_VECTOR_UNIT.includes(a) || (matrixUnit === "product" && a === "bf16"));
}

/** The properties of a binary op that its buffers depend on. */
export interface BinaryOp {
  readonly name: string;
  /** Per operand: whether a function is applied first. */
  readonly activates: readonly boolean[];
}

/**
 * Buffers of a binary program: two tiles each of operands and result, two more for an operand that is
 * broadcast within tiles, extra ones for operands with a function. Sharded tensors are not copied if both
 * operands have one shape and memory config, interleaved in L1 or on the result's cores, or if an interleaved column
 * or scalar meets height shards (`ttnn:backend-0-81-1`).
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
  const onOwn = onMatrixUnit ? isWide ? 4 : 8 : 2;
  const between = !onShards || !isInShards(a) || spread !== undefined ? 1 : onOwn;
  const streamed = (tensor: ProgramTensor) => onShards && isInShards(tensor) ? 0 : 2;
  const changes = definitionOf(name).operandFunction !== undefined;
  const activated = (operand: number) => activates[operand] === true || changes ? between : 0;
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

/**
 * Buffers of a binary program whose second operand is a scalar, filled into one tile (`ttnn:backend-0-81-1`).
 */
export function numberBuffers(
  { name, activates }: BinaryOp,
  input: ProgramTensor,
  output: ProgramTensor,
): EltwiseBuffers {
  const onShards = shareCores(input, output) && isEven(input) && isEven(output);
  const between = !onShards ? 1 : runsOnMatrixUnit(name, input.dataType, input.dataType) ? 8 : 2;
  const number = isBlockFloat(input.dataType) ? "bf16" : input.dataType;
  const changes = definitionOf(name).operandFunction !== undefined;
  const streamed = onShards ? 0 : 2;
  const buffers = listed("circular", [
    ["in0", streamed, input.dataType],
    ["number", 1, number],
    ["in0_activated", activates[0] === true || changes ? between : 0, input.dataType],
    ["number_activated", changes ? between : 0, number],
    ["out", streamed, output.dataType],
  ]);
  return { onShards, buffers };
}

/**
 * Buffers of a program of two or three tensors and scalars: two tiles each; for three tensors two more each
 * if some are row-broadcast and the others full. Sharded tensors are not copied if all operands have one shape
 * and memory config, interleaved in L1 or on the result's cores (`ttnn:backend-0-81-1`).
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

/** Per tensor: how it is broadcast within tiles; `undefined` if it is not. */
function spreadsOf(tensors: readonly Shaped[]): readonly (TileSpread | undefined)[] {
  const matrices = tensors.map(matrixOf);
  const most = (dim: 0 | 1) => Math.max(...matrices.map((extents) => extents[dim]));
  return matrices.map(([rows, columns]) => {
    if (rows !== most(0)) return columns === most(1) ? "row" : "scalar";
    return columns === most(1) ? undefined : "column";
  });
}

/** Whether some of the tensors are row-broadcast and all others are full. */
function spreadsRowsOnly(operands: readonly Shaped[]): boolean {
  const kinds = new Set(spreadsOf(operands));
  return kinds.has("row") && !kinds.has("column") && !kinds.has("scalar");
}

/**
 * Whether all broadcast tensors are broadcast in one way: as rows, as columns, or, among three, as scalars.
 */
export function spreadsAlongOneAxis(operands: readonly Shaped[]): boolean {
  const kinds = new Set(spreadsOf(operands).filter((kind) => kind !== undefined));
  return kinds.size === 1 && (!kinds.has("scalar") || operands.length === 3);
}

/** Two tiles of every tensor, for programs that do not work on shards in place. */
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
