// SPDX-License-Identifier: Apache-2.0

/** Every example of tt-mlir:tensor-layout-document: facts of the document, checked one by one. */

import { assertEquals } from "@std/assert";
import { evaluateAffineMap, formatAffineMap } from "../affine/affine_map.ts";
import { parseAffineMap } from "../affine/affine_parser.ts";
import { metalCoordinates } from "./metal_coordinates.ts";
import {
  collapsedLinearMap,
  type CollapseInterval,
  makeMetalLayout,
  type MetalLayoutRequest,
  metalPhysicalShape,
} from "./metal_layout.ts";
import { metalLayoutsEqual } from "../testing/metal_layouts_equal.ts";
import { formatMetalLayout, parseMetalLayout } from "./metal_layout_text.ts";
import { paddedRegions } from "./metal_padding.ts";

const TILE = { height: 32, width: 32 };
const DEVICE = { workerGrid: { rows: 8, columns: 8 } };

/** Request of an example and the attribute that the document shows for it. */
const EXAMPLES: readonly [name: string, request: MetalLayoutRequest, attribute: string][] = [
  [
    "2x3x64x128 on 1x1",
    { shape: [2, 3, 64, 128], dataType: "f32", grid: [1, 1] },
    "#ttcore.metal_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3), undef, <1x1>, " +
    "memref<384x128xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "2x3x64x128 on 2x4",
    { shape: [2, 3, 64, 128], dataType: "f32", grid: [2, 4] },
    "#ttcore.metal_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3), undef, <2x4>, " +
    "memref<192x32xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "8x300 on 1x2",
    { shape: [8, 300], dataType: "f32", grid: [1, 2] },
    "#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "8x96x32 on 2x1",
    { shape: [8, 96, 32], dataType: "f32", grid: [2, 1] },
    "#ttcore.metal_layout<(d0, d1, d2) -> (d0 * 96 + d1, d2), undef, <2x1>, " +
    "memref<384x32xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "8x96x32 on 2x1x2 with d1 in two results",
    {
      shape: [8, 96, 32],
      dataType: "f32",
      grid: [2, 1, 2],
      linear: parseAffineMap("(d0, d1, d2) -> (d0 * 96 + d1, d1, d2)"),
    },
    "#ttcore.metal_layout<(d0, d1, d2) -> (d0 * 96 + d1, d1, d2), undef, <2x1x2>, " +
    "memref<384x96x16xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "5x3x2x2x7x32x32 on 3x2x2x2 with d4 and d5 in two results",
    {
      shape: [5, 3, 2, 2, 7, 32, 32],
      dataType: "f32",
      grid: [3, 2, 2, 2],
      linear: parseAffineMap(
        "(d0, d1, d2, d3, d4, d5, d6) -> " +
          "(d0 * 2688 + d1 * 896 + d2 * 448 + d3 * 224 + d4 * 32 + d5, d4, d5, d6)",
      ),
    },
    "#ttcore.metal_layout<(d0, d1, d2, d3, d4, d5, d6) -> " +
    "(d0 * 2688 + d1 * 896 + d2 * 448 + d3 * 224 + d4 * 32 + d5, d4, d5, d6), undef, <3x2x2x2>, " +
    "memref<4480x4x16x16xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "3x64x128 on 3x2",
    { shape: [3, 64, 128], dataType: "f32", grid: [3, 2] },
    "#ttcore.metal_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), undef, <3x2>, " +
    "memref<64x64xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "3x64x128 on 3x2, tilized",
    { shape: [3, 64, 128], dataType: "bfp_bf8", grid: [3, 2], tile: TILE },
    "#ttcore.metal_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), undef, <3x2>, " +
    "memref<2x2x!ttcore.tile<32x32, bfp_bf8>, #ttcore.memory_space<l1>>>",
  ],
  [
    "53x63 on 3x2",
    { shape: [53, 63], dataType: "f32", grid: [3, 2] },
    "#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <3x2>, memref<18x32xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "53x63 on 3x2, tilized",
    { shape: [53, 63], dataType: "bfp_bf8", grid: [3, 2], tile: TILE },
    "#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <3x2>, " +
    "memref<1x1x!ttcore.tile<32x32, bfp_bf8>, #ttcore.memory_space<l1>>>",
  ],
  [
    "2x8x32 on 1x2",
    { shape: [2, 8, 32], dataType: "f32", grid: [1, 2] },
    "#ttcore.metal_layout<(d0, d1, d2) -> (d0 * 8 + d1, d2), undef, <1x2>, " +
    "memref<16x16xf32, #ttcore.memory_space<l1>>>",
  ],
  [
    "2x3x64x128 on two devices of 2x4, tilized",
    {
      shape: [2, 3, 64, 128],
      dataType: "bfp_bf8",
      grid: [2, 2, 4],
      tile: TILE,
      collapseIntervals: [[1, -1]],
    },
    "#ttcore.metal_layout<(d0, d1, d2, d3) -> (d0, d1 * 64 + d2, d3), undef, <2x2x4>, " +
    "memref<1x3x1x!ttcore.tile<32x32, bfp_bf8>, #ttcore.memory_space<l1>>>",
  ],
];

for (const [name, request, attribute] of EXAMPLES) {
  Deno.test(`makeMetalLayout() gives the document's attribute of ${name}`, () => {
    const layout = makeMetalLayout(request);
    assertEquals(formatMetalLayout(layout), attribute);
    assertEquals(metalLayoutsEqual(parseMetalLayout(attribute), layout), true);
  });
}

