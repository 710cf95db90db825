// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { joinSmallOperands } from "./join_small_operands.ts";

/** A tensor with two operands applied one after the other. */
function applied(
  name: string,
  shape: string,
  first: string,
  second: string,
  isLeft: boolean = false,
  outer: string = name,
): string {
  const [x, a, b] = [shape, first, second].map((extents) => `T<${extents}>`);
  const apply = (result: string, op: string, value: string, small: string, type: string | undefined) =>
    isLeft
      ? `${result} = "ttnn.${op}"(${small}, ${value}) : (${type}, ${x}) -> ${x}`
      : `${result} = "ttnn.${op}"(${value}, ${small}) : (${x}, ${type}) -> ${x}`;
  return ttnnModule(`(%x: ${x}, %a: ${a}, %b: ${b}) -> ${x}`, [
    apply("%0", name, "%x", "%a", a),
    apply("%1", outer, "%0", "%b", b),
    `return %1 : ${x}`,
  ]);
}

const side = fc.integer({ min: 4, max: 6 });

keepsMeaning(
  "small operands joined",
  [joinSmallOperands],
  fc.record({
    name: fc.constantFrom("add", "multiply"),
    rows: side,
    columns: side,
    batch: side,
    small: fc.constantFrom("row", "column", "one"),
    isLeft: fc.boolean(),
  }).map(({ name, batch, rows, columns, small, isLeft }) => {
    const second = { row: `1x1x${columns}`, column: `${batch}x1x1`, one: "1" }[small];
    return {
      text: applied(name, `${batch}x${rows}x${columns}`, `1x1x${columns}`, second, isLeft),
      ops: [name],
    };
  }),
);

function ops(text: string): readonly (string | undefined)[] {
  return passedBody(text, joinSmallOperands).slice(0, -1).map((line) => /\((%\w+, %\w+)\)/.exec(line)?.[1]);
}

Deno.test("a factor per image and channel and one per channel are one factor", () => {
  assertEquals(ops(applied("multiply", "2x64x64x320", "2x1x1x320", "1x1x1x320")), ["%a, %b", "%x, %pass_0"]);
});

Deno.test("large operands, large products of small ones, and other ops in between stay", () => {
  const apart = ["%x, %a", "%0, %b"];
  assertEquals(ops(applied("add", "64x320", "64x320", "1x320")), apart);
  assertEquals(ops(applied("add", "64x320", "64x1", "1x320")), apart);
  assertEquals(ops(applied("multiply", "64x320", "1x320", "1x320", false, "add")), apart);
});
