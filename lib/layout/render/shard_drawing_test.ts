// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { parseAffineMap } from "../affine/affine_parser.ts";
import { LayoutError } from "../layout_error.ts";
import { makeLayout } from "../make_layout.ts";
import { makeMetalLayout } from "../metal/metal_layout.ts";
import { formatNode } from "../ttnn/nodes.ts";
import { arbitraryReshard } from "../testing/reference_placement.ts";
import { delinearize, ttnnCoordinates } from "../ttnn/ttnn_coordinates.ts";
import { isSharded } from "../ttnn_layout.ts";
import { drawingsSvg } from "./drawing_svg.ts";
import { drawingText } from "./drawing_text.ts";
import { metalDrawings, ttnnDrawing } from "./shard_drawing.ts";

const CHIP = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };
const TILE = { height: 32, width: 32 };

Deno.test("drawingText() draws rows, columns, padding and cores", () => {
  const shape = [53, 63];
  const layout = makeMetalLayout({ shape, dataType: "bf16", grid: [3, 2], tile: TILE });
  const [drawing] = metalDrawings(shape, layout, CHIP);
  assert(drawing !== undefined);
  assertEquals(
    drawingText(drawing, 80),
    [
      "rows \\ columns  0-31   32-62 +1",
      "0-17 +14        (0,0)  (1,0)",
      "18-35 +14       (0,1)  (1,1)",
      "36-52 +15       (0,2)  (1,2)",
      "",
    ].join("\n"),
  );
});

Deno.test("drawingText() transposes a wide line of shards and omits shards that do not fit", () => {
  const wide = makeLayout(
    { shape: [32, 2048], dataType: "bf16", bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 64] },
    CHIP.workerGrid,
  );
  const lines = drawingText(ttnnDrawing([32, 2048], wide, CHIP), 80).split("\n");
  assertEquals(lines[0], "columns \\ rows  0-31");
  assertEquals(lines[10], "288-319         (1,1)");
  assertStringIncludes(lines.join("\n"), "… 25 more");
  assertEquals(lines.at(-2), "2016-2047       (7,7)");
  const block = makeLayout(
    { shape: [256, 2560], dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 8] },
    CHIP.workerGrid,
  );
  const table = drawingText(ttnnDrawing([256, 2560], block, CHIP), 60).split("\n");
  for (const line of table) assert(line.length <= 60, line);
  assertEquals(table[1], "0-31            (0,0)  (1,0)    (2,0)    …  (7,0)");
});

Deno.test("metalDrawings() draws one slice per outer grid coordinate and names devices", () => {
  const shape = [2, 3, 64, 128];
  const layout = makeMetalLayout({
    shape,
    dataType: "bf16",
    grid: [2, 2, 4],
    tile: TILE,
    collapseIntervals: [[1, -1]],
  });
  const drawings = metalDrawings(shape, layout, { ...CHIP, devices: 2 });
  assertEquals(drawings.map(({ outer }) => outer), [[0], [1]]);
  assertEquals(drawings[1]?.cores[1]?.[3], "1:(3,1)");
  assertEquals(drawings[0]?.rows[0]?.last, [1, 31]);
});

Deno.test("metalDrawings() counts the gaps of bumped strides as padding and knows no cores outside of L1", () => {
  const shape = [2, 8, 32];
  const layout = makeMetalLayout({
    shape,
    dataType: "f32",
    grid: [1, 2],
    tile: TILE,
    dimAlignments: [1, 32, 1],
    memorySpace: "dram",
  });
  const [drawing] = metalDrawings(shape, layout, CHIP);
  assertEquals(drawing?.rows, [{ start: 0, end: 40, padding: 48, first: [0, 0], last: [1, 7] }]);
  assertEquals(drawing?.cores, [["[0,0]", "[0,1]"]]);
});

Deno.test("metalDrawings() refuses maps with one dim in several results", () => {
  const shape = [3, 4];
  const layout = makeMetalLayout({
    shape,
    dataType: "f32",
    grid: [1, 1, 1],
    linear: parseAffineMap("(d0, d1) -> (d0 * 4 + d1, d0, d1)"),
  });
  assertEquals(
    assertThrows(() => metalDrawings(shape, layout, CHIP), LayoutError).rule,
    "conversion/unsupported",
  );
});

Deno.test("ttnnDrawing() puts every element into the cell of the core that holds it", () => {
  fc.assert(
    fc.property(arbitraryReshard(), ({ shape, from, chip }) => {
      if (!isSharded(from) || from.gridShape.length !== 2 || from.memoryLayout === "nd_sharded") return;
      const drawing = ttnnDrawing(shape, from, chip);
      const coordinates = ttnnCoordinates(shape, from, chip);
      const held = new Map<string, number>();
      const volume = shape.reduce((product, extent) => product * extent, 1);
      for (let element = 0; element < volume; element++) {
        const name = formatNode(chip, coordinates.locate(delinearize(element, shape)).node);
        held.set(name, (held.get(name) ?? 0) + 1);
      }
      const rowsPerShard = (from.shardShape[0] ?? 1) * (from.tile?.height ?? 1);
      const columnsPerShard = (from.shardShape[1] ?? 1) * (from.tile?.width ?? 1);
      for (const [row, rowBand] of drawing.rows.entries()) {
        for (const [column, columnBand] of drawing.columns.entries()) {
          const name = drawing.cores[row]?.[column] ?? "";
          const drawn = (rowsPerShard - rowBand.padding) * (columnsPerShard - columnBand.padding);
          const node = from.bufferType === "dram" ? `DRAM ${name}` : `core ${name}`;
          assertEquals(drawn, held.get(node) ?? 0);
        }
      }
    }),
    { numRuns: 60, seed: 31 },
  );
});

Deno.test("drawingsSvg() draws one box per core and escapes the title", () => {
  const shape = [53, 63];
  const layout = makeMetalLayout({ shape, dataType: "bf16", grid: [3, 2] });
  const svg = drawingsSvg(metalDrawings(shape, layout, CHIP), "a <b> & c", "words");
  assertEquals(svg.match(/stroke="#1e88e5"/g)?.length, 6);
  assertStringIncludes(svg, "<title>a &lt;b&gt; &amp; c</title>");
  assertStringIncludes(svg, ">32-62 +1</text>");
});
