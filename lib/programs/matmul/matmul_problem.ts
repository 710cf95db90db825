// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../ops/attributes/matmul.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { ChipDescription } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { matrixCount, matrixExtents } from "../../layout/extents.ts";
import { computeConfigInUse, type ComputeDefaults } from "../../op_config/default_compute_config.ts";
import type { OpLaunch } from "../op_launch.ts";
import { type ProgramTensor, withShape } from "../program_tensor.ts";

/** A matmul in tiles, as TTNN's program factories see it. */
export interface MatmulProblem {
  /** The first operand, A. */
  readonly in0: ProgramTensor;
  /** The second operand, B. */
  readonly in1: ProgramTensor;
  /**
   * The result. While a program is being chosen: the requested memory, without shards if these are left open.
   */
  readonly output: ProgramTensor;
  /** Whether A is stored transposed (`transpose_a`). */
  readonly in0Transposed: boolean;
  /** Whether B is stored transposed (`transpose_b`), so that the tiles of an output column are contiguous. */
  readonly in1Transposed: boolean;
  /** Bias that the program adds to every row; `undefined` without one. */
  readonly bias: ProgramTensor | undefined;
  /** Product of A's leading extents. */
  readonly batchA: number;
  /** Product of B's leading extents; above 1 every batch of A has its own B. */
  readonly batchB: number;
  /** Tile rows per batch. */
  readonly tilesM: number;
  /** Tiles of the inner dimension. */
  readonly tilesK: number;
  /** Tile columns of the result. */
  readonly tilesN: number;
  /** Bytes of a tile of A. */
  readonly in0TileBytes: number;
  /** Bytes of a tile of B. */
  readonly in1TileBytes: number;
  /** Bytes of a tile of the result. */
  readonly outTileBytes: number;
  /** The compute config of the program, including the backend's default. */
  readonly compute: ComputeDefaults;
}

/** Matrices that a matmul computes: an operand without batch is used for all batches of the other. */
export function outputBatches({ batchA, batchB }: MatmulProblem): number {
  return Math.max(batchA, batchB);
}

/** Tile rows that a program counts: with `fuse_batch` those of all matrices of A. */
export function rowsOfTiles({ batchA, tilesM }: MatmulProblem, fusesBatch: boolean): number {
  return fusesBatch ? batchA * tilesM : tilesM;
}

/**
 * Reads operands, transpositions and batches of a `matmul` or `linear`; `undefined` if an operand is missing. A vector on
 * the right is a column, as is the product by it.
 */
export function matmulProblem(
  op: OpLaunch,
  { architecture }: Pick<ChipDescription, "architecture">,
): MatmulProblem | undefined {
  const [in0, right, bias] = op.inputs;
  const [made] = op.outputs;
  if (in0 === undefined || right === undefined || made === undefined) return undefined;
  const isByVector = right.shape.length === 1;
  const in1 = isByVector ? withShape(right, [...right.shape, 1]) : right;
  const output = isByVector ? withShape(made, [...in0.shape.length === 1 ? [1] : made.shape, 1]) : made;
  const compute = computeConfigInUse(op.config?.computeConfig, {
    op: "ttnn.matmul",
    operands: [in0.dataType, in1.dataType],
    result: output.dataType,
    isPlanned: op.config?.kind === "matmul" && op.config.programConfig !== undefined,
    architecture,
  });
  if (compute === undefined) return undefined;
  const { transpose_a: in0Transposed, transpose_b: in1Transposed } = readAttributes(op, MATMUL);
  const { rows, columns: depth } = matrixExtents(in0.shape, in0Transposed);
  return {
    in0,
    in1,
    output,
    in0Transposed,
    in1Transposed,
    bias,
    batchA: matrixCount(in0.shape),
    batchB: matrixCount(in1.shape),
    tilesM: tiles(rows),
    tilesK: tiles(depth),
    tilesN: tiles(matrixExtents(in1.shape, in1Transposed).columns),
    in0TileBytes: tileBytes(in0.dataType),
    in1TileBytes: tileBytes(in1.dataType),
    outTileBytes: tileBytes(output.dataType),
    compute,
  };
}

function tiles(extent: number): number {
  return Math.max(1, Math.ceil(extent / 32));
}
