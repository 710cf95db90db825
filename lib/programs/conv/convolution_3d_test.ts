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
});
