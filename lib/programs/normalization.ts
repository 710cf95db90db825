// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { tileBytes } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import { tileColumns } from "../layout/tile_shape.ts";
import type { ComputeKernelConfig } from "../op_config/op_config.ts";
import { definitionOf } from "../ops/op_book.ts";
import { groupNormProgram } from "./group_norm.ts";
import { momentsOf, normByStatistics, normStatistics } from "./norm_parts.ts";
import type { LaunchContext, OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { circularBufferBytes, inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import { bytesPerTile, isPresent, type ProgramTensor } from "./program_tensor.ts";
import { BLOCK_TILES, normBufferBytes, rowBlock, rowPasses, shardPasses } from "./row_passes.ts";
import { tileBuffer } from "./stream.ts";

/** Most tiles of a norm's block; half as many if the destination register accumulates in f32. */
export function normBlockTiles(compute: ComputeKernelConfig | undefined): number {
  return compute?.fp32DestAccEn === true ? BLOCK_TILES / 2 : BLOCK_TILES;
}

/**
 * Layer, RMS and group norm: mean, variance, scaling, affine; RMS subtracts no mean. Shards are processed in place,
 * otherwise the unit of work is a row of tiles (tt-metal:layernorm).
 */
export function normPrograms(op: OpLaunch, { chip, ruleSet }: LaunchContext): OpPrograms {
  const [input, ...rest] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const affine = rest.filter(isPresent);
  const { family } = definitionOf(op.name);
  const centres = !op.name.includes("rms");
  const onShards = input.placement === "l1_sharded" && input.shardCores > 0;
  if (op.name.endsWith("group_norm")) {
    return inOrder(groupNormProgram(op, input, output, estimatedBuffers(input), chip));
  }
  const passes = centres ? 4 : 3;
  const handOvers = momentsOf(centres);
  const wide = op.config?.computeConfig?.fp32DestAccEn === true;
  if (onShards) {
    const buffers = family === "unrecorded_norm"
      ? estimatedBuffers(input)
      : shardBuffers({ input, output, affine, centres });
    const own = op.name.endsWith("_pre_all_gather")
      ? passes - 1
      : op.name.endsWith("_post_all_gather")
      ? passes - 2
      : passes;
    return inOrder(shardPasses(input, { passes: own, handOvers, buffers }));
  }
  if (op.name.endsWith("_pre_all_gather")) return inOrder(normStatistics(op, input, output, centres, chip));
  if (op.name.endsWith("_post_all_gather")) {
    return inOrder(normByStatistics(op, input, output, centres, chip));
  }
  const buffers = family === "unrecorded_norm"
    ? estimatedBuffers(input)
    : rowBuffers({ input, output, affine, centres }, op.config?.computeConfig, ruleSet.normBlock, chip);
  const length = rowTiles(input);
  const most = normBlockTiles(op.config?.computeConfig);
  const block = ruleSet.normBlock === "fixed" ? most : rowBlock(length, most);
  const readings = isHeld(input, length, wide, chip) ? 1 : passes - 1;
  return inOrder(
    rowPasses(
      input,
      affine,
      output,
      { length, block, passes, holdsRow: true, handOvers, wide, readings, buffers },
      chip,
    ),
  );
}

/**
 * Whether a row stays in L1 between the passes: the backend adds up the row, three intermediate rows and both rows of
 * weights, whether the op has them or not (tt-metal:layernorm, `CB_can_fit_in_L1`).
 */
function isHeld(input: ProgramTensor, length: number, wide: boolean, chip: ChipDescription): boolean {
  const perTile = bytesPerTile(input) + 3 * tileBytes(wide ? "f32" : "bf16") + 2 * tileBytes("bf16");
  return length * perTile < normBufferBytes(chip);
}

/** Tiles of a row of the tensor. */
function rowTiles({ extent }: ProgramTensor): number {
  return Math.max(1, Math.ceil(extent[1] / 32));
}

/** The tensors of a norm. */
interface NormTensors {
  readonly input: ProgramTensor;
  readonly output: ProgramTensor;
  /** Weight and bias, if present. */
  readonly affine: readonly ProgramTensor[];
  /** Whether the mean is subtracted first. */
  readonly centres: boolean;
}

/**
 * Circular buffers of the interleaved kernel: the whole row of tiles, squares, two blocks out, scaler and statistics,
 * the rows of weight and bias; the block rule depends on the backend revision. Rows that do not fit are processed in
 * parts.
 */
function rowBuffers(
  { input, output, affine, centres }: NormTensors,
  compute: ComputeKernelConfig | undefined,
  normBlock: LaunchContext["ruleSet"]["normBlock"],
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const most = normBlockTiles(compute);
  const columns = tileColumns(input.shape);
  const fixed = normBlock === "fixed";
  const block = fixed ? most : rowBlock(columns, most);
  const interm = tileBytes(compute?.fp32DestAccEn === true ? "f32" : "bf16");
  const affineTile = affine.reduce((largest, operand) => Math.max(largest, bytesPerTile(operand)), 0);
  const buffersOf = (width: number): readonly CircularBuffer[] => [
    { name: "in0", bytes: width * bytesPerTile(input) },
    { name: "out", bytes: 2 * block * bytesPerTile(output) },
    { name: "x_squared", bytes: width * interm },
    { name: "statistics", bytes: 8 * interm },
    tileBuffer("scaler_and_eps", 6, "bf16"),
    ...(affine.length === 0 ? [] : [
      { name: "gamma_and_beta", bytes: affine.length * width * affineTile },
      { name: "scaled", bytes: 2 * block * interm },
    ]),
    ...(centres ? [{ name: "x_minus_mean", bytes: (width + 2) * interm }] : []),
  ];
  const whole = buffersOf(fixed ? roundUp(columns, block) : columns);
  if (!fixed || circularBufferBytes({ circularBuffers: whole }) < normBufferBytes(chip)) return whole;
  return buffersOf(affine.length > 0 || input.dataType === "f32" ? 56 : 112);
}

/**
 * Circular buffers of the sharded kernel: input and output alias their shards; squares, differences and partial sums
 * of one shard, and the columns of weight and bias stay (structure of tt-metal's sharded layernorm; not recorded).
 */
function shardBuffers({ input, output, affine, centres }: NormTensors): readonly CircularBuffer[] {
  const [height = 1, width = 1] = input.shardShape;
  const shard = height * width;
  return [
    tileBuffer("x_squared", shard, "bf16"),
    ...(centres ? [tileBuffer("x_minus_mean", shard, "bf16")] : []),
    tileBuffer("partials", 4 * height + 4, "bf16"),
    ...affine.map((operand, index) => ({ name: `affine${index}`, bytes: width * bytesPerTile(operand) })),
    ...(affine.length > 0 ? [{ name: "scaled", bytes: shard * bytesPerTile(output) }] : []),
  ];
}

/** Norms without recorded circular buffers: three rows of tiles. */
function estimatedBuffers(input: ProgramTensor): readonly CircularBuffer[] {
  const row = 3 * Math.min(tileColumns(input.shape), 56) + 16;
  return [{ name: "rows", bytes: row * bytesPerTile(input) }];
}
