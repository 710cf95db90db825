// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { volume } from "../../../layout/extents.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { movedTiles } from "../../testing/moved_tiles.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { patternPass } from "../../rewrite_pattern.ts";
import { foldInverseViews } from "./fold_inverse_views.ts";
import { sinkViewsThroughCollective } from "./views_around_collectives.ts";

type Extents = readonly number[];

const TOOLS = { microseconds: movedTiles };
const PATTERNS = [sinkViewsThroughCollective, foldInverseViews];

const type = (extents: Extents): string => `T<${extents.join("x")}>`;

function reshape(name: string, source: string, from: Extents, to: Extents): string {
  const shape = to.map((extent) => `${extent} : i32`).join(", ");
  return `${name} = "ttnn.reshape"(${source}) <{shape = [${shape}]}> : (${type(from)}) -> ${type(to)}`;
}

function permute(name: string, source: string, from: Extents, by: Extents): string {
  const to = by.map((dim) => from[dim] ?? 1);
  return `${name} = "ttnn.permute"(${source}) <{permutation = array<i64: ${by.join(", ")}>}> : (${
    type(from)
  }) -> ${type(to)}`;
}

/** What each exchange calls its dimension, and what it makes of the extent along it on so many chips. */
const EXCHANGES = {
  all_gather: { attribute: "all_gather_dim", extent: (extent: number, chips: number) => extent * chips },
  reduce_scatter: { attribute: "scatter_dim", extent: (extent: number, chips: number) => extent / chips },
  mesh_partition: { attribute: "dim", extent: (extent: number, chips: number) => extent / chips },
  all_reduce: { attribute: undefined, extent: (extent: number) => extent },
} as const;

type ExchangeName = keyof typeof EXCHANGES;

function received(op: ExchangeName, shape: Extents, dim: number, chips: number): Extents {
  return shape.with(dim, EXCHANGES[op].extent(shape[dim] ?? 1, chips));
}

function exchange(
  name: string,
  op: ExchangeName,
  source: string,
  shape: Extents,
  dim: number,
  chips: number,
): string {
  const { attribute } = EXCHANGES[op];
  const own = attribute === undefined
    ? "reduce_type = #ttcore.reduce_type<sum>"
    : `${attribute} = ${dim} : si32`;
  return `${name} = "ttnn.${op}"(${source}) <{cluster_axis = 1 : ui32, ${own}}> : (${type(shape)}) -> ${
    type(received(op, shape, dim, chips))
  }`;
}

interface Case {
  readonly op: ExchangeName;
  /** Extents in front of the rows, and the row; every one a multiple of `chips`. */
  readonly shape: Extents;
  readonly dim: number;
  readonly chips: number;
}

const CASE: fc.Arbitrary<Case> = fc.record({
  op: fc.constantFrom<ExchangeName>("all_gather", "reduce_scatter", "mesh_partition", "all_reduce"),
  chips: fc.integer({ min: 2, max: 3 }),
  parts: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 3, maxLength: 4 }),
  dim: fc.nat(3),
}).map(({ op, chips, parts, dim }) => ({
  op,
  chips,
  shape: parts.map((extent) => extent * chips),
  dim: dim % parts.length,
}));

/** Every way to spell a shape with one extent of one more, or with two neighbours as one. */
function spellings(shape: Extents): readonly Extents[] {
  const withOnes = shape.map((_, dim) => [...shape.slice(0, dim), 1, ...shape.slice(dim)]);
  const merged = shape.slice(1).map((extent, dim) => [
    ...shape.slice(0, dim),
    extent * (shape[dim] ?? 1),
    ...shape.slice(dim + 2),
  ]);
  return [...withOnes, ...merged];
}

keepsMeaning(
  "reshapes in front of and behind exchanges",
  PATTERNS,
  fc.record({ given: CASE, below: fc.nat(), above: fc.nat() }).map(({ given, below, above }) => {
    const { op, shape, dim, chips } = given;
    const [from, made] = [spellings(shape), received(op, shape, dim, chips)];
    const source = from[below % from.length] ?? shape;
    const to = spellings(made);
    const result = to[above % to.length] ?? made;
    const text = ttnnModule(`(%x: ${type(source)}) -> ${type(result)}`, [
      reshape("%0", "%x", source, shape),
      exchange("%1", op, "%0", shape, dim, chips),
      reshape("%2", "%1", made, result),
      `return %2 : ${type(result)}`,
    ]);
    return { text, ops: [op] };
  }),
  200,
  TOOLS,
);

