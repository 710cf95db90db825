// SPDX-License-Identifier: Apache-2.0

/** Circular buffers of `layer_norm` and `rms_norm` on one chip (`ttnn:backend-0-81-1`). */

import { boxExtent, coreCount } from "../../layout/core_range.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { circularBufferBytes } from "../circular_buffer_sums.ts";
import { bytesPerTile, type ProgramTensor } from "../program_tensor.ts";
import { tileBuffer } from "../stream.ts";

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
