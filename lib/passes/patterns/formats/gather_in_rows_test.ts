// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { gatherInRows } from "./in_one_page_layout.ts";

/** A gather from tiles takes a µs for every element of a row, everything else nothing. */
const TOOLS = {
  microseconds: ({ name, operands: [input] }: ProposedOp): number =>
    name === "ttnn.gather" && input?.kind === "tensor" && input.layout.tile !== undefined
      ? input.shape.at(-1) ?? 1
      : 0,
};

function gather(rows: number, width: number, picked: number, pages: "T" | "R" = "T"): string {
  const [input, index, result] = [
    `${pages}<${rows}x${width}>`,
    `${pages}<${rows}x${picked}, ui32>`,
    `${pages}<${rows}x${picked}>`,
  ];
  return ttnnModule(`(%x: ${input}, %i: ${index}) -> ${result}`, [
    `%0 = "ttnn.gather"(%x, %i) <{dim = 1 : si32}> : (${input}, ${index}) -> ${result}`,
    `return %0 : ${result}`,
  ]);
}

const ops = (text: string, tools = TOOLS): readonly string[] =>
  passedBody(text, gatherInRows, undefined, tools).flatMap((line) => /"ttnn\.(\w+)"/.exec(line)?.[1] ?? []);

Deno.test("both operands of a gather become rows, and its result tiles", () => {
  assertEquals(ops(gather(64, 8192, 1)), ["to_layout", "to_layout", "gather", "to_layout"]);
});

Deno.test("a gather in rows, one that takes no less time in rows, and one that rows are refused for stay", () => {
  assertEquals(ops(gather(64, 8192, 1, "R")), ["gather"]);
  assertEquals(ops(gather(64, 8192, 1), { microseconds: () => 1 }), ["gather"]);
  const refuses = {
    ...TOOLS,
    isLegal: ({ operands: [input] }: ProposedOp) =>
      input?.kind !== "tensor" || input.layout.tile !== undefined,
  };
  assertEquals(ops(gather(64, 8192, 1), refuses), ["gather"]);
});

keepsMeaning(
  "gathers in rows",
  [gatherInRows],
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 4, max: 70 }), fc.integer({ min: 1, max: 3 }))
    .map(([rows, width, picked]) => ({ text: gather(rows, width, picked), ops: ["to_layout"], limit: 4 })),
  12,
  TOOLS,
);
