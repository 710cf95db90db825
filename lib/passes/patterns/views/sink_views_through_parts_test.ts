// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Attribute } from "../../../ir/mod.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { patternPass } from "../../rewrite_pattern.ts";
import { foldInverseViews } from "./fold_inverse_views.ts";
import { sinkViewsThroughConcat, sinkViewsThroughSlice } from "./sink_views_through_parts.ts";

type Extents = readonly number[];

const integerIn = (attribute: Attribute | undefined): number | undefined =>
  attribute?.kind === "integer" ? Number(attribute.value) : undefined;

const type = (extents: Extents): string => `T<${extents.join("x")}>`;
const list = (extents: Extents): string => `[${extents.map((extent) => `${extent} : i32`).join(", ")}]`;
const permutedExtents = (shape: Extents, by: Extents): Extents => by.map((dim) => shape[dim] ?? 1);
const inverse = (by: Extents): Extents => by.map((_, dim) => by.indexOf(dim));

function permute(name: string, source: string, shape: Extents, by: Extents): string {
  return `${name} = "ttnn.permute"(${source}) <{permutation = array<i64: ${by.join(", ")}>}> : (${
    type(shape)
  }) -> ${type(permutedExtents(shape, by))}`;
}

function reshape(name: string, source: string, from: Extents, to: Extents): string {
  return `${name} = "ttnn.reshape"(${source}) <{shape = ${list(to)}}> : (${type(from)}) -> ${type(to)}`;
}

function slice(
  name: string,
  source: string,
  shape: Extents,
  begins: Extents,
  ends: Extents,
  step: Extents,
): string {
  const result = begins.map((begin, dim) => Math.ceil(((ends[dim] ?? 0) - begin) / (step[dim] ?? 1)));
  return `${name} = "ttnn.slice_static"(${source}) <{begins = ${list(begins)}, ends = ${list(ends)}, step = ${
    list(step)
  }}> : (${type(shape)}) -> ${type(result)}`;
}

function concat(name: string, sources: readonly string[], shapes: readonly Extents[], dim: number): string {
  const extent = shapes.reduce((sum, shape) => sum + (shape[dim] ?? 0), 0);
  return `${name} = "ttnn.concat"(${sources.join(", ")}) <{dim = ${dim} : si32}> : (${
    shapes.map(type).join(", ")
  }) -> ${type((shapes[0] ?? []).with(dim, extent))}`;
}

/** A permuted tensor cut in two along a dimension; the parts joined the other way round, and turned back. */
function swapped(shape: Extents, by: Extents, dim: number, at: number): string {
  const permutedShape = permutedExtents(shape, by);
  const extent = permutedShape[dim] ?? 1;
  const zeros = permutedShape.map(() => 0);
  const ones = permutedShape.map(() => 1);
  const [low, high] = [permutedShape.with(dim, at), permutedShape.with(dim, extent - at)];
  return ttnnModule(`(%x: ${type(shape)}) -> ${type(shape)}`, [
    permute("%0", "%x", shape, by),
    slice("%1", "%0", permutedShape, zeros, low, ones),
    slice("%2", "%0", permutedShape, zeros.with(dim, at), permutedShape, ones),
    concat("%3", ["%2", "%1"], [high, low], dim),
    permute("%4", "%3", permutedShape, inverse(by)),
    `return %4 : ${type(shape)}`,
  ]);
}

const extent = fc.integer({ min: 2, max: 4 });
const PERMUTATIONS = [[0, 3, 1, 2], [0, 2, 3, 1], [0, 2, 1, 3], [3, 1, 0, 2]] as const;

keepsMeaning(
  "parts of a permuted tensor, joined again",
  [sinkViewsThroughSlice, sinkViewsThroughConcat, foldInverseViews],
  fc.record({
    shape: fc.tuple(extent, extent, extent, extent),
    by: fc.constantFrom(...PERMUTATIONS),
    dim: fc.nat(3),
    share: fc.double({ min: 0, max: 0.99, noNaN: true }),
  }).map(({ shape, by, dim, share }) => {
    const cut = 1 + Math.floor(share * ((permutedExtents(shape, by)[dim] ?? 2) - 1));
    return { text: swapped(shape, by, dim, cut), ops: ["slice_static", "concat"] };
  }),
  80,
);

