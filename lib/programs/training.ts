// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { tileBytes } from "../layout/data_type.ts";
import { tileColumns } from "../layout/tile_shape.ts";
import { makeAttributes } from "../ops/attributes/print_attributes.ts";
import { REDUCE } from "../ops/attributes/reduction.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { TrainingRowFamily, TrainingTileFamily } from "../ops/training.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { eltwiseProgram, tileWork } from "./eltwise/eltwise_program.ts";
import { rowBlock, rowPasses } from "./normalization/row_passes.ts";
import {
  emptyRoom,
  type LaunchContext,
  type OpLaunch,
  partLaunch,
  unary,
  type UnaryLaunch,
} from "./op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram, unknownPrograms } from "./program.ts";
import { isPresent, type ProgramTensor, programTensor } from "./program_tensor.ts";
import type { TileWork } from "./program_work.ts";
import { reductionPrograms } from "./reduction/reduction_plan.ts";
import { pageBuffer, tileBuffer, wholeTensor } from "./stream.ts";

/**
 * Kernels of tt-train (tt-metal:training), without published times: row kernels are priced like norms and
 * softmax, tile kernels like elementwise ops.
 */

/** How a kernel processes the rows of its first operand. */
interface RowKernel {
  /** Operands with as many rows, and operands of one row that every core reads. */
  readonly rows: readonly number[];
  readonly weights: readonly number[];
  /** Results of one row: a partial row is written per input row, and separate programs add them. */
  readonly sums: readonly number[];
  /** Compute passes per tile. */
  readonly passes: number;
  /** Sums and maxima of a row that later passes wait for. */
  readonly handOvers: number;
  /** Tile rows in circular buffers, if they fit. */
  readonly held: number;
  /** Reads of a row, if they do not. */
  readonly readings: number;
}

const SOFTMAX = { weights: [], sums: [] } as const;

const ROW_KERNELS: Readonly<Record<TrainingRowFamily, RowKernel>> = {
  rms_norm_forward: { rows: [0], weights: [1], sums: [], passes: 3, handOvers: 1, held: 2, readings: 2 },
  layer_norm_forward: { rows: [0], weights: [1, 2], sums: [], passes: 4, handOvers: 2, held: 4, readings: 3 },
  // Sums the product with the gradient, then computes the input's gradient and partial gradients of the
  // scale.
  rms_norm_gradient: { rows: [0, 3], weights: [1], sums: [1], passes: 4, handOvers: 1, held: 5, readings: 2 },
  layer_norm_gradient: {
    ...{ rows: [0, 4], weights: [1], sums: [1, 2] },
    ...{ passes: 6, handOvers: 2, held: 7, readings: 2 },
  },
  softmax_gradient: { ...SOFTMAX, rows: [0, 1], passes: 3, handOvers: 1, held: 3, readings: 2 },
  // Maximum, then the sum of the exponentials; the gradient computes the exponentials again and scales them.
  cross_entropy_forward: { ...SOFTMAX, rows: [0], passes: 3, handOvers: 2, held: 1, readings: 2 },
  cross_entropy_gradient: { ...SOFTMAX, rows: [0], passes: 6, handOvers: 2, held: 2, readings: 3 },
};

/** Tiles for scalers, masks, statistics and two output blocks. */
const FURTHER_TILES = 16;

/** Most tiles per block: the destination register accumulates in f32. */
const MOST_TILES = 4;

interface RowContext extends Pick<LaunchContext, "chip"> {
  readonly kernel: RowKernel;
}

export function trainingPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const { family } = definitionOf(op.name);
  if (isKeyOf(ROW_KERNELS, family)) return unary(rowPrograms)(op, { kernel: ROW_KERNELS[family], chip });
  if (isKeyOf(TILE_KERNELS, family)) return tilePrograms(op, TILE_KERNELS[family], chip);
  return unknownPrograms(op.name, "no kernel of training has the name");
}

function isKeyOf<Key extends string>(table: Readonly<Record<Key, unknown>>, key: string): key is Key {
  return Object.hasOwn(table, key);
}

