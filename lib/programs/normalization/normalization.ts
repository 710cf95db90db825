// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { boxExtent, coreCount } from "../../layout/core_range.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import type { NormForm } from "../../ops/definition.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { type CircularBuffer, circularBufferBytes } from "../circular_buffer.ts";
import { groupNormProgram } from "./group_norm.ts";
import { rowBlock, type RowPasses, rowPasses, shardPasses } from "./row_passes.ts";
import {
  accumulatesInF32,
  type LaunchContext,
  operandIn,
  type OpLaunch,
  type UnaryLaunch,
} from "../op_launch.ts";
import {
  inOrder,
  type OpPrograms,
  type ResidentProgram,
  type StreamProgram,
  unknownPrograms,
} from "../program.ts";
import { bytesPerTile, isPresent, type ProgramTensor } from "../program_tensor.ts";
import { tileBuffer, wholeTensor } from "../stream.ts";

/**
 * Layer, RMS and group norm: mean, variance, scaling, affine; RMS norm subtracts no mean. Width and block
 * shards are processed in place; otherwise the unit of work is a tile row, read by address
 * (`ttnn:backend-0-81-1`).
 */
export function normPrograms(op: UnaryLaunch, context: LaunchContext): OpPrograms {
  const { chip } = context;
  const { input, output } = op;
  const form = definitionOf(op.name).norm;
  if (form === undefined) return unknownPrograms(op.name, "is no norm");
  const centres = form.subtractsMean;
  if (form.ofGroups === true) {
    return inOrder(groupNormProgram(op, input, output, estimatedBuffers(input), chip));
  }
  if (input.placement === "l1_sharded" && input.shardCores > 0) {
    return inOrder(normOfShards(op, form, chip));
  }
  if (form.half === "statistics") return inOrder(normStatistics(op, input, output, centres, chip));
  if (form.half === "scaling") return inOrder(normByStatistics(op, input, output, centres, chip));
  const tensors = tensorsOf(op, input, output);
  const kind = { centres, wide: accumulatesInF32(op, chip) };
  const { buffers, holdsRow } = normRowBuffers(tensors, kind, context.room().besideResults);
  const further = [tensors.weight, tensors.bias, tensors.residual].filter(isPresent);
  const passes = passesOf(centres);
  const length = Math.max(1, tileColumns(input.shape));
  const row: RowPasses = {
    length,
    block: normBlockTiles(kind.wide),
    passes,
    holdsRow: true,
    handOvers: momentsOf(centres),
    wide: kind.wide,
    readings: holdsRow ? 1 : passes - 1,
    buffers,
  };
  return inOrder(rowPasses(input, further, output, row, chip));
}

/** Passes over each tile. */
function passesOf(centres: boolean): number {
  return centres ? 4 : 3;
}

/**
 * A norm, or one half of a distributed norm, on the shards of its input; a whole norm runs on the bounding box of their
 * cores.
 */
function normOfShards(
  op: UnaryLaunch,
  { subtractsMean: centres, half }: NormForm,
  chip: ChipDescription,
): ResidentProgram {
  const { input, output } = op;
  const buffers = definitionOf(op.name).family === "unrecorded_norm"
    ? estimatedBuffers(input)
    : normShardBuffers(tensorsOf(op, input, output), { centres, wide: accumulatesInF32(op, chip) });
  const passes = passesOf(centres) - (half === undefined ? 0 : half === "statistics" ? 1 : 2);
  const program = shardPasses(input, { passes, handOvers: momentsOf(centres), buffers });
  const { columns, rows } = gridOf(input);
  return half === undefined ? { ...program, cores: columns * rows } : program;
}

/** The operands by their groups: input, weight, bias and residual. */
function tensorsOf(op: OpLaunch, input: ProgramTensor, output: ProgramTensor): NormTensors {
  const [weight, bias, residual] = [1, 2, 3].map((group) => operandIn(op, group));
  return { input, output, weight, bias, residual };
}

/** Norms without recorded circular buffers: three rows of tiles. */
function estimatedBuffers(input: ProgramTensor): readonly CircularBuffer[] {
  const row = 3 * Math.min(tileColumns(input.shape), 56) + 16;
  return [{ name: "rows", bytes: row * bytesPerTile(input) }];
}

// Both halves of a norm of rows distributed over chips: each chip's partial sums (`*_pre_all_gather`), one or
// two tiles per tile row; and the normalisation of its part with all chips' sums (`*_post_all_gather`).

/**
 * Moments per row: mean (if subtracted), and variance or mean square. A chip with a part of each row has a
 * tile of statistics per moment.
 */
export function momentsOf(centres: boolean): number {
  return centres ? 2 : 1;
}

/** Share of L1 for rows of the second half (tt-metal:layernorm-distributed). */
const BUFFER_SHARE = 0.95;

