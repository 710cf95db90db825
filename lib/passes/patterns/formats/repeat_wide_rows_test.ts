// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import { graphQuestions } from "../../../../pipeline/prepared_graph.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { repeatWideRows } from "./repeats.ts";

const { microseconds } = graphQuestions(getDevice("n150"));

/** Scores of six heads that one row for each of four users selects twice. */
function masked(positions: number, element: string): string {
  const [scores, row] = [`T<4x6x${positions}x${positions}, ${element}>`, `T<4x1x1x${positions}, ${element}>`];
  return ttnnModule(`(%x: ${scores}, %y: ${scores}, %m: ${row}) -> ${scores}`, [
    `%0 = "ttnn.where"(%m, %x, %y) : (${row}, ${scores}, ${scores}) -> ${scores}`,
    `%1 = "ttnn.exp"(%0) : (${scores}) -> ${scores}`,
    `%2 = "ttnn.where"(%m, %1, %y) : (${row}, ${scores}, ${scores}) -> ${scores}`,
    `return %2 : ${scores}`,
  ]);
}

const repeated = (text: string): readonly string[] =>
  passedBody(text, repeatWideRows, undefined, { microseconds }).flatMap((line) =>
    /"ttnn\.repeat".*-> tensor<([\dx]+)x/.exec(line)?.[1] ?? []
  );

Deno.test("a row of f32 that masks scores is repeated within tiles, for both of its readers; the unpacker repeats one of bf16", () => {
  assertEquals(new Set(repeated(masked(128, "f32"))), new Set(["4x1x128x128"]));
  assertEquals(repeated(masked(128, "bf16")), []);
});

keepsMeaning(
  "wide rows are repeated",
  [repeatWideRows],
  fc.constantFrom("f32", "bf16").map((element) => ({ text: masked(32, element), ops: [] })),
  4,
  {
    microseconds: ({ operands }) =>
      operands.some((type) => type.kind === "tensor" && type.shape.at(-2) === 1) ? 100 : 0,
  },
);
