// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { coreCount } from "../../layout/core_range.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { UPSAMPLE } from "../../ops/attributes/window.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { circularBuffer } from "../circular_buffer.ts";
import { moveSteps } from "../data_movement/memory_move.ts";
import { chainStep, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "../op_launch.ts";
import {
  inOrder,
  type KnownPrograms,
  type OpPrograms,
  type PoolProgram,
  type StreamProgram,
  unknownPrograms,
} from "../program.ts";
import {
  alignmentOf,
  isInShards,
  isInterleaved,
  layoutOf,
  type ProgramTensor,
  programTensor,
  sameShards,
  withShape,
} from "../program_tensor.ts";
import { elementShard, shardedLayout, shardedTensor } from "../shard_spec.ts";
import { gatherSteps, type HaloPlan, planHalo, poolOf } from "../sliding_window/halo.ts";
import {
  configOfShards,
  coresOfConfig,
  lineOfCores,
  type ParallelConfig,
} from "../sliding_window/parallel_config.ts";
import {
  type ConvolutionRefusal,
  isRefused,
  outputPixels,
  refused,
} from "../sliding_window/sliding_window.ts";
import { residentProgram, streamProgram, tileBuffer, wholeTensor, wholeTensors } from "../stream.ts";

/** Whether an `upsample` interpolates; otherwise it repeats pixels. */
export function isBilinear(op: Pick<OpLaunch, "attributes">): boolean {
  return readAttributes(op, UPSAMPLE).mode === "bilinear";
}

/** Integer ratios of an image's rows and columns to another's; `undefined` if they are not integers. */
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
 * `upsample`: every input stick is written as often as it is repeated; sticks of height and block shards are
 * copied to their cores by a table (`ttnn:backend-0-81-1`).
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

/** Interleaved pixel rows, or tile rows that are untilized first; two in flight if a core has several. */
function repeatedRows(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): StreamProgram {
  const tiles = tileColumns(input.shape);
  const units = input.tiled ? Math.ceil(input.tiles / tiles) : input.pages;
  const depth = units > workerCores(chip) ? 2 : 1;
  const { dataType } = output;
  return streamProgram({
    units,
    ...wholeTensors(input, output),
    ...input.tiled ? { compute: { work: [{ operation: "untilize", count: tiles }] } } : {},
    circularBuffers: input.tiled
      ? [tileBuffer("in0", depth * tiles, input.dataType), tileBuffer("out", depth * tiles, dataType)]
      : [{ name: "in0", bytes: depth * roundUp(input.pageBytes, chip.dramAlignment) }],
  }, chip);
}

/** Pages in flight from width shards. */
const GATHERED_PAGES = 4;

/** Rows of width shards: every result row is read. */
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
  const copied = residentProgram(output.shardCores, [], { copiedBytes: output.shardBytes });
  const step = { ...chainStep(output, copied), smallTables: [tableBytes(input, down)] };
  return launchChain([step], chip);
}

/** Bytes of a table entry: a core, and first and last stick of a run on it; for two threads. */
const ENTRY = 16;

/**
 * Bytes per core of the table of stick runs that two threads fetch: each thread half of a core's sticks, once
 * per repetition of an image row.
 */