Deno.test("parseMetalLayout() reads the document's own spelling, with line breaks and blanks in the tile", () => {
  const layout = parseMetalLayout(`#ttcore.metal_layout<
    (d0, d1, d2) -> (d0 * 64 + d1, d2),
    undef,
    <3x2>,
    memref<2x2x!ttcore.tile<32 x 32, bfp_bf8>, #ttcore.memory_space<l1>>
  >`);
  assertEquals(layout.memref.tile, TILE);
  assertEquals(layout.memref.shape, [2, 2]);
});

Deno.test("the element [1, 1, 6, 100] of 2x3x64x128 is at row 262, column 100 of the collapsed tensor", () => {
  const linear = collapsedLinearMap([2, 3, 64, 128], [[0, -1]]);
  assertEquals(evaluateAffineMap(linear, [1, 1, 6, 100]), [262, 100]);
  assertEquals(evaluateAffineMap(linear, [2 - 1, 3 - 1, 64 - 1, 128 - 1]), [383, 127]);
  assertEquals(metalPhysicalShape([2, 3, 64, 128], { linear }), [384, 128]);
});

Deno.test("collapsedLinearMap() gives the document's four examples of collapse intervals", () => {
  const primes = [2, 3, 5, 7, 11, 13, 17];
  const cases: [rank: number, intervals: CollapseInterval[], map: string][] = [
    [3, [[0, -1]], "(d0, d1, d2) -> (d0 * 3 + d1, d2)"],
    [4, [[1, -1]], "(d0, d1, d2, d3) -> (d0, d1 * 5 + d2, d3)"],
    [4, [[0, 2]], "(d0, d1, d2, d3) -> (d0 * 3 + d1, d2, d3)"],
    [
      7,
      [[0, 3], [-3, -1]],
      "(d0, d1, d2, d3, d4, d5, d6) -> (d0 * 15 + d1 * 5 + d2, d3, d4 * 13 + d5, d6)",
    ],
  ];
  for (const [rank, intervals, map] of cases) {
    assertEquals(formatAffineMap(collapsedLinearMap(primes.slice(0, rank), intervals)), map);
  }
});

Deno.test("53x63 on 3x2 has one row and one column of padding, in the last row and column of cores", () => {
  const layout = makeMetalLayout({ shape: [53, 63], dataType: "f32", grid: [3, 2] });
  const regions = (row: number, column: number) => [...paddedRegions([53, 63], layout, [row, column])];
  assertEquals(regions(0, 0), []);
  assertEquals(regions(1, 1), [{ start: [0, 31], end: [18, 32] }]);
  assertEquals(regions(2, 0), [{ start: [17, 0], end: [18, 32] }]);
  assertEquals(regions(2, 1), [{ start: [0, 31], end: [17, 32] }, { start: [17, 0], end: [18, 32] }]);
});

Deno.test("53x63 on 3x2 in tiles has 14 rows of padding, 15 in the last row of cores", () => {
  const layout = makeMetalLayout({ shape: [53, 63], dataType: "bf16", grid: [3, 2], tile: TILE });
  const rows = [0, 1, 2].map((row) =>
    [...paddedRegions([53, 63], layout, [row, 0])].map(({ start, end }) => (end[0] ?? 0) - (start[0] ?? 0))
  );
  assertEquals(rows, [[14], [14], [15]]);
});

Deno.test("bumping the stride of 2x8x32 from 8 to 32 puts every batch in tiles of its own", () => {
  const shape = [2, 8, 32];
  const packed = makeMetalLayout({ shape, dataType: "f32", grid: [1, 2], tile: TILE });
  assertEquals(packed.memref.shape, [1, 1]);
  const request: MetalLayoutRequest = { shape, dataType: "f32", grid: [1, 2], tile: TILE };
  const bumped = makeMetalLayout({ ...request, dimAlignments: [1, 32, 1] });
  assertEquals(formatAffineMap(bumped.linear), "(d0, d1, d2) -> (d0 * 32 + d1, d2)");
  assertEquals(
    metalLayoutsEqual(
      bumped,
      makeMetalLayout({ ...request, linear: parseAffineMap("(d0, d1, d2) -> (d0 * 32 + d1, d2)") }),
    ),
    true,
  );
  assertEquals(bumped.memref.shape, [2, 1]);
  const coordinates = metalCoordinates(shape, bumped, DEVICE);
  assertEquals(coordinates.locate([0, 7, 0]).memrefIndex, [0, 0]);
  assertEquals(coordinates.locate([1, 0, 0]).memrefIndex, [1, 0]);
});

Deno.test("the virtual grid 1x64 is legal on a chip of 8x8 cores", () => {
  const shape = [32, 64 * 32];
  const layout = makeMetalLayout({ shape, dataType: "bf16", grid: [1, 64], tile: TILE });
  const place = metalCoordinates(shape, layout, DEVICE).locate([0, 32 * 19]);
  assertEquals(place.grid, [0, 19]);
  assertEquals(place.core, { x: 3, y: 2 });
});

Deno.test("the outermost dimension of a 2x2x4 grid divides the batch between two devices", () => {
  const shape = [2, 3, 64, 128];
  const layout = makeMetalLayout({
    shape,
    dataType: "bf16",
    grid: [2, 2, 4],
    tile: TILE,
    collapseIntervals: [[1, -1]],
  });
  const coordinates = metalCoordinates(shape, layout, { ...DEVICE, devices: 2 });
  assertEquals(coordinates.locate([0, 2, 63, 127]).device, 0);
  const place = coordinates.locate([1, 1, 40, 100]);
  assertEquals([place.device, place.core, place.physical], [1, { x: 3, y: 1 }, [1, 104, 100]]);
});
