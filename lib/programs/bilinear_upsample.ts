// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { coreCount } from "../layout/core_range.ts";
import { tileBytes } from "../layout/data_type.ts";
import { volume } from "../layout/extents.ts";
import { canonicalCoreRanges } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { SlidingWindow } from "../ops/sliding_window.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { type HaloPlan, haloProgram, planHalo } from "./halo.ts";
import { LaunchSequence } from "./launch_sequence.ts";
import { moveSteps } from "./memory_move.ts";
import { configOfShards, coresOfConfig, type ParallelConfig, parallelConfig } from "./parallel_config.ts";
import { runSteps } from "./program_chain.ts";
import type { KnownPrograms, PoolProgram } from "./program.ts";
import {
  isInShards,
  isInterleaved,
  layoutOf,
  type ProgramTensor,
  programTensor,
  sameShards,
  withShape,
} from "./program_tensor.ts";
import { type Refused, refused } from "./refused.ts";
import { elementShard, shardedLayout, shardedTensor } from "./sharded_tensor.ts";
import { outputPixels } from "./sliding_window.ts";

/** A bilinear upsample of images `[batch, height, width, channels]`. */
export interface BilinearRequest {
  readonly input: ProgramTensor;
  /** Output pixels per pixel. */
  readonly scale: readonly [down: number, across: number];
  readonly chip: ChipDescription;
}

/** How the backend runs it: on height shards, each with the rows around it. */
export interface BilinearPlan {
  readonly request: BilinearRequest;
  /** What is made of an interleaved operand; `undefined` if its own shards are read. */
  readonly shards: ProgramTensor | undefined;
  readonly config: ParallelConfig;
  readonly halo: HaloPlan;
}

/** Plans a bilinear upsample, or says why the backend refuses it (`ttnn:backend-0-81-1`). */
export function planBilinear(request: BilinearRequest): BilinearPlan | Refused {
  const { input, chip } = request;
  const { shape: [batch = 1, height = 1, width = 1, channels = 1] } = input;
  if (input.dataType !== "bf16") return refused("format", `${input.dataType} is not interpolated, only bf16`);
  if (channels % 32 !== 0) return refused("channels", `${channels} channels are no whole tiles`);
  // Heights and widths of a tensor in tiles are taken with their padding: the backend returns a larger image.
  if (input.tiled && width % 32 !== 0) {
    return refused("padded-tiles", "the padding of tiles would count as pixels");
  }
  const own = configOfShards(input);
  if (own === undefined ? !isInterleaved(input) : own.kind !== "height_sharded") {
    return refused("operand-memory", "the operand must be interleaved or in height shards");
  }
  const sticks = batch * height * width;
  const config = own ?? lineOfCores(Math.min(sticks, workerCores(chip)), chip);
  const rows = Math.ceil(sticks / config.rows);
  if (own === undefined && input.tiled && rows % 32 !== 0) {
    return refused("tiles", `shards of ${rows} rows are no whole tiles`);
  }
  const { dataType, tiled } = input;
  const shape = [1, 1, sticks, channels];
  const shards = own === undefined
    ? shardedTensor({ shape, dataType, tiled }, config, [rows, channels])
    : undefined;
  return {
    request,
    shards,
    config,
    halo: planHalo({
      moved: { window: windowOf(request), transposed: false, scale: request.scale },
      input: shards ?? withShape(input, shape),
      config,
      rowUnit: 1,
      tablesInDram: false,
      chip,
    }),
  };
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

function lineOfCores(count: number, { workerGrid }: ChipDescription): ParallelConfig {
  const cores = canonicalCoreRanges("l1", "height_sharded", [count, 1], workerGrid, undefined);
  return parallelConfig("height_sharded", cores);
}

/**
 * The shards that the kernel writes: rows of the result over the cores of a memory, whole channels each.
 *
 * @param memory sharded memory that was asked for; by default that of the shards that are read
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

/** What a bilinear upsample launches, in the backend's order: shards, halo, interpolation, and a move to the result. */
export function launchBilinear(plan: BilinearPlan, output: ProgramTensor): KnownPrograms {
  const { request: { input, chip }, shards, halo } = plan;
  const sequence = new LaunchSequence(chip);
  if (shards !== undefined) {
    const rows = withShape(input, shards.shape);
    runSteps(sequence, moveSteps(rows, shards, chip), (tensor) => sequence.allocate(tensor));
  }
  sequence.allocate(halo.output);
  const { program, tablesInL1Small } = haloProgram(halo);
  const tables = tablesInL1Small.map((bytes) => sequence.allocateSmall(bytes));
  sequence.run(program);
  for (const table of tables) sequence.free(table);
  const memory = shards === undefined && isInShards(output) ? layoutOf(output) : undefined;
  const made = programTensor({ shape: output.shape, dataType: "bf16" }, interpolatedLayout(plan, memory));
  const isWanted = sameShards(made, output);
  if (isWanted) sequence.allocateResult(0, output);
  else sequence.allocate(made);
  sequence.run(interpolation(plan, made));
  if (!isWanted) {
    runSteps(sequence, moveSteps(made, output, chip), (tensor) => sequence.allocateResult(0, tensor));
  }
  return sequence.launched();
}

/** Pixels that a pixel of the result is interpolated between. */
const NEIGHBOURS = 4;

/** Tiles of channels that one reduction of the kernel holds. */
const MOST_TILES = 8;

/**
 * The kernel: as a pool of 2x2 windows, whose pixels are read one by one. Beside shards it has two buffers of sticks for
 * each of two readers, one with as many channels as a reduction holds, and two tiles of weights each.
 */
function interpolation({ config, halo }: BilinearPlan, result: ProgramTensor): PoolProgram {
  const [rows, channels] = elementShard(result);
  const tiles = Math.ceil(channels / 32);
  const buffer = (name: string, bytes: number): CircularBuffer => ({ name, bytes, kind: "circular" });
  return {
    kind: "pool",
    cores: coresOfConfig(config),
    circularBuffers: [
      buffer("in0", 2 * NEIGHBOURS * Math.min(MOST_TILES, tiles) * 64),
      buffer("in1", 2 * NEIGHBOURS * tiles * 64),
      buffer("weights0", 2 * tileBytes("bf16")),
      buffer("weights1", 2 * tileBytes("bf16")),
    ],
    reads: [{ tensor: halo.output, bytes: halo.output.bytes, local: true }],
    writes: [{ tensor: result, bytes: result.bytes, local: true }],
    flops: volume(result.shape) * NEIGHBOURS,
    launches: 1,
    pixels: rows,
    windowPixels: NEIGHBOURS,
    windowReads: NEIGHBOURS,
    channelTiles: tiles,
  };
}
