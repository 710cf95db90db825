// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { integersAttribute } from "../../../testing/op_queries.ts";
import { answerOf, type TensorText } from "../testing/recorded_answer.ts";

/** Answer to a pad of the last dimensions; the memory of the result is the hint. */
function pad(input: TensorText, amounts: readonly number[], memory: string) {
  const [shape = "", format = ""] = input.split(" ");
  const extents = shape.split("x").map(Number);
  const padded = extents.map((extent, dim) => {
    const at = 2 * dim - (2 * extents.length - amounts.length);
    return extent + (amounts[at] ?? 0) + (amounts[at + 1] ?? 0);
  });
  const type = format === "f32" || format === "bfp_bf8" ? ` ${format}` : "";
  return answerOf({
    op: "pad",
    inputs: [input],
    results: [`${padded.join("x")}${type} ${memory}`],
    attributes: {
      padding: integersAttribute([...new Array(2 * extents.length - amounts.length).fill(0), ...amounts]),
    },
  });
}

const bytesOf = (...question: Parameters<typeof pad>) => {
  const answer = pad(...question);
  return typeof answer === "string" ? answer : answer.bytes;
};

Deno.test("tiles are padded behind, their own padding is filled first", () => {
  assertEquals(bytesOf("1x384x768 l1", [0, 32, 0, 0], "null"), [6144, 10_240, 10_240]);
  assertEquals(bytesOf("1x197x768 dram", [0, 0, 0, 27], "dram"), [12_288, 0, 0]);
  assertEquals(bytesOf("1x384x768 ws 1x4", [0, 1, 0, 0], "ws 1x4"), [6144, 159_744, 159_744]);
  assertEquals(bytesOf("1x197x768 bs 7x6", [0, 0, 0, 64], "dram"), [12_288, 0, 0]);
  assertEquals(bytesOf("1x56x56x64 hs 8x1", [0, 0, 0, 64], "dram"), "pad/fill-shards");
  assertEquals(bytesOf("1x1x64x64 dram", [32, 0, 0, 0], "dram"), "pad/front-of-tiles");
});

Deno.test("block floats are padded and filled as bf16", () => {
  assertEquals(bytesOf("1x1x1000x512 bfp_bf8 l1", [0, 32, 0, 0], "l1"), [12_288, 53_312, 9792]);
  assertEquals(bytesOf("1x77x768 bfp_bf8 l1", [0, 3, 0, 0, 0, 0], "dram"), [12_288, 6272, 0]);
});

Deno.test("padding that the tiles hold stays in the operand's buffer, unless it goes from shards to pages or back", () => {
  assertEquals(pad("1x197x768 hs 1x1", [0, 3, 0, 0], "hs 1x1"), {
    bytes: [10_240, 0, 344_064],
    layouts: ["l1/height_sharded/1x1"],
  });
  assertEquals(pad("1x1x380x760 l1", [0, 4, 0, 8], "dram"), {
    bytes: [12_288, 0, 10_240],
    layouts: ["l1/interleaved"],
  });
  assertEquals(pad("1x1x380x760 hs 12x1", [0, 4, 0, 8], "ws 1x8"), {
    bytes: [12_288, 0, 49_152],
    layouts: ["l1/height_sharded/12x1"],
  });
  assertEquals(pad("1x1x384x768 l1", [0, 0, 0, 0], "dram"), {
    bytes: [0, 0, 10_240],
    layouts: ["l1/interleaved"],
  });
});

Deno.test("rows are padded on both sides, and staged where they do not end on a word of DRAM", () => {
  assertEquals(bytesOf("1x384x768 dram-rm", [0, 0, 2, 3], "null"), [52_800, 0, 0]);
  assertEquals(bytesOf("1x384x768 dram-rm", [0, 0, 0, 64], "dram-rm"), [54_912, 0, 0]);
  assertEquals(bytesOf("1x384x768 hs-rm 24x1", [0, 27, 0, 0], "hs-rm 23x1"), [1536, 27_648, 27_648]);
  assertEquals(bytesOf("1x384x769 hs-rm 24x1", [0, 27, 0, 0], "dram-rm"), "pad/row");
});

Deno.test("from height shards into shards, wider rows stay on the operand's cores; wider and more take two programs", () => {
  assertEquals(pad("8x128x768 f32 hs 32x1", [0, 0, 0, 0, 0, 3], "bs 8x5"), {
    bytes: [12_288, 102_400, 102_400],
    layouts: ["l1/height_sharded/32x1"],
  });
  assertEquals(pad("1x2048x256 f32 hs-rm 32x1", [0, 0, 0, 1024, 0, 0], "ws-rm 1x64"), {
    bytes: [33_792, 49_152, 49_152],
    layouts: ["l1/width_sharded/1x64/row_major"],
  });
  assertEquals(bytesOf("1x384x768 hs 12x1", [0, 1, 0, 32, 0, 32], "bs 8x5"), [6144, 92_160, 34_816]);
  assertEquals(bytesOf("32x1000 hs-rm 32x1", [0, 3, 32, 32], "null"), "pad/front-and-rows");
});

Deno.test("rows of the result in flight take half of L1 less what is reserved, and a longer row is refused", () => {
  // 6 rows in flight and 1 of padding, of 102,560 bytes each; 2 and 1 of 321,856; 1 and 1 of 321,888. A row of 660,000
  // bytes does not fit.
  const wide = (columns: number) =>
    answerOf({
      op: "pad",
      inputs: ["1x1985 dram-rm"],
      results: [`1x${columns} dram-rm`],
      attributes: { padding: integersAttribute([0, 0, 0, columns - 1985]) },
    });
  const rows = (columns: number, bytes: number): number => {
    const answer = wide(columns);
    return typeof answer === "string" ? NaN : Math.round((answer.bytes[0] ?? NaN) / bytes);
  };
  assertEquals([rows(51_275, 102_560), rows(160_928, 321_856), rows(160_944, 321_888)], [7, 3, 2]);
  assertEquals(wide(330_000), "pad/long-row");
});