function tableBytes(input: ProgramTensor, down: number): number {
  const [batch = 1, height = 1, width = 1] = input.shape;
  const [shardRows] = elementShard(input);
  const sticks = shardRows * down;
  const shares = sticks === 1 ? [1] : [Math.ceil(sticks / 2), Math.floor(sticks / 2)];
  let [permute, left, runs, most] = [0, shares[0] ?? 0, 0, 0];
  let goesOn = false;
  for (let row = 0; row < batch * height * down; row++) {
    const first = Math.floor(row / down) * width;
    if (row % down > 0) goesOn = false;
    for (let stick = first; stick < first + width;) {
      if (left === 0) {
        left = shares[++permute % shares.length] ?? 0;
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

/** A bilinear upsample of images `[batch, height, width, channels]`. */
export interface BilinearRequest {
  readonly input: ProgramTensor;
  /** Output pixels per pixel. */
  readonly scale: readonly [down: number, across: number];
  readonly chip: ChipDescription;
}

/** The backend's plan: height shards, each with its neighbouring rows. */
export interface BilinearPlan {
  readonly request: BilinearRequest;
  /** The shards created from an interleaved operand; `undefined` if the operand's own shards are read. */
  readonly shards: ProgramTensor | undefined;
  readonly config: ParallelConfig;
  readonly halo: HaloPlan;
}

/** Plans a bilinear upsample, or returns the backend's refusal (`ttnn:backend-0-81-1`). */
export function planBilinear(request: BilinearRequest): BilinearPlan | ConvolutionRefusal {
  const { input, chip } = request;
  const { shape: [batch = 1, height = 1, width = 1, channels = 1] } = input;
  if (input.dataType !== "bf16") return refused("format", `${input.dataType} is not interpolated, only bf16`);
  if (channels % 32 !== 0) return refused("channels", `${channels} channels are no whole tiles`);
  // The padded height and width of a tiled tensor are used: the backend returns a larger image.
  if (input.tiled && width % 32 !== 0) {
    return refused("padded-tiles", "the padding of tiles would count as pixels");
  }
  const own = configOfShards(input);
  if (own === undefined ? !isInterleaved(input) : own.kind !== "height_sharded") {
    return refused("operand-memory", "the operand must be interleaved or in height shards");
  }
  const sticks = batch * height * width;
  const config = own ?? lineOfCores("height_sharded", Math.min(sticks, workerCores(chip)), chip);
  const rows = Math.ceil(sticks / config.rows);
  if (own === undefined && input.tiled && rows % 32 !== 0) {
    return refused("tiles", `shards of ${rows} rows are no whole tiles`);
  }
  const shape = [1, 1, sticks, channels];
  const shards = own === undefined ? shardedTensor({ ...input, shape }, config, [rows, channels]) : undefined;
  const halo = planHalo({
    moved: { window: windowOf(request), transposed: false, scale: request.scale },
    input: shards ?? withShape(input, shape),
    config,
    rowUnit: 1,
    tablesInDram: false,
    chip,
  });
  return { request, shards, config, halo };
}

/** Windows of 2x2 pixels over images with a pixel of padding on all sides. */
function windowOf({ input, scale: [down, across] }: BilinearRequest): SlidingWindow {
  const [batch = 1, height = 1, width = 1, channels = 1] = input.shape;
  return {
    batch,
    inputHeight: height,
    inputWidth: width,
    inChannels: channels,
    outChannels: channels,
    kernelHeight: 2,
    kernelWidth: 2,
    strideHeight: 1,
    strideWidth: 1,
    dilationHeight: 1,
    dilationWidth: 1,
    padHeight: 2,
    padWidth: 2,
    padding: { top: 1, left: 1, bottom: 1, right: 1 },
    groups: 1,
    outputHeight: down * height,
    outputWidth: across * width,
  };
}

/**
 * The kernel's output shards: result rows over the cores of a memory, with all channels.
 *
 * @param memory requested sharded memory; by default that of the input shards
 */
export function interpolatedLayout({ config, halo }: BilinearPlan, memory?: TtnnLayout): TtnnLayout {
  const pixels = outputPixels(halo.moved.window);
  const [, channels] = elementShard(halo.output);
  const cores = memory === undefined ? config.rows : coreCount(memory.coreRanges);
  const shard = [Math.ceil(pixels / cores), channels] as const;
  return memory === undefined
    ? shardedLayout({ dataType: "bf16", tiled: false }, config, shard)
    : { ...memory, dataType: "bf16", tile: undefined, shardShape: shard, ignorePhysicalLayout: false };
}

/**
 * The programs of a bilinear upsample in the backend's order: shards, halo, interpolation, move to the
 * result.
 */
export function launchBilinear(plan: BilinearPlan, output: ProgramTensor): KnownPrograms {
  const { request: { input, chip }, shards, halo } = plan;
  const memory = shards === undefined && isInShards(output) ? layoutOf(output) : undefined;
  const made = programTensor({ shape: output.shape, dataType: "bf16" }, interpolatedLayout(plan, memory));
  const isWanted = sameShards(made, output);
  return launchChain([
    ...shards === undefined ? [] : moveSteps(withShape(input, shards.shape), shards, chip),
    ...gatherSteps(halo, false),
    chainStep(isWanted ? output : made, interpolation(plan, made)),
    ...isWanted ? [] : moveSteps(made, output, chip),
  ], chip);
}

/** Pixels that a result pixel is interpolated from. */
const NEIGHBOURS = 4;

/** Channel tiles per reduction of the kernel. */
const MOST_TILES = 8;

/**
 * The kernel, like a pool of 2x2 windows whose pixels are read one by one. Besides shards, each of two
 * readers has two buffers of sticks (one with as many channels as a reduction holds) and two tiles of
 * weights.
 */
function interpolation({ config, halo }: BilinearPlan, result: ProgramTensor): PoolProgram {
  const [rows, channels] = elementShard(result);
  const tiles = Math.ceil(channels / 32);
  const buffers = [
    circularBuffer("in0", 2 * NEIGHBOURS * Math.min(MOST_TILES, tiles) * 64),
    circularBuffer("in1", 2 * NEIGHBOURS * tiles * 64),
    circularBuffer("weights0", 2 * tileBytes("bf16")),
    circularBuffer("weights1", 2 * tileBytes("bf16")),
  ];
  return {
    ...poolOf(halo, result, buffers),
    cores: coresOfConfig(config),
    flops: volume(result.shape) * NEIGHBOURS,
    pixels: rows,
    windowPixels: NEIGHBOURS,
    windowReads: NEIGHBOURS,
    channelTiles: tiles,
  };
}