/** The passes of either half, which reads a further tensor once. */
function passesOfPart(
  [input, output]: readonly [ProgramTensor, ProgramTensor],
  affine: readonly ProgramTensor[],
  further: ProgramTensor | undefined,
  row: Omit<RowPasses, "block" | "readings">,
  chip: ChipDescription,
): StreamProgram {
  const block = rowBlock(row.length, normBlockTiles(row.wide));
  const program = rowPasses(input, affine, output, { ...row, block, readings: 1 }, chip);
  return further === undefined ? program : { ...program, reads: [...program.reads, wholeTensor(further)] };
}

/**
 * Sums of squares (and sums) of one chip's part of each row; a residual is added first
 * (tt-metal:layernorm-distributed).
 */
export function normStatistics(
  op: OpLaunch,
  input: ProgramTensor,
  output: ProgramTensor,
  centres: boolean,
  chip: ChipDescription,
): StreamProgram {
  const [, ...others] = op.inputs;
  const [residual] = others.filter(isPresent);
  const wide = accumulatesInF32(op, chip);
  const interm = tileBytes(wide ? "f32" : "bf16");
  const columns = tileColumns(input.shape);
  const buffers: readonly CircularBuffer[] = [
    { name: "in0", bytes: 2 * columns * bytesPerTile(input) },
    { name: "reduce", bytes: interm },
    ...residual === undefined ? [] : [
      { name: "residual", bytes: 2 * columns * bytesPerTile(residual) },
      { name: "sum", bytes: columns * interm },
    ],
    { name: "x_squared", bytes: 2 * columns * interm },
    { name: "out", bytes: momentsOf(centres) * bytesPerTile(output) },
  ];
  const passes = (centres ? 3 : 2) + (residual === undefined ? 0 : 1);
  const row = { length: columns, passes, holdsRow: false, handOvers: momentsOf(centres), wide, buffers };
  return passesOfPart([input, output], [], residual, row, chip);
}

/** Normalises each row with all chips' sums and applies its weights (tt-metal:layernorm-distributed). */
export function normByStatistics(
  op: OpLaunch,
  input: ProgramTensor,
  output: ProgramTensor,
  centres: boolean,
  chip: ChipDescription,
): StreamProgram {
  const [, statistics, ...others] = op.inputs;
  const affine = others.filter(isPresent);
  const wide = accumulatesInF32(op, chip);
  const interm = tileBytes(wide ? "f32" : "bf16");
  const length = tileColumns(input.shape);
  const free = BUFFER_SHARE * (chip.l1Size - chip.l1UnreservedBase);
  const isHeld = length * bytesPerTile(input) <= free;
  const held = isHeld ? length : Math.floor(free / bytesPerTile(input) / 7);
  const rows = (name: string, bytes: number) => ({ name, bytes: held * bytes });
  const buffers: readonly CircularBuffer[] = [
    rows("in0", bytesPerTile(input)),
    ...statistics === undefined ? [] : [{
      name: "statistics",
      bytes: tileColumns(statistics.shape) * bytesPerTile(statistics),
    }],
    ...affine.map((tensor, index) => rows(`affine${index}`, bytesPerTile(tensor))),
    tileBuffer("scaler_and_eps", 2, "bf16"),
    { name: "moments", bytes: (momentsOf(centres) + 3 + (centres ? 1 : 0)) * interm },
    rows("scaled", interm),
    ...centres ? [rows("x_minus_mean", interm)] : [],
    ...centres && affine.length > 1 ? [rows("weighted", interm)] : [],
    rows("out", bytesPerTile(output)),
  ];
  const passes = (centres ? 2 : 1) + affine.length;
  // The moments of all chips' sums are handed over.
  const row = { length, passes, holdsRow: true, handOvers: momentsOf(centres), wide, buffers };
  return passesOfPart([input, output], affine, statistics, row, chip);
}

/** Circular buffers of `layer_norm` and `rms_norm` on one chip (`ttnn:backend-0-81-1`). */

export interface NormTensors {
  readonly input: ProgramTensor;
  readonly output: ProgramTensor;
  readonly weight: ProgramTensor | undefined;
  readonly bias: ProgramTensor | undefined;
  /** The tensor added to the input first. */
  readonly residual: ProgramTensor | undefined;
}

/** The kind of norm and its accumulation. */
export interface NormKind {
  /** Whether the mean is subtracted first: layer norm. */
  readonly centres: boolean;
  /** Whether the destination register accumulates in f32. */
  readonly wide: boolean;
}

/** Buffers of the kernel that reads tile rows, and whether it holds a whole row. */
export interface RowBuffers {
  readonly buffers: readonly CircularBuffer[];
  readonly holdsRow: boolean;
}

/**
 * Tiles of a row that the kernel for long rows holds; half as many with a weight, a bias or an f32 input, and
 * half as many again with f32 accumulation.
 */
const LONG_ROW_TILES = 112;

/** Most tiles of a norm's block; half as many with f32 accumulation. */
export function normBlockTiles(wide: boolean): number {
  return wide ? 4 : 8;
}

/** Share of the free L1 that buffers of whole rows may take. */
const ROOM_SHARE = 0.95;

