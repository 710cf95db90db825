// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import type { Architecture } from "../../device/chip_description.ts";
import { convolutionBlocks } from "./convolution_blocks.ts";
import { convolutionBuffers } from "./convolution_buffers.ts";
import { parallelConfig } from "../sliding_window/parallel_config.ts";
import { isRefused } from "../sliding_window/sliding_window.ts";

/** Bytes of the kernel's buffers of a depthwise convolution along a line, in height shards. */
function buffers(
  architecture: Architecture,
  cores: number,
  { pixels, channels, kernel, type, dilation = 1 }: {
    readonly pixels: number;
    readonly channels: number;
    readonly kernel: number;
    readonly type: "f32" | "bf16";
    readonly dilation?: number;
  },
): number {
  const lines = {
    batch: 1,
    inputHeight: 1,
    kernelHeight: 1,
    strideHeight: 1,
    strideWidth: 1,
    outputHeight: 1,
  };
  const none = { top: 0, left: 0, bottom: 0, right: 0 };
  const work = {
    window: {
      ...lines,
      inputWidth: pixels + dilation * (kernel - 1),
      outputWidth: pixels,
      inChannels: channels,
      outChannels: channels,
      groups: channels,
      kernelWidth: kernel,
      dilationHeight: 1,
      dilationWidth: dilation,
      padHeight: 0,
      padWidth: 0,
      padding: none,
    },
    transposed: false,
    config: { enableActDoubleBuffer: true, enableWeightsDoubleBuffer: true },
    compute: undefined,
    inputType: type,
    weightType: type,
    outType: type,
    hasBias: false,
    chip: { ...TEST_WORMHOLE, architecture },
  };
  const input = parallelConfig("height_sharded", [{ start: { x: 0, y: 0 }, end: { x: cores - 1, y: 0 } }]);
  const blocks = convolutionBlocks(work, input, input, channels);
  const found = convolutionBuffers(work, {
    input,
    blocks,
    weights: [channels * kernel, channels],
    isAlone: true,
    indexBytes: 8,
  });
  assert(!isRefused(found));
  return found.reduce((sum, { bytes }) => sum + bytes, 0);
}

Deno.test("a window along a line is gathered whole if one read holds it, tap by tap otherwise, as the backend has it", () => {
  const image = { channels: 64, kernel: 12, type: "f32" } as const;
  assertEquals(buffers("wormhole_b0", 63, { ...image, pixels: 1989 }), 491_592);
  assertEquals(buffers("blackhole", 101, { ...image, pixels: 6430 }), 983_112);
  // 12 taps of 192 channels are 9 KiB: more than Wormhole reads at once, less than Blackhole.
  const wide = { channels: 192, kernel: 12, type: "f32", pixels: 3200 } as const;
  const [tapwise, whole] = [buffers("wormhole_b0", 100, wide), buffers("blackhole", 100, wide)];
  assertEquals(whole, 12 * (tapwise - 72) + 72);
  // Formats matter by their bytes: the boundary is exact in both.
  const at = (type: "f32" | "bf16", kernel: number) =>
    buffers("wormhole_b0", 100, { channels: 128, kernel, type, pixels: 3200 });
  assert(at("f32", 16) > 4 * at("f32", 17));
  assert(at("bf16", 32) > 4 * at("bf16", 33));
});

Deno.test("channels that fill no tiles and dilated windows are gathered tap by tap, as the backend has it", () => {
  // Recorded: 48 channels of 65 pixels, 4 taps, are 20,544 bytes beside the table of reads.
  assertEquals(buffers("wormhole_b0", 3, { pixels: 65, channels: 48, kernel: 4, type: "bf16" }), 20_544 + 8);
  const full = { pixels: 65, channels: 64, kernel: 4, type: "bf16" } as const;
  assertEquals(buffers("wormhole_b0", 3, { ...full, dilation: 2 }), 20_544 + 8);
  assert(buffers("wormhole_b0", 3, full) > 20_544 + 8);
});
