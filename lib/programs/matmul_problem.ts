// SPDX-License-Identifier: Apache-2.0
import { readBool } from "../dialect/attribute_values.ts";
import { tileBytes } from "../layout/data_type.ts";
import { matrixCount } from "../layout/extents.ts";
import type { ComputeKernelConfig } from "../op_config/op_config.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { ProgramTensor } from "./program_tensor.ts";

/** A matmul in tiles, as the program factories of TTNN see it. */
export interface MatmulProblem {
  /** The first operand, A. */
  readonly in0: ProgramTensor;
  /** The second operand, B. */
  readonly in1: ProgramTensor;
  /** The product. */
  readonly output: ProgramTensor;
  /** Whether B is stored with a row per column of the product, so that a column's tiles lie side by side. */
  readonly in1Transposed: boolean;
  /** Bias that the program adds to every row; `undefined` without one. */
  readonly bias: ProgramTensor | undefined;
  /** Product of A's leading extents. */
  readonly batchA: number;
  /** Product of B's leading extents; above 1 every batch of A has its own B. */
  readonly batchB: number;
  /** Tiles per batch. */
  readonly tilesM: number;
  /** Tiles of the inner dimension. */
  readonly tilesK: number;
  /** Columns of tiles of the product. */
  readonly tilesN: number;
  /** Bytes of a tile of A. */
  readonly in0TileBytes: number;
  /** Bytes of a tile of B. */
  readonly in1TileBytes: number;
  /** Bytes of a tile of the product. */
  readonly outTileBytes: number;
  /** Compute config of the op; `undefined` when it has none. */
  readonly compute: ComputeKernelConfig | undefined;
}

/** Matrices that a matmul computes: an operand without batch serves all batches of the other. */
export function outputBatches({ batchA, batchB }: MatmulProblem): number {
  return Math.max(batchA, batchB);
}

/** Reads operands, transpositions and batches of a `matmul` or `linear`; `undefined` when an operand is missing. */
export function matmulProblem(op: OpLaunch): MatmulProblem | undefined {
  const [in0, in1, bias] = op.inputs;
  const output = op.outputs[0];
  if (in0 === undefined || in1 === undefined || output === undefined) return undefined;
  const transposeA = readBool(op.attributes, "transpose_a") === true;
  const tiles = (extent: number | undefined) => Math.max(1, Math.ceil((extent ?? 1) / 32));
  return {
    in0,
    in1,
    output,
    in1Transposed: readBool(op.attributes, "transpose_b") === true,
    bias,
    batchA: matrixCount(in0.shape),
    batchB: matrixCount(in1.shape),
    tilesM: tiles(in0.shape.length < 2 ? 1 : in0.shape.at(transposeA ? -1 : -2)),
    tilesK: tiles(in0.shape.at(transposeA && in0.shape.length > 1 ? -2 : -1)),
    tilesN: tiles(output.shape.at(-1)),
    in0TileBytes: tileBytes(in0.dataType),
    in1TileBytes: tileBytes(in1.dataType),
    outTileBytes: tileBytes(output.dataType),
    compute: op.config?.computeConfig,
  };
}
