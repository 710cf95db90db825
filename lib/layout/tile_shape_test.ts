// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { LayoutError } from "./layout_error.ts";
import { checkTile, facePosition, SUPPORTED_TILES } from "./tile_shape.ts";

Deno.test("facePosition() walks four 16x16 faces of a 32x32 tile", () => {
  const tile = { height: 32, width: 32 };
  assertEquals(facePosition(tile, 0, 16), { face: 1, row: 0, column: 0, element: 256 });
  assertEquals(facePosition(tile, 16, 0), { face: 2, row: 0, column: 0, element: 512 });
  assertEquals(facePosition(tile, 31, 31), { face: 3, row: 15, column: 15, element: 1023 });
});

Deno.test("facePosition() gives every element of a supported tile a place of its own", () => {
  for (const tile of SUPPORTED_TILES) {
    const seen = new Set<number>();
    for (let row = 0; row < tile.height; row++) {
      for (let column = 0; column < tile.width; column++) {
        const { element } = facePosition(tile, row, column);
        seen.add(element);
      }
    }
    assertEquals(seen.size, tile.height * tile.width);
    assertEquals(Math.max(...seen), tile.height * tile.width - 1);
  }
});

Deno.test("checkTile() refuses tile shapes that no chip has", () => {
  assertEquals(
    assertThrows(() => checkTile({ height: 32, width: 64 }), LayoutError).rule,
    "tile/supported-shape",
  );
});
