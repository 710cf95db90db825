// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { LayoutError } from "../layout_error.ts";
import { makeLayout } from "../make_layout.ts";
import { arbitraryReshard, referencePlace } from "../testing/reference_placement.ts";
import { delinearize, linearize, ttnnCoordinates } from "./ttnn_coordinates.ts";

const CHIP = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };

Deno.test("ttnnCoordinates() maps elements to places and back, one to one, for every layout", () => {
  fc.assert(
    fc.property(arbitraryReshard(), ({ shape, from, chip }) => {
      const coordinates = ttnnCoordinates(shape, from, chip);
      const [pageRows, pageColumns] = coordinates.pageShape;
      const volume = shape.reduce((product, extent) => product * extent, 1);
      const seen = new Set<string>();
      for (let element = 0; element < volume; element++) {
        const index = delinearize(element, shape);
        const place = coordinates.locate(index);
        assert(place.node === referencePlace(shape, from, chip, index).node, `element ${element}`);
        assert(place.page < coordinates.pagesPerNode && place.row < pageRows && place.column < pageColumns);
        const back = coordinates.elementAt(place);
        assert(back !== undefined);
        assert(linearize(back, shape) === element, `element ${element}`);
        seen.add(`${place.node}/${place.page}/${place.row}/${place.column}`);
      }
      assertEquals(seen.size, volume);
    }),
    { numRuns: 25, seed: 5 },
  );
});

Deno.test("ttnnCoordinates() finds exactly one element or padding in every physical place", () => {
  fc.assert(
    fc.property(arbitraryReshard(), ({ shape, from, chip }) => {
      const coordinates = ttnnCoordinates(shape, from, chip);
      const [pageRows, pageColumns] = coordinates.pageShape;
      const places = coordinates.nodes.length * coordinates.pagesPerNode * pageRows * pageColumns;
      if (places > 100_000) return;
      const found = new Set<number>();
      for (const node of coordinates.nodes) {
        for (let page = 0; page < coordinates.pagesPerNode; page++) {
          for (let row = 0; row < pageRows; row++) {
            for (let column = 0; column < pageColumns; column++) {
              const index = coordinates.elementAt({ node, page, row, column });
              if (index === undefined) continue;
              const element = linearize(index, shape);
              assert(!found.has(element));
              found.add(element);
            }
          }
        }
      }
      assertEquals(found.size, shape.reduce((product, extent) => product * extent, 1));
    }),
    { numRuns: 60, seed: 6 },
  );
});

Deno.test("ttnnCoordinates() gives bytes inside the shard of a tile, face by face", () => {
  const shape = [64, 128];
  const layout = makeLayout(
    { shape, dataType: "bf16", bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 2] },
    CHIP.workerGrid,
  );
  const place = ttnnCoordinates(shape, layout, CHIP).locate([40, 100]);
  // Core 1 holds columns 64 to 127, 2x2 tiles; (40, 36) in the shard is tile (1, 1), element (8, 4) of face 0.
  assertEquals([place.node, place.shard, place.page], [1, 1, 3]);
  assertEquals(place.face, { face: 0, row: 8, column: 4, element: 8 * 16 + 4 });
  assertEquals(place.byteOffset, 3 * 2048 + (8 * 16 + 4) * 2);
});

Deno.test("ttnnCoordinates() refuses indices outside of the tensor", () => {
  const layout = makeLayout(
    { shape: [4, 4], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
    CHIP.workerGrid,
  );
  const coordinates = ttnnCoordinates([4, 4], layout, CHIP);
  assertEquals(assertThrows(() => coordinates.locate([4, 0]), LayoutError).rule, "index/out-of-bounds");
  assertEquals(assertThrows(() => coordinates.locate([1]), LayoutError).rule, "shape/rank");
});
