// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import type { NormForm } from "../../ops/definition.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { groupNormProgram } from "./group_norm.ts";
import {
  gridOf,
  normBlockTiles,
  normRowBuffers,
  normShardBuffers,
  type NormTensors,
} from "./norm_buffers.ts";
import {
  accumulatesInF32,
  type LaunchContext,
  operandIn,
  type OpLaunch,
  type UnaryLaunch,
} from "../op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram, unknownPrograms } from "../program.ts";
import { bytesPerTile, isPresent, type ProgramTensor } from "../program_tensor.ts";
import { rowBlock, rowPasses, shardPasses } from "./row_passes.ts";
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
    return inOrder(normOfShards(op, form, input, output, context));
  }
  if (form.half === "statistics") return inOrder(normStatistics(op, input, output, centres, chip));
  if (form.half === "scaling") return inOrder(normByStatistics(op, input, output, centres, chip));
  const tensors = tensorsOf(op, input, output);
  const kind = { centres, wide: accumulatesInF32(op, chip) };
  const { buffers, holdsRow } = normRowBuffers(tensors, kind, context.room().besideResults);
  const further = [tensors.weight, tensors.bias, tensors.residual].filter(isPresent);
  const passes = passesOf(centres);
  const length = Math.max(1, tileColumns(input.shape));
  const most = normBlockTiles(kind.wide);
  return inOrder(
    rowPasses(input, further, output, {
      length,
      block: context.programRules.normBlock === "fixed" ? most : rowBlock(length, most),
      passes,
      holdsRow: true,
      handOvers: momentsOf(centres),
      wide: kind.wide,
      readings: holdsRow ? 1 : passes - 1,
      buffers,
    }, chip),
  );
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
  op: OpLaunch,
  { subtractsMean: centres, half }: NormForm,
  input: ProgramTensor,
  output: ProgramTensor,
  { chip }: LaunchContext,
) {
  const buffers = definitionOf(op.name).family === "unrecorded_norm"
    ? estimatedBuffers(input)
    : normShardBuffers(tensorsOf(op, input, output), { centres, wide: accumulatesInF32(op, chip) });
  const fewer = half === undefined ? 0 : half === "statistics" ? 1 : 2;
  const program = shardPasses(input, {
    passes: passesOf(centres) - fewer,
    handOvers: momentsOf(centres),
    buffers,
  });
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
  const handOvers = momentsOf(centres);
  const block = rowBlock(columns, normBlockTiles(wide));
  const row = { length: columns, block, passes, holdsRow: false, handOvers, wide, readings: 1, buffers };
  const program = rowPasses(input, [], output, row, chip);
  return residual === undefined ? program : { ...program, reads: [...program.reads, wholeTensor(residual)] };
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
  // The moments of all chips' sums.
  const handOvers = momentsOf(centres);
  const block = rowBlock(length, normBlockTiles(wide));
  const row = { length, block, passes, holdsRow: true, handOvers, wide, readings: 1, buffers };
  const program = rowPasses(input, affine, output, row, chip);
  return statistics === undefined
    ? program
    : { ...program, reads: [...program.reads, wholeTensor(statistics)] };
}
