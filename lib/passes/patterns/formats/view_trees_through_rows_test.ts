// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { graphQuestions } from "../../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { patternPass } from "../../rewrite_pattern.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldLayoutRoundTrip, viewsThroughRows, viewTreesThroughRows } from "./views_through_rows.ts";
import fc from "fast-check";

const TREES = patternPass("rows", undefined, [viewTreesThroughRows, foldLayoutRoundTrip]);
const ALONE = patternPass("rows", undefined, [viewsThroughRows, foldLayoutRoundTrip]);

/** Parts of heads side by side: cut out of rows that become tiles, flattened, and read as tiles or rows. */
function parts(
  shape: { readonly tokens: number; readonly heads: number; readonly parts: number; readonly width: number },
  reader: "relu" | "to_layout" = "relu",
): string {
  const { tokens, heads, parts, width } = shape;
  const whole = `${tokens}x${heads}x${parts}x${width}`;
  const [one, flat] = [`${tokens}x${heads}x1x${width}`, `${tokens}x${heads}x${width}`];
  const result = reader === "relu" ? `T<${flat}>` : `R<${flat}>`;
  const numbers = (extents: readonly number[]) => extents.map((extent) => `${extent} : i32`).join(", ");
  const lines = Array.from({ length: parts }, (_, part) => [
    `%s${part} = "ttnn.slice_static"(%x) <{begins = [${numbers([0, 0, part, 0])}], ends = [${
      numbers([tokens, heads, part + 1, width])
    }], step = [${numbers([1, 1, 1, 1])}]}> : (T<${whole}>) -> T<${one}>`,
    `%f${part} = "ttnn.reshape"(%s${part}) <{shape = [${
      numbers([tokens, heads, width])
    }]}> : (T<${one}>) -> T<${flat}>`,
    `%r${part} = "ttnn.${reader}"(%f${part}) : (T<${flat}>) -> ${result}`,
  ]).flat();
  const names = Array.from({ length: parts }, (_, part) => `%r${part}`);
  const types = names.map(() => result).join(", ");
  return ttnnModule(`(%a: R<${whole}>) -> (${types})`, [
    `%x = "ttnn.to_layout"(%a) : (R<${whole}>) -> T<${whole}>`,
    ...lines,
    `return ${names.join(", ")} : ${types}`,
  ]);
}

/** A view takes as long in tiles as the change back into tiles, so that none pays alone; rows are for nothing. */
function noneAlone({ name, operands: [operand] }: ProposedOp): number {
  const isTiled = operand?.kind === "tensor" && operand.layout.tile !== undefined;
  if (name === "ttnn.to_layout") return 100;
  return isTiled ? 100 : 0;
}

function opsOf(lines: readonly string[]): readonly (string | undefined)[] {
  return lines.map((line) => /ttnn\.(\w+)/.exec(line)?.[1]);
}

const SHAPES = fc.record({
  tokens: fc.integer({ min: 1, max: 3 }),
  heads: fc.integer({ min: 1, max: 3 }),
  parts: fc.integer({ min: 2, max: 3 }),
  width: fc.integer({ min: 1, max: 33 }),
});

keepsMeaning(
  "views of views go through rows together",
  TREES,
  fc.tuple(SHAPES, fc.constantFrom("relu", "to_layout")).map(([shape, reader]) => ({
    text: parts(shape, reader),
    ops: ["slice_static", "reshape"],
  })),
  30,
  { microseconds: noneAlone },
);

const THREE = { tokens: 4, heads: 4, parts: 3, width: 32 };
const TILES = ["to_layout", ...Array(3).fill(["slice_static", "reshape", "relu"]).flat(), undefined];
const ROWS = [...Array(3).fill(["slice_static", "reshape", "to_layout", "relu"]).flat(), undefined];

Deno.test("views that pay together stay in rows up to the last one, those that pay alone need no tree", () => {
  const text = parts(THREE);
  assertEquals(opsOf(passedBody(text, ALONE, undefined, { microseconds: noneAlone })), TILES);
  assertEquals(opsOf(passedBody(text, TREES, undefined, { microseconds: noneAlone })), ROWS);
});

Deno.test("readers of row-major data get it without tiles in between", () => {
  const lines = passedBody(parts(THREE, "to_layout"), TREES, undefined, { microseconds: noneAlone });
  assertEquals(opsOf(lines), [...Array(3).fill(["slice_static", "reshape"]).flat(), undefined]);
});

Deno.test("each further program costs its gap: a smaller saving keeps the tiles", () => {
  // In tiles a tiling and three slices run, through rows three slices and three tilings: two programs more.
  const slices = (us: number) => ({ name, operands: [operand] }: ProposedOp): number => {
    const isTiled = operand?.kind === "tensor" && operand.layout.tile !== undefined;
    if (name === "ttnn.reshape") return 0;
    return isTiled && name === "ttnn.slice_static" ? us : 1;
  };
  const text = parts(THREE);
  assertEquals(opsOf(passedBody(text, TREES, undefined, { microseconds: slices(6) })), ROWS);
  assertEquals(opsOf(passedBody(text, TREES, undefined, { microseconds: slices(4.5) })), TILES);
});

Deno.test("without prices the graph stays", () => {
  assertEquals(opsOf(passedBody(parts(THREE), TREES)), TILES);
});

Deno.test("queries, keys and values of BLOOM's heads are cut out of rows on a device", () => {
  const { microseconds } = graphQuestions(getDevice("n150"));
  const text = parts({ tokens: 256, heads: 16, parts: 3, width: 64 });
  const lines = passedBody(text, TREES, undefined, { microseconds });
  assertEquals(opsOf(lines), ROWS);
  // Three heads of 64 fill no rows of tiles: 32 times as many bytes are tiled as there are numbers.
  assert(!lines.some((line) => line.includes("to_layout") && line.includes("256x16x3x64")));
});
