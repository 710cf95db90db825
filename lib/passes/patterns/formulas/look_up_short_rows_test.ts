// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { lookUpShortRows } from "./look_up_short_rows.ts";

/** An op takes a µs for every column of its operands: rows that are merged are wide. */
const TOOLS = {
  microseconds: ({ operands }: ProposedOp): number =>
    operands.reduce((sum, type) => type.kind === "tensor" ? sum + (type.shape.at(-1) ?? 1) : sum, 0),
};

/** Caches `[users, heads, positions, size]` in the order of some users, in rows of `size` or another width. */
function inOrder(
  users: number,
  heads: number,
  size: number,
  { taken = users, width = size, positions = 32 } = {},
): string {
  const [whole, merged] = [[users, heads, positions, size], [users, heads * positions * size]];
  const result = [taken, heads, positions * size / width, width];
  const type = (shape: readonly number[]) => `T<${shape.join("x")}>`;
  const list = (shape: readonly number[]) => `[${shape.map((extent) => `${extent} : i32`).join(", ")}]`;
  const index = `R<${taken}, ui32>`;
  return ttnnModule(`(%x: ${type(whole)}, %i: ${index}) -> ${type(result)}`, [
    `%m = "ttnn.reshape"(%x) <{shape = ${list(merged)}}> : (${type(whole)}) -> ${type(merged)}`,
    `%r = "ttnn.to_layout"(%m) : (${type(merged)}) -> R<${merged.join("x")}>`,
    `%e = "ttnn.embedding"(%i, %r) : (${index}, R<${merged.join("x")}>) -> ${
      type([taken, heads * positions * size])
    }`,
    `%s = "ttnn.reshape"(%e) <{shape = ${list(result)}}> : (${type([taken, heads * positions * size])}) -> ${
      type(result)
    }`,
    `return %s : ${type(result)}`,
  ]);
}

const tables = (text: string, tools = TOOLS): readonly string[] =>
  passedBody(text, lookUpShortRows, undefined, tools).flatMap((line) =>
    /"ttnn\.embedding".*, tensor<([\dx]+)x/.exec(line)?.[1] ?? []
  );

Deno.test("each row of a user's cache is looked up, and not all of them as one", () => {
  assertEquals(tables(inOrder(8, 4, 64)), ["1024x64"]);
  assertEquals(tables(inOrder(8, 4, 64, { taken: 3 })), ["1024x64"]);
});

Deno.test("rows that come out in another width, fill no tiles, or take no less time one by one stay merged", () => {
  assertEquals(tables(inOrder(8, 4, 64, { positions: 4 })), ["8x1024"]);
  assertEquals(tables(inOrder(8, 4, 64, { width: 32 })), ["8x8192"]);
  assertEquals(tables(inOrder(8, 4, 64), { microseconds: () => 1 }), ["8x8192"]);
});

keepsMeaning(
  "rows looked up one by one",
  [lookUpShortRows],
  fc.record({
    users: fc.integer({ min: 2, max: 4 }),
    heads: fc.integer({ min: 1, max: 3 }),
    size: fc.constantFrom(32, 64),
    taken: fc.integer({ min: 1, max: 5 }),
  }).map(({ users, heads, size, taken }) => ({
    text: inOrder(users, heads, size, { taken }),
    ops: ["arange"],
    limit: users,
  })),
  8,
  TOOLS,
);
