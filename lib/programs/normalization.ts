// SPDX-License-Identifier: Apache-2.0
import { tileColumns } from "../layout/tile_shape.ts";
import type { NormForm } from "../ops/definition.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { accumulatesInF32 } from "./compute_config.ts";
import { groupNormProgram } from "./group_norm.ts";
import {
  gridOf,
  normBlockTiles,
  normRowBuffers,
  normShardBuffers,
  type NormTensors,
} from "./norm_buffers.ts";
import { momentsOf, normByStatistics, normStatistics } from "./norm_parts.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "./op_launch.ts";
import { operandIn } from "./operand_groups.ts";
import { inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import { bytesPerTile, isPresent, type ProgramTensor } from "./program_tensor.ts";
import { rowBlock, rowPasses, shardPasses } from "./row_passes.ts";

/**
 * Layer, RMS and group norm: mean, variance, scaling, affine; RMS subtracts no mean. Width and block shards are worked on
 * where they lie, otherwise the unit of work is a row of tiles, read by address (`ttnn:backend-0-81-1`).
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

/** A norm, or one part of it, that works on the shards of its input; it runs on the whole box around their cores. */
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
