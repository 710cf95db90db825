// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { movedTiles } from "../../testing/moved_tiles.ts";
import type { PassTools } from "../../run_passes.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { elementsInFewestTiles } from "./elements_in_fewest_tiles.ts";

const TOOLS: PassTools = { microseconds: movedTiles };

/** Numbers of rows, the negative ones counted from the end; `more` reads what was tilized as well. */
function wrapped(shape: string, more: readonly string[] = [], results: readonly string[] = []): string {
  const [T, R] = [`T<${shape}>`, `R<${shape}>`];
  const list = shape.split("x").join(", ");
  const full = (name: string, number: string): string =>
    `${name} = "ttnn.full"(%d) <{fill_value = ${number} : f32, shape = #ttnn.shape<${shape}>}> : (!ttnn.device) -> ${T}`;
  const types = [R, ...results.map((line) => line.split(" ")[1] ?? "")];
  return ttnnModule(`(%x: ${R}) -> (${types.join(", ")})`, [
    '%d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    full("%zero", "0.000000e+00"),
    full("%rows", "2.560000e+02"),
    `%0 = "ttnn.to_layout"(%x) : (${R}) -> ${T}`,
    `%1 = "ttnn.gt"(%zero, %0) : (${T}, ${T}) -> ${T}`,
    `%2 = "ttnn.add"(%0, %rows) : (${T}, ${T}) -> ${T}`,
    `%3 = "ttnn.where"(%1, %2, %0) : (${T}, ${T}, ${T}) -> ${T}`,
    `%4 = "ttnn.to_layout"(%3) : (${T}) -> ${R}`,
    ...more.map((line) => line.replaceAll("LIST", list)),
    `return ${["%4", ...results.map((line) => line.split(" ")[0] ?? "")].join(", ")} : ${types.join(", ")}`,
  ]);
}

const shapes = (text: string, tools = TOOLS): readonly string[] =>
  passedBody(text, elementsInFewestTiles, undefined, tools).flatMap((line) =>
    /"ttnn\.(\w+)".*-> tensor<([\dx]+)x/.exec(line)?.slice(1).join(" ") ?? []
  ).filter((op) => !op.startsWith("full"));

Deno.test("elements between rows and rows fill one tile, not a row of tiles", () => {
  assertEquals(shapes(wrapped("1024")), [
    "reshape 32x32",
    "to_layout 32x32",
    "gt 32x32",
    "add 32x32",
    "where 32x32",
    "to_layout 32x32",
    "reshape 1024",
  ]);
});

Deno.test("a reshape beside them reads the tiles that they fill", () => {
  const view = `%5 = "ttnn.reshape"(%0) <{shape = [64 : i32, 16 : i32]}> : (T<1024>) -> T<64x16>`;
  assertEquals(shapes(wrapped("1024", [view], ["%5 T<64x16>"])).filter((op) => op.includes("1024")), [
    "reshape 1024",
  ]);
});

Deno.test("elements that others read in their own shape are not worked on twice", () => {
  const relu = '%5 = "ttnn.relu"(%3) : (T<1024>) -> T<1024>';
  const microseconds = (question: ProposedOp): number =>
    /to_layout|reshape/.test(question.name) ? 1 : movedTiles(question);
  const made = shapes(wrapped("1024", [relu], ["%5 T<1024>"]), { microseconds });
  assertEquals(made.filter((op) => /gt|add|where/.test(op)), ["gt 1024", "add 1024", "where 1024"]);
});

Deno.test("elements that fill tiles, or no rows of them, or take no less time so, keep their shape", () => {
  assertEquals(shapes(wrapped("32x32")).includes("reshape 32x32"), false);
  assertEquals(shapes(wrapped("1000")).includes("where 1000"), true);
  assertEquals(shapes(wrapped("1024"), { microseconds: () => 1 }).includes("where 1024"), true);
});

keepsMeaning(
  "elements in fewest tiles",
  [elementsInFewestTiles],
  fc.constantFrom("1024", "1x256", "2x64", "4x1x96").map((shape) => ({
    text: wrapped(shape),
    ops: ["reshape"],
  })),
  20,
  TOOLS,
);
