// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { eltwisePrograms } from "./eltwise.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import type { ProgramTensor } from "../program_tensor.ts";
import { launch, tensor } from "../testing/launching.ts";

const elementwise = (op: OpLaunch, { chip }: LaunchContext) => eltwisePrograms(op, { chip });

Deno.test("a broadcast column is read once per row of tiles that a core makes, an element once per core", () => {
  const output = tensor([2048, 64]);
  const tilesRead = (operand: ProgramTensor): number => {
    const [program] = launch(elementwise, "ttnn.add", [output, operand], output);
    return (program?.reads[1]?.bytes ?? 0) / (32 * 32 * 2);
  };
  // 128 tiles in 64 rows of two, on 64 cores: a row each.
  assertEquals(tilesRead(tensor([2048, 1])), 64);
  assertEquals(tilesRead(tensor([1, 1])), 64);
  assertEquals(tilesRead(tensor([])), 64);
  assertEquals(tilesRead(output), 128);
});

Deno.test("of a broadcast column a core that begins within a row reads its tile anew", () => {
  const output = tensor([65 * 32, 3 * 32]);
  const [program] = launch(elementwise, "ttnn.add", [output, tensor([65 * 32, 1])], output);
  // 195 tiles on 64 cores: three cores take four tiles, the others three, one behind the other.
  const rowsOfCores = Array.from({ length: 64 }, (_, core) => {
    const begin = 3 * core + Math.min(core, 3);
    const end = begin + (core < 3 ? 4 : 3);
    return Math.ceil(end / 3) - Math.floor(begin / 3);
  });
  assertEquals(program?.reads[1]?.bytes, 2048 * rowsOfCores.reduce((sum, rows) => sum + rows, 0));
});

// eq of two 64x64 tensors in DRAM, as a graph capture of ttnn 0.81.1 lists its device operations and buffers.
Deno.test("a comparison casts operands of 8 bits first, and only these", () => {
  const of = (dataType: "u8" | "u16") => tensor([64, 64], { dataType });
  const compared = (a: ProgramTensor, b: ProgramTensor) =>
    launch(elementwise, "ttnn.eq", [a, b], of("u8")).map(({ circularBuffers }) =>
      circularBuffers.map(({ bytes }) => bytes)
    );
  const cast = [2048, 4096];
  assertEquals(compared(of("u8"), of("u8")), [cast, cast, [4096, 4096, 2048]]);
  assertEquals(compared(of("u16"), of("u8")), [cast, [4096, 4096, 2048]]);
  assertEquals(compared(of("u16"), of("u16")), [[4096, 4096, 2048]]);
});
