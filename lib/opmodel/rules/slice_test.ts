// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { integersAttribute } from "../../../testing/op_queries.ts";
import { answerOf, type TensorText } from "../testing/recorded_answer.ts";

/** Answer to a slice; the memory of the result is the hint. */
function slice(
  input: TensorText,
  begins: readonly number[],
  ends: readonly number[],
  memory: string,
  options: { readonly step?: readonly number[]; readonly chip?: typeof TEST_WORMHOLE } = {},
) {
  const step = options.step ?? begins.map(() => 1);
  const extents = begins.map((begin, dim) => Math.ceil(((ends[dim] ?? 0) - begin) / (step[dim] ?? 1)));
  const answer = answerOf({
    op: "slice_static",
    inputs: [input],
    results: [`${extents.join("x")}${input.includes("bfp_bf8") ? " bfp_bf8" : ""} ${memory}`],
    attributes: {
      begins: integersAttribute(begins),
      ends: integersAttribute(ends),
      step: integersAttribute(step),
    },
    ...options.chip === undefined ? {} : { chip: options.chip },
  });
  return typeof answer === "string" ? answer : answer.bytes;
}

Deno.test("a slice that begins on tiles copies tiles, whatever its size", () => {
  assertEquals(slice("1x32x32x64 l1", [0, 0, 0, 0], [1, 32, 8, 64], "l1"), [4112, 2048, 2048]);
  assertEquals(slice("2x4096x320 bfp_bf8 dram", [1, 0, 0], [2, 4096, 320], "dram"), [2188, 0, 0]);
  assertEquals(slice("1x384x2304 l1", [0, 0, 1056], [1, 384, 2304], "null"), [4108, 16_384, 16_384]);
});

Deno.test("a slice of everything is the operand, moved to the requested memory", () => {
  assertEquals(slice("1x384x2304 bfp_bf8 l1", [0, 0, 0], [1, 384, 2304], "l1"), [0, 0, 15_232]);
  assertEquals(slice("1x1x3136x256 bfp_bf8 l1", [0, 0, 0, 0], [1, 1, 3136, 256], "dram"), [2176, 0, 0]);
});

Deno.test("a slice inside of a tile untilizes into the memory of its result", () => {
  assertEquals(slice("1x1x32x3072 dram", [0, 0, 0, 1053], [1, 1, 32, 2048], "null"), [147_472, 0, 0]);
  assertEquals(slice("8x128x768 dram", [0, 0, 122], [8, 128, 402], "dram"), [135_180, 0, 0]);
  assertEquals(slice("32x32x32x64 dram", [0, 0, 0, 63], [32, 32, 32, 64], "dram"), [32_784, 0, 0]);
});

Deno.test("a slice of rows merges rows up to one read of 4096 bytes", () => {
  assertEquals(slice("2x4096x320 l1-rm", [0, 1984, 0], [2, 2464, 320], "null"), [5132, 9600, 9600]);
  assertEquals(slice("1x197x768 f32 dram-rm", [0, 189, 0], [1, 192, 768], "null"), [6156, 0, 0]);
  assertEquals(slice("1x32x128x64 dram-rm", [0, 21, 0, 0], [1, 23, 128, 64], "null"), [8208, 0, 0]);
  const blackhole = { ...TEST_WORMHOLE, workerGrid: { rows: 10, columns: 13 }, dramAlignment: 64 };
  assertEquals(slice("1x384x2304 l1-rm", [0, 0, 1704], [1, 384, 2263], "l1-rm", { chip: blackhole }), [
    4492,
    3360,
    3360,
  ]);
});

Deno.test("a slice with steps reads whole rows; there is none of block-float formats", () => {
  assertEquals(
    slice("1x1x1024x640 dram", [0, 0, 0, 480], [1, 1, 1024, 608], "dram", { step: [1, 1, 1, 2] }),
    [90_112, 0, 0],
  );
  assertEquals(
    slice("1x1x3136x256 dram-rm", [0, 0, 1152, 0], [1, 1, 1174, 256], "dram-rm", { step: [1, 1, 2, 1] }),
    [1024, 0, 0],
  );
  assertEquals(
    slice("1x1x64x64 bfp_bf8 dram", [0, 0, 0, 0], [1, 1, 64, 64], "dram", { step: [1, 1, 2, 1] }),
    "slice/step",
  );
});

Deno.test("sharded slices are refused although the backend accepts them, as it computes wrong results", () => {
  assertEquals(slice("8x128x768 bs 4x3", [0, 0, 0], [5, 128, 768], "dram"), "slice/sharded");
  assertEquals(slice("8x128x768 dram", [0, 0, 0], [5, 128, 768], "hs 5x1"), "slice/sharded");
});
