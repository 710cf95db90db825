// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { graphQuestions } from "../../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import { fuseConcatenateHeads, splitConcatenateHeads } from "./prefill_heads.ts";

function merged(
  [batch, heads, rows, size]: readonly [number, number, number, number],
  result: readonly number[],
): string {
  const [before, between, after] = [[batch, heads, rows, size], [batch, rows, heads, size], result].map((
    shape,
  ) => `T<${shape.join("x")}>`);
  return ttnnModule(`(%x: ${before}) -> ${after}`, [
    `%0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 2, 1, 3>}> : (${before}) -> ${between}`,
    `%1 = "ttnn.reshape"(%0) <{shape = [${
      result.map((extent) => `${extent} : i32`).join(", ")
    }]}> : (${between}) -> ${after}`,
    `return %1 : ${after}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 4 });

keepsMeaning(
  "concatenated heads",
  [fuseConcatenateHeads],
  fc.record({ shape: fc.tuple(extent, extent, extent, extent), isFlat: fc.boolean() }).map(
    ({ shape, isFlat }) => {
      const [batch, heads, rows, size] = shape;
      return {
        text: merged(shape, isFlat ? [batch * rows, heads * size] : [batch, rows, heads * size]),
        ops: ["concatenate_heads", "!permute"],
      };
    },
  ),
);

Deno.test("a result that does not merge the heads keeps its permute", () => {
  assertEquals(passedBody(merged([2, 4, 3, 8], [2, 12, 8]), fuseConcatenateHeads).length, 3);
});

Deno.test("heads that are no whole tiles are joined by a permute and a reshape", () => {
  const joined = (size: number): string =>
    ttnnModule(`(%x: T<1x4x64x${size}>) -> T<1x64x${4 * size}>`, [
      `%0 = "ttnn.concatenate_heads"(%x) : (T<1x4x64x${size}>) -> T<1x64x${4 * size}>`,
      `return %0 : T<1x64x${4 * size}>`,
    ]);
  const { isLegal } = graphQuestions(getDevice("n150"));
  const names = (size: number): readonly string[] =>
    passedBody(joined(size), splitConcatenateHeads, undefined, { isLegal }).flatMap((line) =>
      /"ttnn\.(\w+)"/.exec(line)?.[1] ?? []
    );
  assertEquals(names(100), ["permute", "reshape"]);
  assertEquals(names(64), ["concatenate_heads"]);
});
