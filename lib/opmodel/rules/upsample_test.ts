// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { integersAttribute } from "../../../testing/op_queries.ts";
import { answerOf, type TensorText } from "../testing/recorded_answer.ts";

/** Answer to an upsample; the memory of the result is the hint. */
function upsample(
  mode: "nearest" | "bilinear",
  input: TensorText,
  scale: readonly [number, number],
  memory: string,
) {
  const [shape = ""] = input.split(" ");
  const [batch = 1, height = 1, width = 1, channels = 1] = shape.split("x").map(Number);
  const larger = [batch, scale[0] * height, scale[1] * width, channels].join("x");
  return answerOf({
    op: "upsample",
    inputs: [input],
    results: [`${larger} ${memory}`],
    attributes: { scale_factor: integersAttribute(scale), mode: { kind: "string", value: mode } },
  });
}

const bytesOf = (...question: Parameters<typeof upsample>) => {
  const answer = upsample(...question);
  return typeof answer === "string" ? answer : answer.bytes;
};

Deno.test("interleaved rows, and rows of tiles, are repeated two at a time where a core has several", () => {
  assertEquals(bytesOf("nearest", "1x5x5x40 dram-rm", [2, 2], "null"), [96, 0, 0]);
  assertEquals(bytesOf("nearest", "1x32x32x40 dram-rm", [2, 2], "null"), [192, 0, 0]);
  assertEquals(bytesOf("nearest", "1x32x32x64 bfp_bf8 dram", [2, 2], "null"), [6272, 0, 0]);
  assertEquals(bytesOf("nearest", "4x64x64x96 bfp_bf8 dram", [2, 2], "dram"), [18_816, 0, 0]);
  assertEquals(bytesOf("nearest", "1x28x28x32 dram", [2, 2], "dram-rm"), "upsample/tile");
});

Deno.test("repeated shards keep their cores, and have a table of the runs that two threads fetch", () => {
  assertEquals(upsample("nearest", "1x28x28x32 hs-rm 53x1", [2, 2], "null"), {
    bytes: [0, 3888, 3840],
    layouts: ["l1/height_sharded/53x1/row_major"],
  });
  assertEquals(bytesOf("nearest", "1x9x9x64 hs-rm 1x1", [5, 5], "null"), [0, 259_504, 259_200]);
  assertEquals(bytesOf("nearest", "2x14x14x256 bs-rm 7x8", [2, 2], "null"), [0, 14_384, 14_336]);
  assertEquals(bytesOf("nearest", "1x4x4x64 hs-rm 16x1", [1, 1], "null"), [0, 144, 128]);
  assertEquals(bytesOf("nearest", "1x16x16x64 hs-rm 8x1", [2, 2], "bs-rm 8x1"), [0, 16_416, 16_384]);
});

Deno.test("other shards than the operand's are not made, nor pages", () => {
  const rule = (memory: string, input = "1x16x16x64 hs-rm 8x1") => bytesOf("nearest", input, [2, 2], memory);
  assertEquals(rule("hs-rm 16x1"), "upsample/output");
  assertEquals(rule("hs-rm 8x1", "1x16x16x64 hs-rm 16x1"), "upsample/output");
  assertEquals(rule("~hs-rm 8x1"), "upsample/output");
  assertEquals(rule("dram-rm"), "upsample/output");
  assertEquals(rule("ws-rm 1x8"), "output/shard-does-not-fit");
  assertEquals(rule("hs-rm 8x1", "1x16x16x64 dram-rm"), "upsample/output");
  assertEquals(rule("null", "1x32x32x64 hs 8x1"), "upsample/tile");
});

Deno.test("width shards stay on their cores, for any requested shards", () => {
  assertEquals(bytesOf("nearest", "1x8x8x64 ws-rm 1x2", [2, 2], "~hs-rm 8x1"), [256, 16_384, 16_384]);
  assertEquals(bytesOf("nearest", "1x28x28x32 ws-rm 1x32", [2, 2], "ws-rm 1x32"), [64, 50_176, 50_176]);
  assertEquals(bytesOf("nearest", "1x8x8x64 ws-rm 1x2", [2, 2], "dram-rm"), "upsample/output");
});

Deno.test("bilinear interpolation gathers height shards with the pixels around them", () => {
  assertEquals(upsample("bilinear", "1x28x28x32 dram-rm", [2, 2], "null"), {
    bytes: [9600, 7808, 3136],
    layouts: ["l1/height_sharded/64x1/row_major"],
  });
  assertEquals(bytesOf("bilinear", "1x28x28x32 hs-rm 56x1", [2, 2], "null"), [9216, 7424, 3584]);
  assertEquals(bytesOf("bilinear", "1x32x32x128 hs-rm 46x1", [2, 2], "hs-rm 16x1"), [12_288, 86_784, 65_536]);
  assertEquals(bytesOf("bilinear", "2x32x32x64 dram", [2, 2], "null"), [16_640, 33_536, 16_384]);
  assertEquals(bytesOf("bilinear", "1x17x19x64 dram-rm", [3, 3], "null"), [10_880, 12_032, 5888]);
  assertEquals(bytesOf("bilinear", "1x20x20x512 hs-rm 23x1", [2, 7], "null"), [20_480, 312_320, 249_856]);
});

Deno.test("interpolated shards of an interleaved image lie on the requested cores", () => {
  assertEquals(bytesOf("bilinear", "1x28x28x32 l1-rm", [2, 2], "l1-rm"), [9600, 10_944, 3136]);
  assertEquals(bytesOf("bilinear", "1x32x32x128 dram-rm", [4, 4], "bs-rm 1x8"), [13_440, 611_328, 524_288]);
  assertEquals(bytesOf("bilinear", "1x16x16x64 dram-rm", [2, 2], "dram-rm"), [10_880, 6144, 0]);
  assertEquals(bytesOf("bilinear", "1x16x16x64 hs-rm 8x1", [2, 2], "dram-rm"), "upsample/output");
});

Deno.test("bilinear interpolation takes bf16 in whole tiles of channels, interleaved or in height shards", () => {
  const rule = (input: TensorText) => bytesOf("bilinear", input, [2, 2], "null");
  assertEquals(rule("1x16x16x64 f32 dram-rm"), "upsample/format");
  assertEquals(rule("1x16x16x48 hs-rm 8x1"), "upsample/channels");
  assertEquals(rule("1x16x16x64 bs-rm 8x1"), "upsample/operand-memory");
  assertEquals(rule("1x16x16x64 ws-rm 1x2"), "upsample/operand-memory");
  assertEquals(rule("1x32x32x64 dram"), "upsample/tiles");
  assertEquals(rule("1x16x16x64 hs 8x1"), "upsample/padded-tiles");
});
