// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { joinMasks } from "./join_masks.ts";

interface Scores {
  readonly batch: number;
  readonly heads: number;
  readonly rows: number;
  readonly keys: number;
  /** Whether the masks stand left of what they are added to. */
  readonly isLeft: boolean;
  /** What reads the masked scores. */
  readonly reader: "softmax" | "relu";
}

/** Scores with a bias per head and a mask per batch, as shifted windows have them. */
function masked({ batch, heads, rows, keys, isLeft, reader }: Scores): string {
  const scores = `T<${batch}x${heads}x${rows}x${keys}>`;
  const [query, key] = [`T<${batch}x${heads}x${rows}x2>`, `T<${batch}x${heads}x2x${keys}>`];
  const [bias, mask] = [`T<1x${heads}x${rows}x${keys}>`, `T<${batch}x1x${rows}x${keys}>`];
  const add = (name: string, to: string, what: string, type: string): string =>
    isLeft
      ? `${name} = "ttnn.add"(${what}, ${to}) : (${type}, ${scores}) -> ${scores}`
      : `${name} = "ttnn.add"(${to}, ${what}) : (${scores}, ${type}) -> ${scores}`;
  const properties = reader === "softmax" ? " <{dimension = 3 : si32}>" : "";
  return ttnnModule(`(%q: ${query}, %k: ${key}, %b: ${bias}, %m: ${mask}) -> ${scores}`, [
    `%0 = "ttnn.matmul"(%q, %k) <{transpose_a = false, transpose_b = false}> : (${query}, ${key}) -> ${scores}`,
    add("%1", "%0", "%b", bias),
    add("%2", "%1", "%m", mask),
    `%3 = "ttnn.${reader}"(%2)${properties} : (${scores}) -> ${scores}`,
    `return %3 : ${scores}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "masks added up before the scores",
  [joinMasks],
  fc.record({
    batch: extent,
    heads: extent,
    rows: extent,
    keys: extent,
    isLeft: fc.boolean(),
    reader: fc.constantFrom("softmax", "relu"),
  }).map((scores) => ({ text: masked(scores), ops: ["add"] })),
);

const SCORES: Scores = { batch: 4, heads: 3, rows: 49, keys: 49, isLeft: false, reader: "softmax" };

Deno.test("two masks are one in front of a softmax", () => {
  assertEquals(passedBody(masked(SCORES), joinMasks).slice(1, 3), [
    '%pass_0 = "ttnn.add"(%b, %m) : (tensor<1x3x49x49xbf16>, tensor<4x1x49x49xbf16>) -> tensor<4x3x49x49xbf16>',
    '%pass_1 = "ttnn.add"(%0, %pass_0) : (tensor<4x3x49x49xbf16>, tensor<4x3x49x49xbf16>) -> tensor<4x3x49x49xbf16>',
  ]);
});

Deno.test("a matmul without a norm of its sum keeps its addends separate", () => {
  const text = masked({ ...SCORES, reader: "relu" });
  assertEquals(passedBody(text, joinMasks).filter((line) => line.includes("(%0, %b)")).length, 1);
});