/**
 * Programs of norms, softmax and cross entropy, and the sums over all rows that give gradients of weights.
 */
function rowPrograms(op: UnaryLaunch, { kernel, chip }: RowContext): OpPrograms {
  const { input, output, outputs: [, ...others] } = op;
  const sums = kernel.sums.map((result) => op.outputs[result]).filter(isPresent);
  const parts = programTensor({ shape: input.shape, dataType: input.dataType }, undefined);
  const written = others.filter(isPresent).map((result) => sums.includes(result) ? parts : result);
  const rows = rowProgram(op, kernel, input, output, chip);
  return inOrder(
    { ...rows, writes: [...rows.writes, ...written.map(wholeTensor)] },
    ...sums.flatMap((sum) => {
      const attributes = makeAttributes(REDUCE, { dim_arg: lostDims(parts, sum) });
      const added = reductionPrograms(partLaunch("ttnn.sum", [parts], sum, attributes), {
        chip,
        room: () => emptyRoom(chip),
        isDeviceOperation: true,
      });
      return added.status === "unknown" ? [] : added.programs;
    }),
  );
}

/** Dimensions over which partial gradients are added: those that the result lacks; all if it has others. */
function lostDims({ shape }: ProgramTensor, sum: ProgramTensor): readonly number[] {
  if (sum.shape.length !== shape.length) return [];
  return shape.flatMap((extent, dim) => extent === sum.shape[dim] ? [] : [dim]);
}

function rowProgram(
  { inputs }: OpLaunch,
  { rows, weights, passes, handOvers, held, readings }: RowKernel,
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const length = tileColumns(input.shape);
  const block = rowBlock(length, MOST_TILES);
  const buffersOf = (row: number): readonly CircularBuffer[] => [
    { name: "rows", bytes: held * row * tileBytes(input.dataType) },
    tileBuffer("statistics", FURTHER_TILES, "f32"),
  ];
  const whole = buffersOf(length);
  const bytes = whole.reduce((sum, buffer) => sum + buffer.bytes, 0);
  const fits = bytes <= chip.l1Size - chip.l1UnreservedBase;
  const reads = fits ? 1 : readings;
  const weightRows = weights.map((index) => inputs[index]).filter(isPresent);
  const program = rowPasses(input, weightRows, output, {
    length,
    block,
    passes,
    holdsRow: fits,
    handOvers,
    wide: true,
    readings: reads,
    buffers: fits ? whole : buffersOf(2 * block),
  }, chip);
  const further = inputs.flatMap((tensor, index) => {
    if (tensor === undefined || index === 0 || weights.includes(index)) return [];
    return [{ tensor, bytes: (rows.includes(index) ? reads : 1) * tensor.bytes }];
  });
  return { ...program, reads: [...program.reads, ...further] };
}

/** A sigmoid with the adds and multiplies around it, for the gradient of one operand or of both. */
const TILE_KERNELS: Readonly<Record<TrainingTileFamily, readonly TileWork[]>> = {
  silu_gradient: [{ operation: "quotient", count: 1 }, { operation: "simple", count: 5 }],
  swiglu_gradient: [{ operation: "quotient", count: 1 }, { operation: "simple", count: 8 }],
};

/** Programs of gate gradients: tile by tile. */
function tilePrograms(op: OpLaunch, work: readonly TileWork[], chip: ChipDescription): OpPrograms {
  const operands = op.inputs.filter(isPresent);
  const [output, ...others] = op.outputs.filter(isPresent);
  if (output === undefined) return unknownPrograms(op.name, "needs operands and a result");
  const tensors = [...operands, output, ...others];
  const buffers = tensors.map((tensor, index) => pageBuffer(`tiles${index}`, 2, tensor));
  const perTile = [...tileWork("none", tensors), ...work];
  const between = tileBuffer("between", 8, "f32");
  const program = eltwiseProgram(operands, output, perTile, [...buffers, between], chip);
  return inOrder({ ...program, writes: [...program.writes, ...others.map(wholeTensor)] });
}
