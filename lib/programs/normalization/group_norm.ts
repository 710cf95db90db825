// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { greatestCommonDivisor, matrixCount } from "../../layout/extents.ts";
import { tileColumns, tileCount, tileRows } from "../../layout/tile_shape.ts";
import { GROUP_NORM } from "../../ops/attributes/normalization.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { largestDivisor } from "../matmul/matmul_blocking.ts";
import type { OpLaunch } from "../op_launch.ts";
import type { DeviceProgram } from "../program.ts";
import type { ProgramTensor } from "../program_tensor.ts";
import { residentProgram, streamProgram, wherePlaced } from "../stream.ts";

/** Passes over each tile of a group: sharded, and interleaved, where tiles are read three times. */
const PASSES = { sharded: 6, interleaved: 18 };

/** Reads of an image: for mean, variance and result. */
const READINGS = { sharded: 1, interleaved: 3 };

/**
 * Statistics per group that later passes wait for: mean and variance; for interleaved images each is summed
 * over all cores, block by block.
 */
const HAND_OVERS = { sharded: 2, interleaved: 10 };

/** Share of the most loaded core of a group norm. */
interface GroupShare {
  readonly cores: number;
  /** Groups of all images that it processes, one after another. */
  readonly groups: number;
  /** Tiles that it visits; a tile counts once per group that touches it. */
  readonly tiles: number;
}

/**
 * `group_norm` of images as rows of pixels: the grid's columns divide the channels by whole groups, its rows
 * divide images and their tile rows. A core processes its groups one by one and visits every tile that a
 * group touches (published:ops-2, 8 to 80 channels per group on 1 to 64 cores).
 */
export function groupNormProgram(
  op: OpLaunch,
  input: ProgramTensor,
  output: ProgramTensor,
  circularBuffers: readonly CircularBuffer[],
  chip: ChipDescription,
): DeviceProgram {
  const onShards = input.placement === "l1_sharded" && input.shardCores > 0;
  const groups = Math.max(1, readAttributes(op, GROUP_NORM).num_groups);
  const share = onShards ? shareOfShards(input, groups) : shareOfGrid(input, groups, chip);
  const { cores, groups: own, tiles } = share;
  const kind = onShards ? "sharded" : "interleaved";
  // Row-major input is tilized on every read.
  const tilized = input.tiled ? 0 : READINGS[kind] * Math.ceil(tileCount(input.shape) / cores);
  const compute = [
    { operation: "tilize", count: tilized },
    { operation: "reduce_row", count: own * (cores > 1 ? HAND_OVERS[kind] : 1) },
    { operation: "group_pass", count: tiles * PASSES[kind] },
  ] as const;
  const rest = { flops: input.tiles * 1024 * PASSES[kind], circularBuffers };
  if (onShards) return residentProgram(cores, compute, rest);
  return streamProgram({
    units: cores,
    maxCores: cores,
    reads: [{ tensor: input, bytes: READINGS.interleaved * input.bytes }],
    writes: [wherePlaced(output)],
    compute: { work: compute },
    parts: Math.max(1, own),
    reader: { barriers: own },
    writer: { barriers: own },
    ...rest,
  }, chip);
}

/** Shards hold whole groups of some rows of tiles. */
function shareOfShards(input: ProgramTensor, groups: number): GroupShare {
  const [height = 1, width = 1] = input.shardShape;
  const rows = input.tiled ? height : Math.ceil(height / 32);
  const columns = input.tiled ? width : Math.ceil(width / 32);
  const own = Math.max(1, Math.ceil(groups * columns / tileColumns(input.shape)));
  return { cores: input.shardCores, groups: own, tiles: own * rows * touchedTiles(input, groups) };
}

/**
 * The grid's columns hold whole groups in whole tiles; with more images than rows, images run one after
 * another.
 */
function shareOfGrid(input: ProgramTensor, groups: number, chip: ChipDescription): GroupShare {
  const { rows: gridRows, columns: gridColumns } = chip.workerGrid;
  const channelTiles = tileColumns(input.shape);
  const columns = largestDivisor(greatestCommonDivisor(groups, channelTiles), gridColumns);
  const images = Math.max(1, matrixCount(input.shape));
  const rowsOfImage = Math.max(1, tileRows(input.shape) / images);
  const rounds = Math.ceil(images / gridRows);
  const perImage = Math.min(rowsOfImage, Math.max(1, Math.floor(gridRows / images)));
  const own = rounds * groups / columns;
  return {
    cores: columns * Math.min(gridRows, perImage * images),
    groups: own,
    tiles: own * Math.ceil(rowsOfImage / perImage) * touchedTiles(input, groups),
  };
}

/** Mean number of tile columns that a group touches. */
function touchedTiles({ shape }: ProgramTensor, groups: number): number {
  const channels = Math.max(1, (shape.at(-1) ?? 1) / groups);
  let touched = 0;
  for (let group = 0; group < groups; group++) {
    const first = Math.floor(group * channels / 32);
    const last = Math.floor(((group + 1) * channels - 1) / 32);
    touched += Math.max(first, last) - first + 1;
  }
  return touched / groups;
}