keepsMeaning(
  "permutes around exchanges",
  PATTERNS,
  fc.record({ given: CASE, order: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4 }) })
    .map(
      ({ given: { op, shape, dim, chips }, order }) => {
        const by = shape.map((_, index) => index).sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0));
        const back = by.map((_, index) => by.indexOf(index));
        const source = back.map((from) => shape[from] ?? 1);
        const made = received(op, shape, dim, chips);
        const result = back.map((from) => made[from] ?? 1);
        const text = ttnnModule(`(%x: ${type(source)}) -> ${type(result)}`, [
          permute("%0", "%x", source, by),
          exchange("%1", op, "%0", shape, dim, chips),
          permute("%2", "%1", made, back),
          `return %2 : ${type(result)}`,
        ]);
        return { text, ops: [op] };
      },
    ),
  80,
  TOOLS,
);

/** One row per user and chip, gathered over four chips. */
function logits(users: number, columns: number): string {
  const [flat, shape] = [[users, columns], [users, 1, columns]];
  const made = received("all_gather", shape, 2, 4);
  return ttnnModule(`(%x: ${type(flat)}) -> ${type(made)}`, [
    reshape("%0", "%x", flat, shape),
    exchange("%1", "all_gather", "%0", shape, 2, 4),
    `return %1 : ${type(made)}`,
  ]);
}

Deno.test("rows of one user each are gathered as rows of one tensor", () => {
  assertEquals(passedBody(logits(32, 64), sinkViewsThroughCollective, undefined, TOOLS).slice(0, -1), [
    '%pass_0 = "ttnn.all_gather"(%x) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (tensor<32x64xbf16>) -> tensor<32x256xbf16>',
    '%pass_1 = "ttnn.reshape"(%pass_0) <{shape = [32 : i32, 1 : i32, 256 : i32]}> : (tensor<32x256xbf16>) -> tensor<32x1x256xbf16>',
  ]);
});

Deno.test("no view moves without a saving, without prices, or if the reshape mixes the concatenated dimension", () => {
  const kept = (text: string, tools: Parameters<typeof passedBody>[3] = TOOLS): boolean =>
    passedBody(text, sinkViewsThroughCollective, undefined, tools)[0]?.includes("ttnn.reshape") === true;
  assertEquals(kept(logits(32, 64)), false);
  assertEquals(kept(logits(1, 64)), true);
  assertEquals(kept(logits(32, 64), {}), true);
  const [from, to] = [[32, 128], [64, 1, 64]];
  const made = received("all_gather", to, 2, 2);
  const mixed = ttnnModule(`(%x: ${type(from)}) -> ${type(made)}`, [
    reshape("%0", "%x", from, to),
    exchange("%1", "all_gather", "%0", to, 2, 2),
    `return %1 : ${type(made)}`,
  ]);
  assertEquals(volume(from), volume(to));
  assertEquals(kept(mixed), true);
});

Deno.test("a permute and its inverse on both sides of an exchange both go", () => {
  const [shape, by] = [[2, 32, 4, 64], [0, 2, 1, 3]];
  const permuted = by.map((dim) => shape[dim] ?? 1);
  const text = ttnnModule(`(%x: ${type(shape)}) -> ${type(shape)}`, [
    permute("%0", "%x", shape, by),
    exchange("%1", "all_reduce", "%0", permuted, 0, 2),
    permute("%2", "%1", permuted, by),
    `return %2 : ${type(shape)}`,
  ]);
  const pass = patternPass("test", undefined, PATTERNS);
  assertEquals(passedBody(text, pass, undefined, TOOLS).map((line) => /"ttnn\.(\w+)"/.exec(line)?.[1]), [
    "all_reduce",
    undefined,
  ]);
});