keepsMeaning(
  "strided parts of a permuted tensor",
  [sinkViewsThroughSlice, foldInverseViews],
  fc.record({
    shape: fc.tuple(extent, extent, extent, extent),
    by: fc.constantFrom(...PERMUTATIONS),
    begins: fc.tuple(fc.nat(1), fc.nat(1), fc.nat(1), fc.nat(1)),
    step: fc.tuple(
      fc.integer({ min: 1, max: 2 }),
      fc.constant(1),
      fc.integer({ min: 1, max: 3 }),
      fc.constant(1),
    ),
  }).map(({ shape, by, begins, step }) => {
    const permutedShape = permutedExtents(shape, by);
    const result = permutedShape.map((own, dim) => Math.ceil((own - (begins[dim] ?? 0)) / (step[dim] ?? 1)));
    const back = permutedExtents(result, inverse(by));
    const text = ttnnModule(`(%x: ${type(shape)}) -> ${type(back)}`, [
      permute("%0", "%x", shape, by),
      slice("%1", "%0", permutedShape, begins, permutedShape, step),
      permute("%2", "%1", result, inverse(by)),
      `return %2 : ${type(back)}`,
    ]);
    return { text, ops: ["slice_static", "!permute"] };
  }),
  80,
);

/** Rows of an image as one dimension: cut and joined along the channels. */
function flattened(height: number, width: number, channels: number, at: number): string {
  const [rows, image] = [[1, 1, height * width, channels], [1, height, width, channels]];
  const zeros = [0, 0, 0, 0];
  const ones = [1, 1, 1, 1];
  const [low, high] = [image.with(3, at), image.with(3, channels - at)];
  return ttnnModule(`(%x: ${type(rows)}) -> ${type(rows)}`, [
    reshape("%0", "%x", rows, image),
    slice("%1", "%0", image, zeros, low, ones),
    slice("%2", "%0", image, zeros.with(3, at), image, ones),
    concat("%3", ["%2", "%1"], [high, low], 3),
    reshape("%4", "%3", image, rows),
    `return %4 : ${type(rows)}`,
  ]);
}

keepsMeaning(
  "channels of an image cut and joined",
  [sinkViewsThroughSlice, sinkViewsThroughConcat, foldInverseViews],
  fc.tuple(extent, extent, fc.constantFrom(64, 96), fc.constantFrom(32)).map((
    [height, width, channels, at],
  ) => ({
    text: flattened(height, width, channels, at),
    ops: ["slice_static", "concat", "!reshape"],
  })),
  10,
);

/** A tensor that is permuted already and one that is not, joined and turned back. */
function joinedWithAnother(permutedShape: Extents, other: Extents): string {
  const by = [0, 3, 1, 2];
  const shape = permutedExtents(permutedShape, inverse(by));
  const whole = permutedShape.with(1, (permutedShape[1] ?? 0) + (other[1] ?? 0));
  return ttnnModule(
    `(%x: ${type(shape)}, %y: ${type(other)}) -> ${type(permutedExtents(whole, inverse(by)))}`,
    [
      permute("%0", "%x", shape, by),
      concat("%1", ["%0", "%y"], [permutedShape, other], 1),
      permute("%2", "%1", whole, inverse(by)),
      `return %2 : ${type(permutedExtents(whole, inverse(by)))}`,
    ],
  );
}

/** Rows that become columns, joined along these: only dimensions of one element move. */
function joinedColumns(heads: Extents, widths: readonly number[], extra: number): string {
  const row = (width: number): Extents => [...heads, 1, width];
  const column = (width: number): Extents => [...heads, width, 1];
  const all = [...widths, ...extra === 0 ? [] : [extra]];
  const total = all.reduce((sum, width) => sum + width, 0);
  const names = widths.map((_, index) => `%x${index}`);
  return ttnnModule(
    `(${
      [
        ...names.map((name, index) => `${name}: ${type(row(widths[index] ?? 0))}`),
        ...extra === 0 ? [] : [`%y: ${type(column(extra))}`],
      ].join(", ")
    }) -> ${type(column(total))}`,
    [
      ...widths.map((width, index) => reshape(`%r${index}`, `%x${index}`, row(width), column(width))),
      concat(
        "%j",
        [...widths.map((_, index) => `%r${index}`), ...extra === 0 ? [] : ["%y"]],
        all.map(column),
        2,
      ),
      `return %j : ${type(column(total))}`,
    ],
  );
}

keepsMeaning(
  "rows that become columns are joined as rows",
  [sinkViewsThroughConcat],
  fc.record({
    heads: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
    widths: fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 2, maxLength: 3 }),
  }).map(({ heads, widths }) => ({ text: joinedColumns(heads, widths, 0), ops: ["concat", "reshape"] })),
  40,
  {
    microseconds: ({ name, attributes }) =>
      name === "ttnn.concat" && integerIn(attributes.get("dim")) !== 3 ? 9 : 1,
  },
);

Deno.test("columns made of rows are joined as rows unless one of them comes as a column", () => {
  const reshapes = (extra: number): number =>
    passedBody(joinedColumns([2, 4], [32, 48], extra), sinkViewsThroughConcat, undefined, {
      microseconds: ({ name, attributes }) =>
        name === "ttnn.concat" && integerIn(attributes.get("dim")) === 2 ? 9 : 1,
    }).filter((line) => line.includes("ttnn.reshape")).length;
  assertEquals([reshapes(0), reshapes(32)], [1, 2]);
});

