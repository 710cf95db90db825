// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { volume } from "../extents.ts";
import { parseAffineMap } from "../affine/affine_parser.ts";
import { makeLayout } from "../make_layout.ts";
import { metalCoordinates } from "../metal/metal_coordinates.ts";
import { makeMetalLayout, type MetalLayoutRequest } from "../metal/metal_layout.ts";
import { formatNode } from "../ttnn/nodes.ts";
import { delinearize, ttnnCoordinates } from "../ttnn/ttnn_coordinates.ts";
import { LayoutLookup, layoutPage } from "./layout_page.ts";
import { type LayoutUnits, metalUnits, ttnnUnits } from "./layout_units.ts";

const CHIP = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };

function elements(shape: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: volume(shape) }, (_, position) => delinearize(position, shape));
}

/** Every element is found by its index, by its address, and at its position. */
function assertRoundTrip(
  layout: LayoutUnits,
  placeOf: (index: readonly number[]) => { node: string; byte: number | undefined },
): void {
  const lookup = new LayoutLookup(layout);
  for (const index of elements(layout.shape)) {
    const place = lookup.ofElement(index);
    assert(place !== undefined, `[${index}] is nowhere`);
    assertEquals(place.index, index);
    const unit = layout.units[place.unit];
    const wanted = placeOf(index);
    assertEquals(layout.nodes[unit?.node ?? -1], wanted.node);
    if (wanted.byte === undefined) continue;
    assertEquals(place.byte, wanted.byte, `[${index}]`);
    assertEquals(lookup.atByte(unit?.node ?? -1, place.byte)?.index, index);
  }
}

const METAL: readonly (readonly [string, MetalLayoutRequest])[] = [
  ["scalar, of the document", { shape: [2, 3, 8, 12], dataType: "f32", grid: [2, 4] }],
  ["not divisible", { shape: [53, 63], dataType: "f32", grid: [3, 2] }],
  ["tiles in shards that they do not fill", {
    shape: [53, 63],
    dataType: "bf16",
    grid: [3, 2],
    tile: { height: 32, width: 32 },
  }],
  ["two devices", {
    shape: [2, 3, 32, 64],
    dataType: "bf16",
    grid: [2, 3, 2],
    collapseIntervals: [[1, -1]],
    tile: { height: 32, width: 32 },
  }],
  ["a gap between batches", {
    shape: [2, 8, 32],
    dataType: "bf16",
    grid: [1, 2],
    linear: parseAffineMap("(d0, d1, d2) -> (d0 * 32 + d1, d2)"),
    tile: { height: 32, width: 32 },
  }],
  ["one dim in two results", {
    shape: [4, 6, 8],
    dataType: "f32",
    grid: [2, 1, 2],
    linear: parseAffineMap("(d0, d1, d2) -> (d0 * 6 + d1, d1, d2)"),
  }],
];

for (const [what, request] of METAL) {
  Deno.test(`the page finds element, core and address of a metal_layout from one another: ${what}`, () => {
    const layout = makeMetalLayout(request);
    const coordinates = metalCoordinates(request.shape, layout, CHIP);
    assertRoundTrip(metalUnits(request.shape, layout, CHIP), (index) => {
      const { core, byteOffset } = coordinates.locate(index);
      return { node: `(${core?.x},${core?.y})`, byte: byteOffset };
    });
  });
}

for (
  const [what, request] of [
    ["height shards", { memoryLayout: "height_sharded", bufferType: "l1", grid: [5, 1] }],
    ["block shards", { memoryLayout: "block_sharded", bufferType: "l1", grid: [3, 2] }],
    ["rows", { memoryLayout: "height_sharded", bufferType: "l1", grid: [4, 1], tile: null }],
    ["interleaved", { memoryLayout: "interleaved", bufferType: "dram" }],
    ["block-float", { memoryLayout: "interleaved", bufferType: "dram", dataType: "bfp_bf8" }],
  ] as const
) {
  Deno.test(`the page finds element, core and address of a TTNN layout from one another: ${what}`, () => {
    const shape = [2, 40, 70];
    const layout = makeLayout({ shape, dataType: "bf16", ...request }, CHIP.workerGrid);
    const coordinates = ttnnCoordinates(shape, layout, CHIP);
    assertRoundTrip(ttnnUnits(shape, layout, CHIP), (index) => {
      const { node, byteOffset } = coordinates.locate(index);
      return { node: formatNode(CHIP, node), byte: byteOffset };
    });
  });
}

Deno.test("padding is no element, and outside addresses are nothing", () => {
  const layout = makeMetalLayout({ shape: [3, 5], dataType: "f32", grid: [2, 2] });
  const lookup = new LayoutLookup(metalUnits([3, 5], layout, CHIP));
  // Shards of 2x3: the last row and the last column of the grid are not full.
  const corner = lookup.atPosition([3, 5]);
  assertEquals([corner?.index, corner?.unit === undefined], [undefined, false]);
  assertEquals(lookup.ofElement([3, 0]), undefined);
  assertEquals(lookup.ofElement([0]), undefined);
  assertEquals(lookup.atByte(0, 1_000), undefined);
});

Deno.test("the page carries its arithmetic whole", () => {
  const shape = [40, 40];
  const units = metalUnits(
    shape,
    makeMetalLayout({ shape, dataType: "bf16", grid: [2, 2], tile: { height: 32, width: 32 } }),
    CHIP,
  );
  const page = layoutPage(units, "40x40 </script>", "#layout<a>");
  assertStringIncludes(page, "40x40 &lt;/script&gt;");
  assert(!/https?:/.test(page), "nothing is fetched");
  const script = /<script>([^]*)<\/script>/.exec(page)?.[1] ?? "";
  assert(script.length > 0 && typeof new Function(script) === "function", "it parses");
  const text = /const lookup = new \((class[^]*?)\)\(layout\);\n/.exec(page)?.[1] ?? "";
  const lookup: LayoutLookup = new Function("layout", `return new (${text})(layout);`)(units);
  assertEquals(lookup.ofElement([25, 37]), new LayoutLookup(units).ofElement([25, 37]));
});
