// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readString } from "../dialect/attribute_values.ts";
import { roundUp } from "../layout/make_layout.ts";
import { tileColumns } from "../layout/tile_shape.ts";
import { launchBilinear, planBilinear } from "./bilinear_upsample.ts";
import { LaunchSequence } from "./launch_sequence.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "./op_launch.ts";
import {
  inOrder,
  type KnownPrograms,
  type OpPrograms,
  type StreamProgram,
  unknownPrograms,
} from "./program.ts";
import { alignmentOf, bytesPerTile, type ProgramTensor } from "./program_tensor.ts";
import { isRefused } from "./refused.ts";
import { elementShard } from "./sharded_tensor.ts";
import { residentProgram, streamProgram, wholeTensor } from "./stream.ts";

/** Whether an `upsample` interpolates; else it repeats pixels. */
export function isBilinear({ attributes }: Pick<OpLaunch, "attributes">): boolean {
  return readString(attributes, "mode") === "bilinear";
}

/** How often an image's rows and columns are in another one; `undefined` if they are not whole numbers. */
export function upsampleScale(
  from: readonly number[],
  to: readonly number[],
): readonly [down: number, across: number] | undefined {
  const [, height = 1, width = 1] = from;
  const [, newHeight = 1, newWidth = 1] = to;
  const scale = [newHeight / height, newWidth / width] as const;
  return scale.every((factor) => Number.isInteger(factor) && factor > 0) ? scale : undefined;
}

/**
 * `upsample`: every input stick is written as often as it is repeated; sticks of height and block shards are copied to
 * where they belong by a table (`ttnn:backend-0-81-1`).
 */
export function upsamplePrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const scale = upsampleScale(input.shape, output.shape);
  if (scale === undefined) return unknownPrograms(op.name, "the result is no multiple of the image");
  if (isBilinear(op)) {
    const plan = planBilinear({ input, scale, chip });
    return isRefused(plan) ? unknownPrograms(op.name, plan.reason) : launchBilinear(plan, output);
  }
  if (input.placement !== "l1_sharded") return inOrder(repeatedRows(input, output, chip));
  return input.memoryLayout === "width_sharded"
    ? inOrder(gatheredRows(input, output, chip))
    : repeatedShards(input, output, scale[0], chip);
}

/** Interleaved rows of pixels, or rows of tiles that are untilized first; two at a time where a core has several. */
function repeatedRows(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): StreamProgram {
  const tiles = tileColumns(input.shape);
  const units = input.tiled ? Math.ceil(input.tiles / tiles) : input.pages;
  const depth = units > workerCores(chip) ? 2 : 1;
  return streamProgram({
    units,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    ...input.tiled ? { compute: { work: [{ operation: "untilize", count: tiles }] } } : {},
    circularBuffers: input.tiled
      ? [
        { name: "in0", bytes: depth * tiles * bytesPerTile(input) },
        { name: "out", bytes: depth * tiles * bytesPerTile(output) },
      ]
      : [{ name: "in0", bytes: depth * roundUp(input.pageBytes, chip.dramAlignment) }],
  }, chip);
}

/** Pages that are on their way from width shards. */
const GATHERED_PAGES = 4;

/** Rows of width shards: every row of the result is fetched. */
function gatheredRows(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): StreamProgram {
  const page = roundUp(output.pageBytes, alignmentOf(output, chip));
  return streamProgram({
    units: output.pages,
    reads: [{ tensor: input, bytes: output.bytes, scattered: true }],
    writes: [wholeTensor(output)],
    circularBuffers: [{ name: "in0", bytes: GATHERED_PAGES * page }],
  }, chip);
}

function repeatedShards(
  input: ProgramTensor,
  output: ProgramTensor,
  down: number,
  chip: ChipDescription,
): KnownPrograms {
  const sequence = new LaunchSequence(chip);
  sequence.allocateResult(0, output);
  const table = sequence.allocateSmall(tableBytes(input, down));
  sequence.run(residentProgram(output.shardCores, [], { copiedBytes: output.shardBytes }));
  sequence.free(table);
  return sequence.launched();
}

/** Bytes of an entry of the table: a core, the first and the last stick of a run on it; for two threads. */
const ENTRY = 16;

/**
 * Bytes per core of the table that tells two threads which runs of sticks to fetch: those of their halves of a core's
 * sticks, once for every repetition of an image's row.
 */
function tableBytes(input: ProgramTensor, down: number): number {
  const [batch = 1, height = 1, width = 1] = input.shape;
  const [shardRows] = elementShard(input);
  const sticks = shardRows * down;
  const shares = sticks === 1 ? [1] : [Math.ceil(sticks / 2), Math.floor(sticks / 2)];
  let [turn, left, runs, most] = [0, shares[0] ?? 0, 0, 0];
  let goesOn = false;
  for (let row = 0; row < batch * height * down; row++) {
    const first = Math.floor(row / down) * width;
    if (row % down > 0) goesOn = false;
    for (let stick = first; stick < first + width;) {
      if (left === 0) {
        left = shares[++turn % shares.length] ?? 0;
        [runs, goesOn] = [0, false];
      }
      if (stick % shardRows === 0) goesOn = false;
      if (!goesOn) most = Math.max(most, ++runs);
      const length = Math.min(first + width - stick, left, shardRows - stick % shardRows);
      stick += length;
      left -= length;
      goesOn = true;
    }
  }
  return ENTRY * most;
}
