// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { corpusFiles, corpusTest } from "../../../testing/corpus.ts";
import {
  affineBinary,
  affineConstant,
  affineDim,
  type AffineExpression,
  affineSymbol,
} from "./affine_expression.ts";
import {
  type AffineMap,
  affineMapsEqual,
  evaluateAffineMap,
  formatAffineMap,
  ttnnLinearMap,
} from "./affine_map.ts";
import { parseAffineMap } from "./affine_parser.ts";
import { LayoutError } from "../layout_error.ts";

function arbitraryExpression(depth: number): fc.Arbitrary<AffineExpression> {
  const leaf = fc.oneof(
    fc.integer({ min: 0, max: 2 }).map(affineDim),
    fc.integer({ min: 0, max: 1 }).map(affineSymbol),
    fc.integer({ min: -40, max: 40 }).map(affineConstant),
  );
  if (depth === 0) return leaf;
  const inner = arbitraryExpression(depth - 1);
  return fc.oneof(
    leaf,
    fc.tuple(fc.constantFrom("add" as const, "mul" as const), inner, inner).map(([kind, left, right]) =>
      affineBinary(kind, left, right)
    ),
    fc.tuple(
      fc.constantFrom("floordiv" as const, "ceildiv" as const, "mod" as const),
      inner,
      fc.integer({ min: 1, max: 12 }),
    ).map(([kind, left, right]) => affineBinary(kind, left, affineConstant(right))),
  );
}

const arbitraryMap: fc.Arbitrary<AffineMap> = fc.array(arbitraryExpression(3), { minLength: 1, maxLength: 3 })
  .map((results) => ({ dimCount: 3, symbolCount: 2, results }));
const arbitraryPoint = fc.tuple(
  fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 3 }),
  fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 2 }),
);

Deno.test("parseAffineMap() reads what formatAffineMap() prints", () => {
  fc.assert(
    fc.property(arbitraryMap, arbitraryPoint, (map, [dims, symbols]) => {
      const text = formatAffineMap(map);
      const parsed = parseAffineMap(text);
      assertEquals(evaluateAffineMap(parsed, dims, symbols), evaluateAffineMap(map, dims, symbols));
      // Constants of sums that were nested to the right are folded by the first reading, then nothing changes.
      const folded = formatAffineMap(parsed);
      assertEquals(formatAffineMap(parseAffineMap(folded)), folded);
      assert(affineMapsEqual(parseAffineMap(`affine_map<${text}>`), parsed));
    }),
    { numRuns: 500, seed: 2 },
  );
});

Deno.test("formatAffineMap() prints like MLIR", () => {
  for (
    const text of [
      "(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3)",
      "(d0) -> (0, d0)",
      "() -> (0, 0)",
      "(d0, d1) -> (0, d1 floordiv 8, d1 mod 8)",
      "(d0, d1) -> (d0 - d1, -d0, d0 - 3, d0 - d1 * 4, (d0 + d1) mod 8, -(d0 + d1))",
      "(d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0)",
      "(d0)[s0, s1] -> ((d0 * s0) * (s1 * s0) + d0 ceildiv 3)",
    ]
  ) assertEquals(formatAffineMap(parseAffineMap(text)), text);
  assertEquals(formatAffineMap(parseAffineMap("(i,j)->(2*i+0, j*1)")), "(d0, d1) -> (d0 * 2, d1)");
});

corpusTest("parseAffineMap() and formatAffineMap() give back every map of the dumps byte by byte", () => {
  const maps = new Set<string>();
  for (const file of [...corpusFiles("dumps"), ...corpusFiles("lowered/models")]) {
    const text = Deno.readTextFileSync(file);
    for (const match of text.matchAll(/\([ds0-9, ]*\)(?:\[[s0-9, ]*\])? -> /g)) {
      let end = match.index + match[0].length;
      let depth = 0;
      do {
        if (text[end] === "(") depth++;
        if (text[end] === ")") depth--;
        end++;
      } while (depth > 0);
      maps.add(text.slice(match.index, end));
    }
  }
  const affine = [...maps].filter((map) =>
    /^\((d\d+(, d\d+)*)?\)(\[[s\d, ]*\])? -> \((floordiv|mod|[ds\d+*(), ])+\)$/.test(map)
  );
  assert(affine.length > 100);
  for (const map of affine) assertEquals(formatAffineMap(parseAffineMap(map)), map);
});

Deno.test("parseAffineMap() reports the location of an error", () => {
  const broken: [string, RegExp][] = [
    ["(d0 -> (d0)", /expected ',' at position 5/],
    ["(d0) -> (d1)", /unknown name d1 at position 10/],
    ["(d0, d0) -> (d0)", /declared twice/],
    ["(d0) -> (d0 floordiv 0)", /divisor must be positive/],
    ["(d0) -> (d0) x", /expected the end of the map/],
    ["(d0) -> (d0 $ 2)", /unexpected character at position 12/],
    ["(d0) -> (", /expected an expression/],
    [`(d0) -> (${"(".repeat(100_000)}`, /nest deeper than 64/],
  ];
  for (const [text, message] of broken) {
    const error = assertThrows(() => parseAffineMap(text), LayoutError);
    assert(message.test(error.message), error.message);
  }
});

Deno.test("evaluateAffineMap() refuses ranks that do not match", () => {
  const map = parseAffineMap("(d0, d1) -> (d0, d1)");
  assertEquals(assertThrows(() => evaluateAffineMap(map, [1]), LayoutError).rule, "affine/rank");
});

Deno.test("ttnnLinearMap() collapses all dims but the last with padded strides", () => {
  const tile = { height: 32, width: 32 };
  assertEquals(formatAffineMap(ttnnLinearMap([24, 50, 64], tile)), "(d0, d1, d2) -> (d0 * 64 + d1, d2)");
  assertEquals(formatAffineMap(ttnnLinearMap([24, 50, 64], undefined)), "(d0, d1, d2) -> (d0 * 50 + d1, d2)");
  assertEquals(
    formatAffineMap(ttnnLinearMap([1, 1, 1, 64], undefined)),
    "(d0, d1, d2, d3) -> (d0 + d1 + d2, d3)",
  );
  assertEquals(formatAffineMap(ttnnLinearMap([7], tile)), "(d0) -> (0, d0)");
  assertEquals(formatAffineMap(ttnnLinearMap([], tile)), "() -> (0, 0)");
});
