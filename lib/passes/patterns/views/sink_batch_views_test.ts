// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { sinkBatchViews } from "./sink_views.ts";

/** Heads folded into the batch, multiplied, and unfolded again; `other` is how the right side lies before. */
function folded(
  batch: number,
  heads: number,
  other: readonly [number, number],
  isTransposed: boolean,
): string {
  const all = batch * heads;
  const [rows, depth, columns] = [3, 4, 5];
  const right = isTransposed ? `${columns}x${depth}` : `${depth}x${columns}`;
  const list = (extents: string): string => extents.split("x").map((extent) => `${extent} : i32`).join(", ");
  const reshape = (name: string, from: string, to: string, source: string): string =>
    `${name} = "ttnn.reshape"(${source}) <{shape = [${list(to)}]}> : (T<${from}>) -> T<${to}>`;
  const [a, b, y] = [
    `${batch}x${heads}x${rows}x${depth}`,
    `${other.join("x")}x${right}`,
    `${batch}x${heads}x${rows}x${columns}`,
  ];
  return ttnnModule(`(%a: T<${a}>, %b: T<${b}>) -> T<${y}>`, [
    reshape("%0", a, `${all}x${rows}x${depth}`, "%a"),
    reshape("%1", b, `${all}x${right}`, "%b"),
    `%2 = "ttnn.matmul"(%0, %1) <{transpose_a = false, transpose_b = ${isTransposed}}> : (T<${all}x${rows}x${depth}>, T<${all}x${right}>) -> T<${all}x${rows}x${columns}>`,
    reshape("%3", `${all}x${rows}x${columns}`, y, "%2"),
    `return %3 : T<${y}>`,
  ]);
}

const extent = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "batched products keep their heads",
  [sinkBatchViews],
  fc.tuple(extent, extent, fc.boolean(), fc.boolean()).map(([batch, heads, isSwapped, isTransposed]) => ({
    text: folded(batch, heads, isSwapped ? [heads, batch] : [batch, heads], isTransposed),
    ops: ["matmul"],
  })),
  30,
);

Deno.test("both sides must be folded alike", () => {
  const shapeOf = (other: readonly [number, number]): string | undefined =>
    / -> tensor<([\dx]+)xbf16>/.exec(
      passedBody(folded(2, 3, other, false), sinkBatchViews).find((line) => line.includes("matmul")) ?? "",
    )?.[1];
  assertEquals([shapeOf([2, 3]), shapeOf([3, 2])], ["2x3x3x5", "6x3x5"]);
});
