// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { integerAttribute, integersAttribute } from "../../../testing/op_queries.ts";
import type { Architecture } from "../../device/chip_description.ts";
import { volumeConvolutionPrograms } from "./convolution_3d.ts";
import { CHIP, launch, ROWS, tensor } from "../testing/launching.ts";

/** Bytes of the buffers of a conv3d with a window of 3x3x3, whose blocks take 32 of the channels. */
function buffers(
  architecture: Architecture,
  channels: number,
  [wOutBlock, hOutBlock, tOutBlock = 1]: readonly [number, number, number?],
  fp32DestAccEn?: boolean,
): number {
  const chip = { ...CHIP, architecture };
  const cube = (extent: number) => integersAttribute([extent, extent, extent]);
  const config = {
    kind: "conv3d",
    conv3dConfig: { cInBlock: 32, cOutBlock: 32, tOutBlock, hOutBlock, wOutBlock },
    ...(fp32DestAccEn === undefined ? {} : { computeConfig: { fp32DestAccEn } }),
  } as const;
  const programs = launch(
    (op, context) => volumeConvolutionPrograms({ ...op, config }, { ...context, chip }),
    "ttnn.conv3d",
    [tensor([1, 6, 18, 18, channels], ROWS), tensor([27 * channels, 64])],
    tensor([1, 4, 16, 16, 64], ROWS),
    {
      kernel_size: cube(3),
      stride: cube(1),
      padding: cube(0),
      in_channels: integerAttribute(channels),
      out_channels: integerAttribute(64),
      groups: integerAttribute(1),
    },
  );
  return programs.flatMap(({ circularBuffers }) => circularBuffers).reduce(
    (sum, { bytes }) => sum + bytes,
    0,
  );
}

Deno.test("a conv3d has the buffers that ttnn 0.81.1 gives it", () => {
  // All channels at once: the image is there too, and partial results are narrow whatever is accumulated in.
  assertEquals(buffers("wormhole_b0", 32, [8, 4]), 181_504);
  assertEquals(buffers("wormhole_b0", 32, [1, 1]), 118_144);
  assertEquals(buffers("wormhole_b0", 32, [4, 2, 2]), 148_480);
  assertEquals(buffers("wormhole_b0", 32, [8, 8], true), 248_576);
  // Blackhole tilizes a row of tiles of patches at a time; rows of patches that fill no tile are gathered ahead.
  assertEquals([buffers("blackhole", 32, [8, 8]), buffers("blackhole", 32, [8, 7])], [193_280, 232_832]);
  assertEquals([buffers("wormhole_b0", 32, [8, 8]), buffers("wormhole_b0", 32, [8, 7])], [248_576, 288_128]);
  // Parts of the channels are added up in f32, unless the text says otherwise.
  assertEquals([buffers("wormhole_b0", 128, [8, 8]), buffers("wormhole_b0", 128, [8, 7])], [
    262_912,
    302_464,
  ]);
  assertEquals([buffers("blackhole", 128, [8, 8]), buffers("blackhole", 128, [8, 7])], [207_616, 247_168]);
  assertEquals(buffers("wormhole_b0", 128, [8, 8], false), 254_720);
  // What is tilized at once has results for the destination register: one row of tiles of 3 and 4 columns.
  assertEquals(volumeBytes("wormhole_b0", { kernel: [1, 3, 3], out: 96 }), 123_136);
  assertEquals(volumeBytes("wormhole_b0", { kernel: [1, 3, 3], out: 96 }, false), 141_568);
  // Rows of patches fill tiles; a window of one pixel has no image; f32 has results of its own format.
  assertEquals(volumeBytes("wormhole_b0", { channels: 16 }), 132_480);
  assertEquals(volumeBytes("wormhole_b0", { kernel: [1, 1, 1] }), 16_384);
  assertEquals(volumeBytes("wormhole_b0", { box: [1, 2, 4], type: "f32" }), 266_240);
  // Parts of the channels of f32 are added up beside the partial results.
  assertEquals(
    volumeBytes("wormhole_b0", { all: 64, box: [1, 4, 8], type: "f32" }),
    375_296,
  );
  assertEquals(volumeBytes("wormhole_b0", { all: 64, type: "f32" }), 517_632);
  // Blackhole reads 32 bytes of a row through a window of three times what DRAM aligns.
  assertEquals(volumeBytes("blackhole", { channels: 16 }), 104_000);
});

