// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { volume } from "../../layout/extents.ts";
import { mapPageBytes } from "./reshape_map.ts";

/** Tile of an element of a matrix in a stack, and its place there, face by face. */
function placeOf(element: number, rows: number, columns: number): readonly [tile: string, place: number] {
  const [y, x] = [Math.floor(element / columns) % rows, element % columns];
  const matrix = Math.floor(element / (rows * columns));
  const face = 2 * Math.floor(y % 32 / 16) + Math.floor(x % 32 / 16);
  return [`${matrix} ${Math.floor(y / 32)} ${Math.floor(x / 32)}`, face * 256 + y % 16 * 16 + x % 16];
}

/** The same by all elements: runs by output tile and input tile, elements in the order of the output tile's rows. */
function bytesByElement(from: readonly number[], to: readonly number[]): number {
  const [fromRows = 1, fromColumns = 1] = from.slice(-2);
  const [toRows = 1, toColumns = 1] = to.slice(-2);
  const runs = new Map<string, Map<string, number>>();
  const last = new Map<string, readonly [string, number, number]>();
  for (let element = 0; element < volume(to); element++) {
    const [target, at] = placeOf(element, toRows, toColumns);
    const [source, place] = placeOf(element, fromRows, fromColumns);
    const [tile, before, atBefore] = last.get(target) ?? ["", -2, -2];
    last.set(target, [source, place, at]);
    if (tile === source && before + 1 === place && atBefore + 1 === at) continue;
    const ofTarget = runs.getOrInsertComputed(target, () => new Map<string, number>());
    ofTarget.set(source, (ofTarget.get(source) ?? 0) + 1);
  }
  const entries = Math.max(...runs.values().map((tiles) => tiles.size * Math.max(...tiles.values())));
  return 16 * (entries + entries % 16);
}

Deno.test("mapPageBytes() agrees with a count of all elements, also where rows are wider than tiles", () => {
  const extent = fc.constantFrom(1, 2, 3, 5, 16, 24, 32, 40, 90);
  fc.assert(
    fc.property(extent, extent, extent, fc.nat(3), fc.nat(3), (a, b, c, before, after) => {
      const forms = [[a, b, c], [a * b, c], [a, b * c], [1, a * b * c]];
      const [from = [], to = []] = [forms[before], forms[after]];
      assertEquals(mapPageBytes(from, to), bytesByElement(from, to));
    }),
    { numRuns: 100 },
  );
});
