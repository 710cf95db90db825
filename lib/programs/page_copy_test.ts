// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { expertsPrograms, opaquePrograms } from "./stream.ts";
import { launch, tensor } from "./testing/launching.ts";

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

Deno.test("kernels of experts read at least the weights of all of them", () => {
  const [tokens, weights] = [tensor([32, 2880]), tensor([16, 2880, 2880])];
  const [program] = launch(expertsPrograms, "ttnn.moe_gpt", [tokens, weights], tokens);
  assertEquals(program?.reads.map(({ bytes }) => bytes), [tokens.bytes, weights.bytes]);
});
