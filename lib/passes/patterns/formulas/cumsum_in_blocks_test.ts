// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { CUMULATIVE } from "../../../ops/attributes/reduction.ts";
import { readAttributes } from "../../../ops/attributes/read_attributes.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { cumsumInBlocks } from "./cumsum_in_blocks.ts";

/** A cumulative sum takes a µs for every position of its longest dimension, everything else nothing. */
const TOOLS = {
  microseconds: ({ name, operands: [input] }: ProposedOp): number =>
    name === "ttnn.cumsum" && input?.kind === "tensor" ? Math.max(...input.shape) : 0,
};

function summed(shape: readonly number[], dim: number, element: string): string {
  const type = `T<${shape.join("x")}, ${element}>`;
  return ttnnModule(`(%x: ${type}) -> ${type}`, [
    `%0 = "ttnn.cumsum"(%x) <{dim = ${dim} : si32}> : (${type}) -> ${type}`,
    `return %0 : ${type}`,
  ]);
}

const sums = (text: string, tools = TOOLS): readonly string[] =>
  passedBody(text, cumsumInBlocks, undefined, tools).flatMap((line) =>
    /"ttnn\.cumsum".*dim = (\d).*-> tensor<([\dx]+)x/.exec(line)?.slice(1).join(" of ") ?? []
  );

Deno.test("256 positions are summed up in 16 blocks, and what the blocks before sum to", () => {
  assertEquals(sums(summed([1, 4, 256], 2, "f32")), ["3 of 1x4x16x16", "2 of 1x4x16x1"]);
  assertEquals(sums(summed([256, 8], 0, "si32")), ["1 of 16x16x8", "0 of 16x1x8"]);
});

Deno.test("few positions, a prime number of them, and sums that take no less time in blocks stay", () => {
  assertEquals(sums(summed([4, 32], 1, "f32")), ["1 of 4x32"]);
  assertEquals(sums(summed([4, 127], 1, "f32")), ["1 of 4x127"]);
  assertEquals(sums(summed([4, 256], 1, "f32"), { microseconds: () => 1 }), ["1 of 4x256"]);
});

/** A cumulative sum along the last dimension takes a µs for every position, everything else nothing. */
const ALONG_TILES = {
  microseconds: ({ name, operands: [input], attributes }: ProposedOp): number => {
    if (name !== "ttnn.cumsum" || input?.kind !== "tensor") return 0;
    const dim = readAttributes({ name, attributes }, CUMULATIVE).dim;
    return dim === input.shape.length - 1 ? input.shape.at(-1) ?? 1 : 0;
  },
};

Deno.test("positions of 32 rows are summed up in front of tiles of the rows", () => {
  assertEquals(sums(summed([2, 16, 40], 2, "f32"), ALONG_TILES), ["0 of 40x1x32"]);
  assertEquals(sums(summed([2, 15, 40], 2, "f32"), ALONG_TILES), ["2 of 2x15x40"]);
});

keepsMeaning(
  "cumulative sums across tiles",
  [cumsumInBlocks],
  fc.constantFrom<[number[], number]>(
    [[32, 5], 1],
    [[2, 16, 40], 2],
    [[4, 8, 72], 2],
    [[9, 64], 0],
    [[2, 40, 16], 1],
    [[4, 3, 5, 8], 1],
  ).map(([shape, dim]) => ({ text: summed(shape, dim, "f32"), ops: ["reshape"] })),
  24,
  {
    microseconds: ({ name, operands: [input] }) =>
      name !== "ttnn.cumsum" || input?.kind !== "tensor"
        ? 0
        : input.shape.length === 3 && input.shape[2] === 32
        ? 0
        : 99,
  },
);

keepsMeaning(
  "cumulative sums in blocks",
  [cumsumInBlocks],
  fc.constantFrom<[number[], number]>([[3, 64], 1], [[96, 2], 0], [[2, 72, 3], 1]).map(([shape, dim]) => ({
    text: summed(shape, dim, "f32"),
    ops: ["concat"],
  })),
  12,
  TOOLS,
);
