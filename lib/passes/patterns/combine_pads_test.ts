// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { combinePads } from "./combine_pads.ts";

/** Rows of `2x3` padded twice, by `[before, after]` per dimension. */
function twice(
  pads: readonly (readonly number[])[],
  fillers: readonly string[],
  isReturned: boolean,
): string {
  let extents = [2, 3];
  const type = (): string => `R<${extents.join("x")}>`;
  const from = type();
  const lines = pads.map((padding, at) => {
    const before = type();
    extents = extents.map((extent, dim) => extent + (padding[2 * dim] ?? 0) + (padding[2 * dim + 1] ?? 0));
    return `%${at} = "ttnn.pad"(${at === 0 ? "%x" : `%${at - 1}`}) <{padding = array<i32: ${
      padding.join(", ")
    }>, use_multicore = true, value = ${fillers[at]} : f32}> : (${before}) -> ${type()}`;
  });
  const inner = /-> (.*)$/.exec(lines[0] ?? "")?.[1] ?? "";
  return ttnnModule(`(%x: ${from}) -> ${isReturned ? `(${type()}, ${inner})` : type()}`, [
    ...lines,
    isReturned ? `return %1, %0 : ${type()}, ${inner}` : `return %1 : ${type()}`,
  ]);
}

const amounts = fc.array(fc.nat(2), { minLength: 4, maxLength: 4 });

keepsMeaning(
  "pads of pads",
  [combinePads],
  fc.tuple(amounts, amounts, fc.constantFrom("0.0", "2.5")).map(([first, second, filler]) => ({
    text: twice([first, second], [filler, filler], false),
    ops: ["pad"],
  })),
  10,
);

Deno.test("pads with the same number become one, if nothing else reads the first", () => {
  const pads = (fillers: readonly string[], isReturned: boolean): number =>
    passedBody(twice([[0, 1, 1, 0], [1, 0, 0, 2]], fillers, isReturned), combinePads)
      .filter((line) => line.includes('"ttnn.pad"')).length;
  assertEquals(pads(["1.0", "1.0"], false), 1);
  assertEquals([pads(["1.0", "0.0"], false), pads(["1.0", "1.0"], true)], [2, 2]);
});
