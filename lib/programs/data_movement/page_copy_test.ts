// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { CHIP, ROWS, tensor } from "../testing/launching.ts";
import { copyProgram } from "./memory_move.ts";

Deno.test("a copy holds at most 256 KiB of a row at a time", () => {
  // As ttnn 0.81.1 copies rows of bf16 from DRAM to L1.
  const buffers = (width: number) => {
    const [from, to] = (["dram", "l1"] as const).map((bufferType) =>
      tensor([2, width], { ...ROWS, bufferType })
    );
    return from === undefined || to === undefined
      ? []
      : copyProgram(from, to, CHIP).circularBuffers.map(({ bytes }) => bytes);
  };
  assertEquals([100_000, 131_072, 151_936].map(buffers), [
    [400_000, 200_000],
    [524_288, 262_144],
    [524_288, 262_144],
  ]);
});
