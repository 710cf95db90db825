// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { topkInParts } from "./topk_in_parts.ts";

/** Rows of a power of two of elements take a µs, as cores share them, others one for every element; rows are made in no time. */
const TOOLS = {
  microseconds: ({ name, operands: [input] }: ProposedOp): number => {
    if (name !== "ttnn.topk" || input?.kind !== "tensor") return 0;
    const width = input.shape.at(-1) ?? 1;
    return Number.isInteger(Math.log2(width)) ? 1 : width;
  },
};

/** As {@linkcode TOOLS}, but every reshape takes long, so that parts are cut. */
const CUTTING = {
  microseconds: (op: ProposedOp): number => op.name === "ttnn.reshape" ? 1e6 : TOOLS.microseconds(op),
};

function ranked(shape: readonly number[], k: number, element: string, properties = ""): string {
  const kept = shape.with(-1, k).join("x");
  const [rows, values, places] = [
    `T<${shape.join("x")}, ${element}>`,
    `T<${kept}, ${element}>`,
    `T<${kept}, ui32>`,
  ];
  return ttnnModule(`(%x: ${rows}) -> (${values}, ${places})`, [
    `%0, %1 = "ttnn.topk"(%x) <{dim = -1 : si32, k = ${k} : i32${properties}}> : (${rows}) -> (${values}, ${places})`,
    `return %0, %1 : ${values}, ${places}`,
  ]);
}

const widths = (text: string, tools = TOOLS): readonly string[] =>
  passedBody(text, topkInParts, undefined, tools).flatMap((line) =>
    /"ttnn\.topk".*k = (\d+).*: \(tensor<[\dx]*?(\d+)x[a-z]/.exec(line)?.slice(1).join(" of ") ?? []
  );

Deno.test("a vocabulary is cut into parts of powers of two, and the best of each are ranked again", () => {
  assertEquals(widths(ranked([32, 50257], 50, "f32"), CUTTING), [
    "64 of 32768",
    "64 of 16384",
    "64 of 1024",
    "64 of 81",
    "50 of 256",
  ]);
  // What is left would be too narrow to be ranked alone.
  assertEquals(widths(ranked([1, 1, 8, 2053], 5, "f32"), CUTTING), ["5 of 2053"]);
  assertEquals(widths(ranked([8, 3072 + 40], 5, "f32"), CUTTING), ["32 of 2048", "32 of 1064", "5 of 64"]);
});

Deno.test("equal parts become rows, also of one dimension", () => {
  assertEquals(widths(ranked([12288], 5, "f32")), ["32 of 4096", "5 of 96"]);
  assertEquals(widths(ranked([2, 8, 12288], 5, "f32")), ["32 of 4096", "5 of 96"]);
});

Deno.test("rows that cores share, many results, and parts that take no less time stay", () => {
  assertEquals(widths(ranked([32, 32768], 50, "f32")), ["50 of 32768"]);
  assertEquals(widths(ranked([32, 10007], 65, "f32")), ["65 of 10007"]);
  assertEquals(widths(ranked([32, 50257], 50, "f32"), { microseconds: () => 1 }), ["50 of 50257"]);
});

keepsMeaning(
  "the best of wide rows by parts",
  [topkInParts],
  fc.constantFrom<[number[], number, string]>(
    [[2, 1100], 3, ""],
    [[640], 5, ""],
    [[3, 2, 1536], 33, ", largest = false"],
    [[1, 2, 1152], 40, ""],
    [[1, 1200], 33, ", largest = false"],
  ).map(([shape, k, properties]) => ({ text: ranked(shape, k, "f32", properties), ops: ["gather"] })),
  3,
  TOOLS,
);
