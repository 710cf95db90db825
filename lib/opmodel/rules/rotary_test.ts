// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { integerAttribute } from "../../../testing/op_queries.ts";
import { answerOf } from "../testing/recorded_answer.ts";

/** Answer to a rotary embedding of rows; angles are in DRAM. */
function rotate(
  shape: string,
  input: string,
  memory: string,
  options: { angles?: string; token?: number } = {},
) {
  const [rows, size] = shape.split("x").slice(-2);
  const angles = `1x1x${rows}x${size} ${options.angles ?? "dram"}`;
  return answerOf({
    op: "rotary_embedding",
    inputs: [`${shape} ${input}`, angles, angles],
    results: [`${shape} ${memory}`],
    ...options.token === undefined ? {} : { attributes: { token_index: integerAttribute(options.token) } },
  });
}

Deno.test("a rotary embedding streams rows twice and holds no shards twice", () => {
  assertEquals(rotate("1x8x128x64", "dram", "dram"), {
    bytes: [49_152, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(rotate("1x8x128x64", "hs 4x1", "dram"), {
    bytes: [40_960, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(rotate("1x8x128x64", "hs 8x1", "null"), {
    bytes: [32_768, 16_384, 16_384],
    layouts: ["l1/height_sharded/8x1"],
  });
  assertEquals(rotate("1x8x128x64", "bfp_bf8 dram", "bfp_bf8 dram"), {
    bytes: [36_672, 0, 0],
    layouts: ["dram/interleaved"],
  });
});

Deno.test("angles of another format and heads of one tile have buffers of their own", () => {
  assertEquals(rotate("1x8x128x64", "dram", "dram", { angles: "f32 dram" }), {
    bytes: [69_632, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(rotate("1x8x128x32", "dram", "dram"), {
    bytes: [24_576, 0, 0],
    layouts: ["dram/interleaved"],
  });
});

Deno.test("angles of one token are taken out of their tiles", () => {
  assertEquals(rotate("1x32x32x64", "l1", "null", { token: 0 }), {
    bytes: [57_344, 2048, 2048],
    layouts: ["l1/interleaved"],
  });
});

Deno.test("rows are whole, lie in full shards, and have an angle each", () => {
  assertEquals(rotate("1x32x8x64", "ws 1x1", "dram"), "rotary/width-sharded");
  assertEquals(rotate("1x12x384x64", "bs 8x2", "bs 8x2"), "rotary/shard-width");
  assertEquals(rotate("1x8x128x96", "dram", "dram"), "rotary/size");
  // Too few rows, angles of every user, angles of every head, other columns; more rows are left over.
  const angled = (input: string, angles: string) =>
    answerOf({
      op: "rotary_embedding",
      inputs: [`${input} dram`, `${angles} dram`, `${angles} dram`],
      results: [`${input} dram`],
    });
  for (const angles of ["1x1x64x64", "4x1x128x64", "1x8x128x64", "1x1x128x128"]) {
    assertEquals(angled("4x8x128x64", angles), "rotary/angles");
  }
  assertEquals(typeof angled("4x8x128x64", "1x1x160x64"), "object");
});

/** Answer to a rotary embedding by a matrix. */
function rotateByMatrix(decodes: boolean, input: string, angles: string, matrix: string, memory = "null") {
  return answerOf({
    op: "rotary_embedding_llama",
    inputs: [
      `1x8x${decodes ? 8 : 32}x64 ${input}`,
      ...new Array<string>(2).fill(decodes ? `1x8x1x64 ${angles}` : `1x1x32x64 ${angles}`),
      decodes ? `1x1x256x32 ${matrix}` : `1x1x32x32 ${matrix}`,
    ],
    results: [`1x8x${decodes ? 8 : 32}x64 ${memory}`],
    attributes: { is_decode_mode: { kind: "bool", value: decodes } },
  });
}

Deno.test("a rotary embedding by a matrix wants pages for a sequence and shards for one token per user", () => {
  assertEquals(rotateByMatrix(false, "l1", "dram", "dram"), {
    bytes: [51_200, 2048, 2048],
    layouts: ["l1/interleaved"],
  });
  assertEquals(rotateByMatrix(false, "dram", "hs 1x1", "hs 1x1"), {
    bytes: [51_200, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(rotateByMatrix(false, "hs 8x1", "dram", "dram"), "rotary/prefill");
  assertEquals(rotateByMatrix(true, "hs 8x1", "hs 8x1", "hs 8x1"), {
    bytes: [12_288, 4096, 4096],
    layouts: ["l1/height_sharded/8x1"],
  });
  assertEquals(rotateByMatrix(true, "hs 8x1", "dram", "hs 8x1"), "rotary/decode");
  assertEquals(rotateByMatrix(true, "hs 8x1", "hs 8x1", "hs 8x1", "l1"), "rotary/result");
  assertEquals(rotateByMatrix(false, "f32 dram", "dram", "dram"), "rotary/format");
});