const JOIN = patternPass("test", undefined, [sinkViewsThroughConcat, foldInverseViews]);

Deno.test("a smaller tensor that is not turned yet is turned back, a larger one is not", () => {
  const count = (other: number): number =>
    passedBody(joinedWithAnother([1, 64, 32, 32], [1, other, 32, 32]), JOIN)
      .filter((line) => line.includes("ttnn.permute")).length;
  assertEquals([count(32), count(96)], [1, 2]);
});

/** Two permuted tensors, joined along a dimension; permuted back behind that, or by another permute. */
function joinedPermuted(shape: Extents, by: Extents, dim: number, behind: Extents | undefined): string {
  const part = permutedExtents(shape, by);
  const whole = part.with(dim, 2 * (part[dim] ?? 0));
  const result = behind === undefined ? whole : permutedExtents(whole, behind);
  return ttnnModule(`(%x: ${type(shape)}, %y: ${type(shape)}) -> ${type(result)}`, [
    permute("%0", "%x", shape, by),
    permute("%1", "%y", shape, by),
    concat("%2", ["%0", "%1"], [part, part], dim),
    ...behind === undefined ? ["return %2 : " + type(whole)] : [
      permute("%3", "%2", whole, behind),
      `return %3 : ${type(result)}`,
    ],
  ]);
}

Deno.test("permutes stay in front of a concat that nothing turns back, and of one that is slower below them", () => {
  const by = [0, 2, 3, 1];
  const permutes = (behind: Extents | undefined, below = 1): number =>
    passedBody(joinedPermuted([1, 64, 32, 32], by, 3, behind), JOIN, undefined, {
      microseconds: ({ name, attributes }) =>
        name === "ttnn.concat" && integerIn(attributes.get("dim")) === 1 ? below : 1,
    }).filter((line) => line.includes("ttnn.permute")).length;
  assertEquals([permutes(undefined), permutes(inverse(by))], [2, 0]);
  assertEquals(permutes(inverse(by), 10), 3);
});

Deno.test("parts that never come to the inverse permute are cut behind the view", () => {
  const text = ttnnModule("(%x: T<1x32x32x64>) -> T<1x32x32x32>", [
    permute("%0", "%x", [1, 32, 32, 64], [0, 3, 1, 2]),
    slice("%1", "%0", [1, 64, 32, 32], [0, 32, 0, 0], [1, 64, 32, 32], [1, 1, 1, 1]),
    permute("%2", "%1", [1, 32, 32, 32], [0, 1, 3, 2]),
    "return %2 : T<1x32x32x32>",
  ]);
  assertEquals(passedBody(text, sinkViewsThroughSlice).some((line) => line.includes("%pass")), false);
});

Deno.test("a view that others read as well stays", () => {
  const text = ttnnModule("(%x: T<1x32x32x64>) -> (T<1x32x32x32>, T<1x64x32x32>)", [
    permute("%0", "%x", [1, 32, 32, 64], [0, 3, 1, 2]),
    slice("%1", "%0", [1, 64, 32, 32], [0, 0, 0, 0], [1, 32, 32, 32], [1, 1, 1, 1]),
    permute("%2", "%1", [1, 32, 32, 32], [0, 2, 3, 1]),
    "return %2, %0 : T<1x32x32x32>, T<1x64x32x32>",
  ]);
  assertEquals(passedBody(text, sinkViewsThroughSlice).some((line) => line.includes("%pass")), false);
});

Deno.test("a join of one tensor and three that are reshaped and permuted is turned once, not to and fro", () => {
  const [flat, image, permutedShape] = [[1, 1, 25, 2], [1, 5, 5, 2], [1, 2, 5, 5]];
  const last = [0, 3, 1, 2];
  const names = ["a", "b", "c"];
  const lines = names.flatMap((name) => [
    reshape(`%${name}0`, `%${name}`, flat, image),
    permute(`%${name}1`, `%${name}0`, image, last),
  ]);
  const text = ttnnModule(
    `(%x: ${type(permutedShape)}, ${names.map((name) => `%${name}: ${type(flat)}`).join(", ")}) -> ${
      type([1, 5, 5, 8])
    }`,
    [
      ...lines,
      concat("%j", ["%x", ...names.map((name) => `%${name}1`)], [
        permutedShape,
        permutedShape,
        permutedShape,
        permutedShape,
      ], 1),
      permute("%r", "%j", [1, 8, 5, 5], inverse(last)),
      `return %r : ${type([1, 5, 5, 8])}`,
    ],
  );
  const passes = patternPass("sink", undefined, [sinkViewsThroughConcat, foldInverseViews]);
  assertEquals(
    passedBody(text, passes).map((line) => /ttnn\.(\w+)/.exec(line)?.[1]),
    ["reshape", "reshape", "reshape", "permute", "concat", undefined],
  );
});