/**
 * Buffers of a norm that reads tile rows by address: whole rows if they fit beside the live tensors,
 * otherwise those of the kernel for long rows.
 *
 * @param room bytes per core from the unreserved base to the lowest live tensor, results included
 */
export function normRowBuffers(tensors: NormTensors, kind: NormKind, room: number): RowBuffers {
  const columns = tensors.input.extent[1] / 32;
  const whole = rowBuffers(tensors, kind, roundUp(columns, normBlockTiles(kind.wide)), false);
  if (circularBufferBytes({ circularBuffers: whole }) < ROOM_SHARE * room) {
    return { buffers: whole, holdsRow: true };
  }
  const isHalved = tensors.weight !== undefined || tensors.bias !== undefined ||
    tensors.input.dataType === "f32";
  const tiles = LONG_ROW_TILES / (isHalved ? 2 : 1) / (kind.wide ? 2 : 1);
  return { buffers: rowBuffers(tensors, kind, tiles, true), holdsRow: false };
}

/** @param width tiles of a row that are held */
function rowBuffers(
  { input, output, weight, bias, residual }: NormTensors,
  { centres, wide }: NormKind,
  width: number,
  isLong: boolean,
): readonly CircularBuffer[] {
  const blocks = 2 * normBlockTiles(wide);
  const interm = wide ? "f32" : "bf16";
  const isAffine = weight !== undefined || bias !== undefined;
  const centred = centres || residual !== undefined || isLong;
  return [
    tileBuffer("in0", residual === undefined ? width : blocks, input.dataType),
    tileBuffer("out", blocks, output.dataType),
    ...centres ? [tileBuffer("mean", 2, interm)] : [],
    tileBuffer("scaler_and_eps", 4, "bf16"),
    tileBuffer("variance", 2, interm),
    ...centred ? [tileBuffer("x_minus_mean", width, interm)] : [],
    tileBuffer("x_squared", width, interm),
    tileBuffer("reciprocal_root", 8, interm),
    ...isLong ? [tileBuffer("accumulator", 1, interm)] : [],
    ...isAffine ? [tileBuffer("scaled", blocks, interm)] : [],
    ...[weight, bias].flatMap((rows) =>
      rows === undefined ? [] : [tileBuffer("gamma", width, rows.dataType)]
    ),
    ...residual === undefined ? [] : [
      ...centres ? [tileBuffer("sum", width, interm)] : [],
      tileBuffer("residual", blocks, residual.dataType),
    ],
  ];
}

/**
 * Buffers of a norm on width or block shards: input, residual and result use their shards. Cores that share
 * rows exchange partial sums: along a row of cores, or first along rows and then along columns if every core
 * has all tile rows.
 */
export function normShardBuffers(
  { input, weight, bias }: NormTensors,
  { centres, wide }: NormKind,
): readonly CircularBuffer[] {
  const height = Math.max(1, input.shardShape[0] ?? 1);
  const width = Math.max(1, input.shardShape[1] ?? 1);
  const interm = tileBytes(wide ? "f32" : "bf16");
  const [rows, columns] = [input.extent[0] / 32, input.extent[1] / 32];
  const { columns: gridColumns, rows: gridRows } = gridOf(input);
  const cores = coreCount(input.coreRanges);
  const hasAllRows = height === rows;
  const inTwoStages = hasAllRows && gridColumns > 1 && gridRows > 1 && cores === gridColumns * gridRows;
  const sharers = hasAllRows && !inTwoStages ? cores : gridColumns;
  const part = { bytes: height * interm };
  const gathered = {
    bytes: (inTwoStages ? gridColumns + gridRows - 1 : Math.ceil(columns / width)) * interm,
  };
  const isRagged = (input.shape.at(-1) ?? 1) % 32 !== 0;
  const shard = { bytes: height * width * interm };
  return [
    tileBuffer("scaler_and_eps", 2, "bf16"),
    { name: "global_scaler", bytes: interm },
    ...isRagged && centres ? [{ name: "masked", ...shard }] : [],
    ...isRagged ? [tileBuffer("mask", width, "bf16")] : [],
    { name: "squares_partial", ...part },
    { name: "squares_gathered", ...gathered },
    { name: "squares", ...part },
    { name: "squares_own_rows", bytes: Math.ceil(height / sharers) * interm },
    ...centres
      ? [{ name: "mean_partial", ...part }, { name: "mean", ...part }, { name: "mean_gathered", ...gathered }]
      : [],
    ...[weight, bias].flatMap((row) =>
      row === undefined ? [] : [{ name: "gamma", bytes: width * bytesPerTile(row) }]
    ),
    { name: "x", ...shard },
    { name: "x_minus_mean", ...shard },
    { name: "global", ...part },
  ];
}

/** Columns and rows of the box around a sharded tensor's cores. */
export function gridOf({ coreRanges, gridShape }: ProgramTensor): {
  readonly columns: number;
  readonly rows: number;
} {
  const [rows, columns] = boxExtent(coreRanges);
  return rows === 0 ? { columns: gridShape[1] ?? 1, rows: gridShape[0] ?? 1 } : { columns, rows };
}
