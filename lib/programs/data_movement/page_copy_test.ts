// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { definitionOf, OP_DEFINITIONS } from "../../ops/op_book.ts";
import { launchPrograms } from "../launch.ts";
import { expertsPrograms, opaquePrograms } from "../stream.ts";
import { CHIP, CONTEXT, launch, ROWS, tensor } from "../testing/launching.ts";
import { copyProgram } from "./memory_move.ts";

Deno.test("an unknown op reads as many bytes as it writes, in shares of its operands, without compute", () => {
  const [program] = launch(
    opaquePrograms,
    "ttnn.new",
    [tensor([64, 64]), tensor([192, 64])],
    tensor([64, 128]),
  );
  assert(program?.kind === "stream");
  // Two by four tiles of the result, read out of four and twelve tiles.
  assertEquals(program.reads.map(({ bytes }) => bytes), [2 * 2048, 6 * 2048]);
  assertEquals(program.writes.map(({ bytes }) => bytes), [8 * 2048]);
  assertEquals([
    program.units,
    program.reader.copiedWords,
    program.reader.paddingWords,
    program.reader.copies,
  ], [8, 0, 0, 0]);
  assertEquals(program.compute.work, []);
});

Deno.test("no op whose programs are unknown takes no time without saying so", () => {
  const square = tensor([64, 64]);
  // Their time is their trace's, and what is in their regions.
  const bookkeeping = /_trace|reset_global_semaphore/;
  for (const { name, family, costClass } of OP_DEFINITIONS) {
    if (family !== "opaque" || bookkeeping.test(name)) continue;
    const programs = launch((op) => launchPrograms(costClass, op, CONTEXT), name, [square, square], square);
    assert(programs.length > 0, name);
  }
});

Deno.test("kernels of experts, and of a product in one program, read at least all weights", () => {
  assertEquals(["moe_gpt", "fused_swiglu"].map((op) => definitionOf(`ttnn.${op}`).costClass), [
    "experts",
    "experts",
  ]);
  const [tokens, weights] = [tensor([32, 2880]), tensor([16, 2880, 2880])];
  const [program] = launch(expertsPrograms, "ttnn.moe_gpt", [tokens, weights], tokens);
  assertEquals(program?.reads.map(({ bytes }) => bytes), [tokens.bytes, weights.bytes]);
});

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
