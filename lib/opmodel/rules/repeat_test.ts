// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { integerAttribute, integersAttribute } from "../../../testing/op_queries.ts";
import { answerOf, type TensorText } from "../testing/recorded_answer.ts";

function parts(input: TensorText): readonly [shape: readonly number[], format: string] {
  const [shape = "", format = ""] = input.split(" ");
  return [shape.split("x").map(Number), ["f32", "si32", "bfp_bf8"].includes(format) ? ` ${format}` : ""];
}

/** Answer to a `repeat`; the memory of the result is the hint. */
function repeat(input: TensorText, factors: readonly number[], memory: string) {
  const [shape, format] = parts(input);
  return answerOf({
    op: "repeat",
    inputs: [input],
    results: [`${shape.map((extent, dim) => extent * (factors[dim] ?? 1)).join("x")}${format} ${memory}`],
    attributes: { repeat_dims: integersAttribute(factors) },
  });
}

Deno.test("pages are repeated by one program, eight at a time where rows repeat or writes go far", () => {
  assertEquals(repeat("1x8x128x64 dram", [1, 4, 1, 1], "l1"), {
    bytes: [2048, 8192, 8192],
    layouts: ["l1/interleaved"],
  });
  assertEquals(repeat("1x77x768 dram", [2, 1, 1], "dram"), {
    bytes: [16_384, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(repeat("1x1x32x32 l1", [1, 1, 1, 4], "l1"), {
    bytes: [16_384, 2048, 2048],
    layouts: ["l1/interleaved"],
  });
  assertEquals(repeat("1x8x128x64 hs 11x1", [1, 4, 1, 1], "bs 2x2"), {
    bytes: [16_384, 131_072, 131_072],
    layouts: ["l1/block_sharded/2x2"],
  });
});

Deno.test("long rows are repeated fewer at a time than usual where L1 has no room for eight", () => {
  const buffers = (input: TensorText, factors: readonly number[]) => {
    const answer = repeat(input, factors, input.endsWith("rm") ? "dram-rm" : "dram");
    return typeof answer === "string" ? answer : answer.bytes[0];
  };
  // Without blocks, a core would hold 256 tiles twice to untilize a row.
  assert(Number(buffers("1x8192 dram", [2, 1])) < 2 * 256 * 2048);
  // Eight, six, four, two.
  assertEquals([80_000, 85_000, 130_000, 170_000].map((width) => buffers(`17x${width} dram-rm`, [2, 1])), [
    1_280_000,
    1_020_096,
    1_040_000,
    680_000,
  ]);
});

Deno.test("each of the last two dimensions takes a program, what comes between goes when it is read", () => {
  assertEquals(repeat("1x2x64x96 l1", [1, 3, 2, 2], "l1"), {
    bytes: [16_384, 10_240, 6144],
    layouts: ["l1/interleaved"],
  });
  assertEquals(repeat("1x2x64x96 l1-rm", [1, 3, 2, 2], "l1-rm"), {
    bytes: [3072, 6144, 4608],
    layouts: ["l1/interleaved/row_major"],
  });
});

Deno.test("tiles with padding go through rows where rows or columns repeat", () => {
  assertEquals(repeat("1x1x1x128 dram", [1, 1, 32, 1], "hs 1x1"), {
    bytes: [49_152, 10_240, 8192],
    layouts: ["l1/height_sharded/1x1"],
  });
  assertEquals(repeat("1x768 hs 1x1", [384, 1], "bs 6x3"), {
    bytes: [294_912, 43_008, 32_768],
    layouts: ["l1/block_sharded/6x3"],
  });
  assertEquals(repeat("1x32x1x64 f32 hs 4x1", [1, 1, 4, 1], "hs 4x1"), {
    bytes: [18_432, 69_632, 65_536],
    layouts: ["l1/height_sharded/4x1"],
  });
});

Deno.test("shards without a spec are cut over the device, or scaled where they hold what is repeated", () => {
  assertEquals(repeat("1x1x768 dram", [8, 1, 1], "~ws 1x4"), {
    bytes: [2048, 16_384, 16_384],
    layouts: ["l1/width_sharded/1x24"],
  });
  assertEquals(repeat("1x1x384x64 hs 2x1", [1, 12, 1, 1], "null"), {
    bytes: [2048, 12_288, 12_288],
    layouts: ["l1/height_sharded/48x1"],
  });
  assertEquals(repeat("1x77x768 si32 bs 3x4", [2, 1, 1], "null"), {
    bytes: [32_768, 12_288, 12_288],
    layouts: ["l1/block_sharded/6x8"],
  });
  assertEquals(repeat("1x8x64x128 bs 4x4", [1, 1, 2, 1], "null"), {
    bytes: [16_384, 16_384, 16_384],
    layouts: ["l1/block_sharded/4x4"],
  });
});

Deno.test("rows are cut over the device into shards with aligned rows that divide them, else interleaved", () => {
  assertEquals(repeat("1x3136x96 bs-rm 2x2", [1, 4, 1], "null"), {
    bytes: [1920, 137_984, 100_352],
    layouts: ["l1/block_sharded/8x3/row_major"],
  });
  assertEquals(repeat("1x96x96 bs-rm 2x2", [1, 2, 1], "null"), {
    bytes: [1920, 2624, 2048],
    layouts: ["l1/block_sharded/6x3/row_major"],
  });
  assertEquals(repeat("1x320x200 bs-rm 3x1", [1, 2, 1], "null"), {
    bytes: [3328, 4000, 4000],
    layouts: ["l1/interleaved/row_major"],
  });
  assertEquals(repeat("1x128x352 f32 ws-rm 1x3", [1, 2, 1], "null"), "repeat/ragged-columns");
});

Deno.test("rows of shards on a line of cores, and parts of rows, are repeated where they lie", () => {
  // A page of 1408 bytes and 128 to stage it; parts of rows likewise.
  assertEquals(repeat("2x128x352 f32 hs-rm 4x1", [1, 1, 2], "null"), {
    bytes: [1536, 180_224, 180_224],
    layouts: ["l1/height_sharded/4x1/row_major"],
  });
  assertEquals(repeat("2x128x352 f32 ws-rm 1x4", [1, 2, 1], "null"), {
    bytes: [1536, 180_224, 180_224],
    layouts: ["l1/width_sharded/1x4/row_major"],
  });
});

/** Answer to a `repeat_interleave`; the memory of the result is the hint. */
function interleave(input: TensorText, repeats: number, dim: number, memory: string) {
  const [shape, format] = parts(input);
  return answerOf({
    op: "repeat_interleave",
    inputs: [input],
    results: [
      `${shape.map((extent, at) => at === dim ? extent * repeats : extent).join("x")}${format} ${memory}`,
    ],
    attributes: { repeats: integerAttribute(repeats), dim: integerAttribute(dim) },
  });
}

Deno.test("leading dimensions of interleaved tensors are repeated page by page, everything else as rows in DRAM", () => {
  assertEquals(interleave("1x2x32x128 f32 l1", 16, 1, "l1"), {
    bytes: [32_768, 8192, 8192],
    layouts: ["l1/interleaved"],
  });
  assertEquals(interleave("8x128x64 l1", 2, 0, "bs 4x1"), {
    bytes: [16_384, 67_584, 65_536],
    layouts: ["l1/block_sharded/4x1"],
  });
  assertEquals(interleave("1x8x128x64 hs 32x1", 4, 1, "null"), {
    bytes: [16_384, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(interleave("1x384x768 f32 hs 4x1", 2, 1, "l1"), {
    bytes: [196_608, 36_864, 36_864],
    layouts: ["l1/interleaved"],
  });
});

Deno.test("columns are repeated as rows of the transposed tensor", () => {
  assertEquals(interleave("1x1x32x64 f32 l1", 3, 3, "l1"), {
    bytes: [16_384, 12_288, 4096],
    layouts: ["l1/interleaved"],
  });
  assertEquals(interleave("1x1x32x64 l1", 3, 3, "hs 1x1"), "repeat/columns");
  assertEquals(interleave("1x12x384x64 bfp_bf8 l1", 2, 1, "bs 8x2"), "repeat/format");
});
