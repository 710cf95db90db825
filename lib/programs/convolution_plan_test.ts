// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { present } from "../../testing/present.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { SlidingWindow } from "../ops/sliding_window.ts";
import { type ConvolutionRequest, planConvolution, staysOnShards } from "./convolution_plan.ts";
import { plannedPrograms } from "./convolution.ts";
import { type ProgramTensor, programTensor } from "./program_tensor.ts";

interface Square {
  readonly image: number;
  readonly channels: readonly [into: number, out: number];
  readonly kernel: number;
  readonly groups?: number;
}

/** The window of a square image at stride 1 that keeps its extents. */
function windowOf({ image, channels: [inChannels, outChannels], kernel, groups = 1 }: Square): SlidingWindow {
  return {
    batch: 1,
    inputHeight: image,
    inputWidth: image,
    inChannels,
    outChannels,
    kernelHeight: kernel,
    kernelWidth: kernel,
    strideHeight: 1,
    strideWidth: 1,
    dilationHeight: 1,
    dilationWidth: 1,
    padHeight: kernel - 1,
    padWidth: kernel - 1,
    groups,
    outputHeight: image,
    outputWidth: image,
  };
}

type Memory = Pick<Parameters<typeof makeLayout>[0], "bufferType" | "memoryLayout" | "grid" | "tile">;

const DRAM: Memory = { bufferType: "dram", memoryLayout: "interleaved" };

function tensorIn(shape: readonly number[], memory: Memory): ProgramTensor {
  const tensor = { shape, dataType: "bf16" } as const;
  return programTensor(tensor, makeLayout({ ...tensor, ...memory }, TEST_WORMHOLE.workerGrid));
}

function requestOf(
  square: Square,
  memory: Memory,
  change: Partial<ConvolutionRequest> = {},
): ConvolutionRequest {
  const window = windowOf(square);
  const { image, channels: [into, out], kernel } = square;
  return {
    window,
    config: {},
    compute: undefined,
    input: tensorIn([1, 1, image * image, into], memory),
    weight: tensorIn([1, 1, kernel * kernel * into, out], DRAM),
    hasBias: false,
    outType: "bf16",
    transposed: false,
    chip: TEST_WORMHOLE,
    usableL1Bytes: 1_300_000,
    ...change,
  };
}

Deno.test("a convolution in DRAM is cut into slices of one row where nothing coarser fits", () => {
  const square: Square = { image: 16, channels: [64, 64], kernel: 3 };
  const planned = (usableL1Bytes: number) =>
    present(planConvolution(requestOf(square, DRAM, { usableL1Bytes }), "height_sharded", "height"));
  assertEquals(planned(1_300_000).slices, 1);
  const finest = planned(1);
  assertEquals([finest.slices, finest.window.outputHeight, finest.window.outputWidth], [16, 1, 16]);
  // The row reads the three rows of the image that its windows reach.
  assertEquals(finest.window.inputHeight, 3);
});

Deno.test("the block of an activation is a row of the window by height, else the whole window or the wished part", () => {
  const square: Square = { image: 32, channels: [64, 128], kernel: 3 };
  const widthOf = (kind: "height_sharded" | "width_sharded", actBlockWDiv?: number) =>
    present(planConvolution(
      requestOf(square, DRAM, { config: actBlockWDiv === undefined ? {} : { actBlockWDiv } }),
      kind,
      "no",
    )).blockWidth;
  // 64 channels are 2 tiles: 3 of a window row; by width every core holds the 32 channels of one tile.
  assertEquals(widthOf("height_sharded"), 3 * 2);
  assertEquals([widthOf("width_sharded"), widthOf("width_sharded", 1)], [9, 9]);
  assertEquals([widthOf("width_sharded", 2), widthOf("width_sharded", 9)], [5, 1]);
  assertEquals(widthOf("width_sharded", 100), 1);
});

Deno.test("channels are padded to tiles in depthwise convolutions, and to 8 in those of a few groups", () => {
  const rows: Memory = { ...DRAM, tile: null };
  const channelsOf = (channels: number, groups: number) =>
    present(planConvolution(
      requestOf({ image: 16, channels: [channels, channels], kernel: 3, groups }, rows),
      "height_sharded",
      "no",
    )).channels;
  assertEquals([channelsOf(40, 1), channelsOf(40, 2), channelsOf(40, 40)], [40, 40, 64]);
});

Deno.test("a plain matmul stays on blocks whose channels are whole, not on those that pad them", () => {
  const blocks = (columns: number): Memory => ({
    bufferType: "l1",
    memoryLayout: "block_sharded",
    grid: [2, columns],
  });
  const stays = (channels: number, columns: number, kernel: number) =>
    staysOnShards(requestOf({ image: 16, channels: [channels, 64], kernel }, blocks(columns)));
  assert(stays(128, 2, 1));
  // 96 channels are three tiles, of which two columns hold four; the kernel that gathers a halo does not mind.
  assertEquals([stays(96, 2, 1), stays(96, 2, 3)], [false, true]);
  const told = (config: ConvolutionRequest["config"]) =>
    staysOnShards(requestOf({ image: 16, channels: [128, 64], kernel: 1 }, blocks(2), { config }));
  // A config that gives a sharding of its own, or asks for the best one, moves them.
  assertEquals([told({}), told({ overrideShardingConfig: false }), told({ reshardIfNotOptimal: false })], [
    true,
    true,
    true,
  ]);
  assertEquals([told({ overrideShardingConfig: true }), told({ reshardIfNotOptimal: true })], [false, false]);
});

Deno.test("every core of a plan writes its part of a result that goes back to DRAM", () => {
  const request = requestOf({ image: 32, channels: [256, 256], kernel: 3 }, DRAM);
  const plan = present(planConvolution(request, "block_sharded", "no"));
  const cores = plan.grid[0] * plan.grid[1];
  assert(plan.grid[1] > 1, `${plan.grid}`);
  const { programs } = plannedPrograms(undefined, request, plan, tensorIn([1, 1, 32 * 32, 256], DRAM));
  assertEquals(programs.at(-1)?.cores, cores);
});

Deno.test("shardings are compared by blocks of full height, whichever are cut to fit afterwards", () => {
  const choose = (image: number, channels: Square["channels"], kernel = 3) =>
    present(planConvolution(
      requestOf({ image, channels, kernel }, { ...DRAM, bufferType: "l1" }),
      undefined,
      "no",
    ));
  // Blocks of one row of tiles would take less than the 37 rows of a height shard, on 16 cores of 64.
  for (const image of [264, 272, 274, 276]) {
    const { memoryLayout, grid } = choose(image, [64, 64]);
    assertEquals(memoryLayout, "height_sharded");
    assert(grid[0] > 56, `${image}: ${grid}`);
  }
  // A plain matmul is never spread over channels alone, blocks take at least a row of cores.
  assert(choose(8, [2048, 2048], 1).memoryLayout !== "width_sharded");
  const small = choose(4, [64, 64]);
  assertEquals([small.memoryLayout, small.grid], ["height_sharded", [1, 1]]);
});