Deno.test("the image of a conv3d, rows behind it and rows of tiles have the L1 that the backend gives them", () => {
  const wide = { kernel: [3, 5, 5], stride: [1, 4, 4] } as const;
  // Rows of 24 pixels or more are read bank by bank, into as many rows as have room.
  assertEquals(volumeBytes("wormhole_b0", { ...wide, box: [2, 8, 8] }), 1_261_120);
  assertEquals(volumeBytes("wormhole_b0", { ...wide, stride: [1, 3, 3], box: [3, 8, 8] }), 1_225_216);
  assertEquals(volumeBytes("blackhole", { ...wide, box: [2, 8, 8] }), 988_288);
  // Without room there is no image; fewer rows are tilized at once where they would not fit.
  const wider = { kernel: [3, 7, 7], stride: [1, 2, 2] } as const;
  assertEquals(volumeBytes("wormhole_b0", { ...wider, box: [1, 8, 8] }), 1_212_416);
  assertEquals(volumeBytes("wormhole_b0", { ...wider, box: [1, 8, 7] }), 1_213_760);
});

/** A conv3d, with all of its channels in one block unless told otherwise. */
interface Volume {
  readonly kernel?: readonly number[];
  readonly stride?: readonly number[];
  /** Output frames, rows and columns of a block. */
  readonly box?: readonly [number, number, number];
  readonly channels?: number;
  /** Those of the image where a block has fewer. */
  readonly all?: number;
  readonly out?: number;
  readonly type?: "bf16" | "f32";
}

/** Bytes of its buffers on the mock device of ttnn 0.81.1. */
function volumeBytes(
  architecture: Architecture,
  {
    kernel = [3, 3, 3],
    stride = [1, 1, 1],
    box = [1, 8, 8],
    channels = 32,
    all = channels,
    out = 32,
    type = "bf16",
  }: Volume,
  fp32DestAccEn: boolean = true,
): number {
  const l1 = architecture === "blackhole"
    ? { l1Size: 1_572_864, l1UnreservedBase: 111_744, dramBanks: 8, dramAlignment: 64 }
    : { l1Size: 1_499_136, l1UnreservedBase: 105_824, dramBanks: 12, dramAlignment: 32 };
  const [tOutBlock, hOutBlock, wOutBlock] = box;
  const conv3dConfig = { cInBlock: channels, cOutBlock: out, tOutBlock, hOutBlock, wOutBlock };
  const config = { kind: "conv3d", conv3dConfig, computeConfig: { fp32DestAccEn } } as const;
  const taps = kernel.reduce((product, extent) => product * extent, 1);
  return launch(
    (op, context) =>
      volumeConvolutionPrograms({ ...op, config }, { ...context, chip: { ...CHIP, architecture, ...l1 } }),
    "ttnn.conv3d",
    [
      tensor([1, 8, 40, 40, all], { ...ROWS, dataType: type }),
      tensor([taps * all, out], { dataType: type }),
    ],
    tensor([1, 4, 8, 8, out], { ...ROWS, dataType: type }),
    {
      kernel_size: integersAttribute(kernel),
      stride: integersAttribute(stride),
      padding: integersAttribute([0, 0, 0]),
      in_channels: integerAttribute(all),
      out_channels: integerAttribute(out),
      groups: integerAttribute(1),
    },
  ).flatMap(({ circularBuffers }) => circularBuffers).reduce((sum, { bytes }) => sum + bytes, 0);
}
