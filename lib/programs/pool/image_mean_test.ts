// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { globalMeanPrograms } from "./image_mean.ts";
import { CHIP, tensor } from "../testing/launching.ts";

/** Per program of a `global_avg_pool2d` in DRAM: bytes of its buffers. */
function buffersOf(shape: readonly [number, number, number, number], dataType: "bf16" | "f32") {
  const [batch, , , channels] = shape;
  const input = tensor(shape, { dataType });
  const output = tensor([batch, 1, 1, channels], { dataType });
  return globalMeanPrograms(input, output, CHIP).programs.map(({ circularBuffers }) =>
    circularBuffers.map(({ bytes }) => bytes)
  );
}

// Buffers in graph captures of ttnn 0.81.1 (n150).
Deno.test("images of 20 tile rows and more are summed slice by slice first", () => {
  const last = [8192, 4096, 2048, 8192, 4096, 4096];
  assertEquals(buffersOf([1, 1, 608, 32], "bf16"), [[4096, 2048, 4096]]);
  assertEquals(buffersOf([1, 1, 640, 32], "bf16"), [[16_384, 2048, 8192], last]);
  assertEquals(buffersOf([1, 128, 128, 32], "f32"), [[8192, 4096, 8192], [
    8192,
    4096,
    4096,
    8192,
    4096,
    8192,
  ]]);
  const untilized = [4096, 4096];
  assertEquals(buffersOf([1, 7, 7, 64], "bf16"), [untilized, [4096, 2048, 2048, 4096, 2048, 4096]]);
  assertEquals(buffersOf([1, 25, 25, 64], "bf16"), [untilized, [4096, 2048, 4096, 16_384, 2048, 8192], last]);
});
