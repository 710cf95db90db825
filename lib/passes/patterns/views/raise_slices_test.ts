// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { raiseRowSlices, raiseSlices, slicePartOfConcat } from "./raise_slices.ts";
import { movedTiles } from "../../testing/moved_tiles.ts";
import { volume } from "../../../layout/extents.ts";
import type { PassTools } from "../../run_passes.ts";

interface Case {
  readonly parts: number;
  readonly heads: number;
  readonly size: number;
  /** Of `[batch, positions, parts, heads, size]`. */
  readonly order: readonly number[];
  readonly part: number;
}

/** Heads of one of several tensors side by side, cut out behind a permute. */
function taken({ parts, heads, size, order, part }: Case, more: readonly string[] = []): string {
  const split = [2, 3, parts, heads, size];
  const permuted = order.map((dim) => split[dim] ?? 1);
  const dim = order.indexOf(2);
  const [begins, ends, one] = [
    permuted.map(() => 0).with(dim, part),
    permuted.with(dim, part + 1),
    permuted.with(dim, 1),
  ];
  const list = (extents: readonly number[]): string =>
    `[${extents.map((extent) => `${extent} : i32`).join(", ")}]`;
  const [flat, cut, reordered, result] = [[2, 3, parts * heads * size], split, permuted, one].map((shape) =>
    `T<${shape.join("x")}>`
  );
  return ttnnModule(`(%x: ${flat}) -> ${result}`, [
    `%0 = "ttnn.reshape"(%x) <{shape = ${list(split)}}> : (${flat}) -> ${cut}`,
    `%1 = "ttnn.permute"(%0) <{permutation = array<i64: ${order.join(", ")}>}> : (${cut}) -> ${reordered}`,
    `%2 = "ttnn.slice_static"(%1) <{begins = ${list(begins)}, ends = ${list(ends)}, step = ${
      list(permuted.map(() => 1))
    }}> : (${reordered}) -> ${result}`,
    ...more.map((line) => line.replaceAll("TURNED", reordered ?? "")),
    `return %2 : ${result}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "parts side by side are cut out in front of a permute",
  [raiseSlices],
  fc.record({
    parts: fc.integer({ min: 2, max: 3 }),
    heads: extent,
    size: extent,
    order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
  }).chain((drawn) =>
    fc.nat(drawn.parts - 1).map((part) => ({ text: taken({ ...drawn, part }), ops: ["slice_static"] }))
  ),
  60,
);

const QUERY: Case = { parts: 3, heads: 2, size: 32, order: [2, 0, 3, 1, 4], part: 1 };

Deno.test("columns are cut out, and the permute moves heads alone", () => {
  const lines = passedBody(taken(QUERY), raiseSlices);
  assertEquals(lines.map((line) => /ttnn\.(\w+)/.exec(line)?.[1]), [
    "slice_static",
    "reshape",
    "permute",
    "reshape",
    undefined,
  ]);
  assertEquals(/permutation = array<i64: (.*?)>/.exec(lines[2] ?? "")?.[1], "0, 2, 1, 3");
});

Deno.test("a permuted tensor that something else reads stays", () => {
  const lines = passedBody(
    taken(QUERY, ['"ttnn.dump_tensor"(%1) <{file_path = "a"}> : (TURNED) -> ()']),
    raiseSlices,
  );
  assertEquals(/ttnn\.(\w+)/.exec(lines[0] ?? "")?.[1], "reshape");
});

type Extents = readonly number[];

const type = (extents: Extents): string => `T<${extents.join("x")}>`;
const list = (extents: Extents): string => `[${extents.map((extent) => `${extent} : i32`).join(", ")}]`;

interface Rows {
  readonly batches: number;
  readonly positions: number;
  readonly width: number;
  /** The first position that is taken, and how many apart the others are. */
  readonly from: number;
  readonly step: number;
}

/**
 * A norm, a product, a sum and an activation of rows, of which some positions are taken; `isFlat`: rows as one
 * dimension.
 */
function positionsOf(
  { batches, positions, width, from, step }: Rows,
  isFlat: boolean,
  isReturned: boolean,
): string {
  const spread = [batches, positions, width];
  const rows = isFlat ? [batches * positions, width] : spread;
  const taken = [batches, Math.ceil((positions - from) / step), width];
  const square = type([width, width]);
  const [x, y] = [type(rows), type(taken)];
  return ttnnModule(
    `(%x: ${x}, %w: ${square}, %g: ${type([width])}, %b: ${type([1, width])}) -> ${
      isReturned ? `(${y}, ${x})` : y
    }`,
    [
      `%0 = "ttnn.rms_norm"(%x, %g) <{epsilon = 1.000000e-02 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (${x}, ${
        type([width])
      }) -> ${x}`,
      `%1 = "ttnn.matmul"(%0, %w) <{transpose_a = false, transpose_b = false}> : (${x}, ${square}) -> ${x}`,
      `%2 = "ttnn.add"(%1, %b) : (${x}, ${type([1, width])}) -> ${x}`,
      `%3 = "ttnn.add"(%x, %2) : (${x}, ${x}) -> ${x}`,
      `%4 = "ttnn.relu"(%3) : (${x}) -> ${x}`,
      isFlat
        ? `%5 = "ttnn.reshape"(%4) <{shape = ${list(spread)}}> : (${x}) -> ${type(spread)}`
        : `%5 = "ttnn.neg"(%4) : (${x}) -> ${x}`,
      `%6 = "ttnn.slice_static"(%5) <{begins = ${list([0, from, 0])}, ends = ${list(spread)}, step = ${
        list([1, step, 1])
      }}> : (${type(spread)}) -> ${y}`,
      isReturned ? `return %6, %4 : ${y}, ${x}` : `return %6 : ${y}`,
    ],
  );
}

const rows = fc.record({
  batches: fc.integer({ min: 1, max: 3 }),
  positions: fc.integer({ min: 2, max: 5 }),
  width: fc.integer({ min: 2, max: 4 }),
  step: fc.integer({ min: 1, max: 3 }),
}).chain((record) => fc.nat(record.positions - 1).map((from) => ({ ...record, from })));

/** A µs for every number that an op makes, none for reshapes. */
const PRICED = {
  microseconds: ({ name, results: [made] }: ProposedOp): number =>
    made?.kind === "tensor" && name !== "ttnn.reshape" ? volume(made.shape) : 0,
};

keepsMeaning(
  "rows that a slice takes of what works row by row",
  [raiseRowSlices],
  fc.tuple(rows, fc.boolean()).map(([record, isFlat]) => ({
    text: positionsOf(record, isFlat, false),
    ops: ["slice_static"],
  })),
  100,
  PRICED,
);

keepsMeaning(
  "rows that others read as well, computed twice",
  [raiseRowSlices],
  rows.map((record) => ({ text: positionsOf(record, true, true), ops: ["slice_static"] })),
  40,
  PRICED,
);

/** A difference with one row of as many dimensions, sliced where its rows are one dimension. */
function flattened({ batches, positions, width, from, step }: Rows, isFirst: boolean): string {
  const [spread, flat] = [[batches, positions, width], [batches * positions, width]];
  const taken = [Math.ceil((batches * positions - from) / step), width];
  const [x, g, y] = [type(spread), type([1, 1, width]), type(taken)];
  return ttnnModule(`(%x: ${x}, %g: ${g}) -> ${y}`, [
    isFirst
      ? `%0 = "ttnn.subtract"(%g, %x) : (${g}, ${x}) -> ${x}`
      : `%0 = "ttnn.subtract"(%x, %g) : (${x}, ${g}) -> ${x}`,
    `%1 = "ttnn.reshape"(%0) <{shape = ${list(flat)}}> : (${x}) -> ${type(flat)}`,
    `%2 = "ttnn.slice_static"(%1) <{begins = ${list([from, 0])}, ends = ${list(flat)}, step = ${
      list([step, 1])
    }}> : (${type(flat)}) -> ${y}`,
    `return %2 : ${y}`,
  ]);
}

keepsMeaning(
  "what serves all rows has the rank of the rows that are taken",
  [raiseRowSlices],
  fc.tuple(rows, fc.boolean()).map(([record, isFirst]) => ({
    text: flattened(record, isFirst),
    ops: ["slice_static"],
  })),
  60,
  PRICED,
);

const PREFILL: Rows = { batches: 32, positions: 18, width: 64, from: 17, step: 1 };

const sizes = (text: string, op: string, tools: PassTools = PRICED): readonly string[] =>
  passedBody(text, raiseRowSlices, undefined, tools).filter((line) => line.includes(`ttnn.${op}"`)).map((
    line,
  ) => / -> tensor<([\dx]+)x/.exec(line)?.[1] ?? line);

Deno.test("only the last position goes through norm, product and activation", () => {
  for (const isFlat of [true, false]) {
    const text = positionsOf(PREFILL, isFlat, false);
    const expected = isFlat ? "32x64" : "32x1x64";
    assertEquals(["rms_norm", "matmul", "relu"].map((op) => sizes(text, op)), [[expected], [expected], [
      expected,
    ]]);
  }
});

/** Logits of all positions that are returned, and of the last. */
function logits(width: number): string {
  const [x, w, all] = [type([576, 64]), type([64, width]), type([576, width])];
  return ttnnModule(`(%x: ${x}, %w: ${w}) -> (${all}, ${type([32, 1, width])})`, [
    `%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (${x}, ${w}) -> ${all}`,
    `%1 = "ttnn.reshape"(%0) <{shape = ${list([32, 18, width])}}> : (${all}) -> ${type([32, 18, width])}`,
    `%2 = "ttnn.slice_static"(%1) <{begins = ${list([0, 17, 0])}, ends = ${list([32, 18, width])}, step = ${
      list([1, 1, 1])
    }}> : (${type([32, 18, width])}) -> ${type([32, 1, width])}`,
    `return %0, %2 : ${all}, ${type([32, 1, width])}`,
  ]);
}

Deno.test("logits that are returned are computed twice for the last position where cutting them out takes longer", () => {
  const tools = { microseconds: movedTiles };
  assertEquals(sizes(logits(1024), "matmul", tools), ["576x1024", "32x1024"]);
  assertEquals(sizes(logits(64), "matmul", tools), ["576x64"]);
  assertEquals(sizes(logits(1024), "matmul", {}), ["576x1024"]);
});

Deno.test("logits are not computed twice where the row is cut out of row-major pages", () => {
  const isRows = ({ operands: [operand] }: ProposedOp): boolean =>
    operand?.kind === "tensor" && operand.layout.tile === undefined;
  const microseconds = (op: ProposedOp): number => isRows(op) ? 1 : movedTiles(op);
  assertEquals(sizes(logits(1024), "matmul", { microseconds }), ["576x1024"]);
});

/** `x + relu(x · w)` of 576 rows, of which the last of 18 positions are taken, and the sum or only these returned. */
function residual(returnsSum: boolean): string {
  const [x, w, y] = [type([32, 18, 64]), type([64, 64]), type([32, 1, 64])];
  return ttnnModule(`(%x: ${x}, %w: ${w}) -> (${returnsSum ? `${x}, ` : ""}${y})`, [
    `%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (${x}, ${w}) -> ${x}`,
    `%1 = "ttnn.relu"(%0) : (${x}) -> ${x}`,
    `%2 = "ttnn.add"(%x, %1) : (${x}, ${x}) -> ${x}`,
    `%3 = "ttnn.slice_static"(%2) <{begins = ${list([0, 17, 0])}, ends = ${list([32, 18, 64])}, step = ${
      list([1, 1, 1])
    }}> : (${x}) -> ${y}`,
    returnsSum ? `return %2, %3 : ${x}, ${y}` : `return %3 : ${y}`,
  ]);
}

/** A slice takes longer than a sum of all rows. */
const SLOW_SLICES: PassTools = {
  microseconds: (op) => op.name === "ttnn.slice_static" ? 40_000 : PRICED.microseconds(op),
};

Deno.test("a slice passes a whole residual block where it would not pay to pass its sum alone", () => {
  assertEquals(
    ["slice_static", "matmul", "relu", "add"].map((op) => sizes(residual(false), op, SLOW_SLICES)),
    [
      ["32x1x64"],
      ["32x1x64"],
      ["32x1x64"],
      ["32x1x64"],
    ],
  );
  assertEquals(sizes(residual(true), "matmul", SLOW_SLICES), ["32x18x64"]);
});

keepsMeaning(
  "rows of a residual block",
  [raiseRowSlices],
  fc.boolean().map((returnsSum) => ({ text: residual(returnsSum), ops: ["slice_static"] })),
  4,
  SLOW_SLICES,
);

Deno.test("a slice of most rows stays", () => {
  const text = positionsOf({ ...PREFILL, from: 1 }, false, false);
  assertEquals(sizes(text, "relu"), ["32x18x64"]);
});

Deno.test("a slice of rows that a reshape made of parts of rows stays where it is", () => {
  const text = ttnnModule(`(%x: ${type([8, 8])}) -> ${type([4, 1, 4])}`, [
    `%0 = "ttnn.relu"(%x) : (${type([8, 8])}) -> ${type([8, 8])}`,
    `%1 = "ttnn.reshape"(%0) <{shape = ${list([4, 4, 4])}}> : (${type([8, 8])}) -> ${type([4, 4, 4])}`,
    `%2 = "ttnn.slice_static"(%1) <{begins = ${list([0, 3, 0])}, ends = ${list([4, 4, 4])}, step = ${
      list([1, 1, 1])
    }}> : (${type([4, 4, 4])}) -> ${type([4, 1, 4])}`,
    `return %2 : ${type([4, 1, 4])}`,
  ]);
  const names = passedBody(text, raiseRowSlices, undefined, PRICED).map((line) =>
    /"ttnn\.(\w+)"/.exec(line)?.[1] ?? "return"
  );
  assertEquals(names, ["relu", "reshape", "slice_static", "return"]);
});

/** Heads `from` to `to` of six, of a view of columns that is permuted or not, and of rows that it may group. */
function someHeads(from: number, to: number, isPermuted: boolean, isGrouped: boolean = false): string {
  const product = isGrouped ? "T<6x24>" : "T<2x3x24>";
  const count = to - from;
  const [viewed, sliced] = ["T<2x3x6x4>", isPermuted ? "T<2x6x3x4>" : "T<2x3x6x4>"];
  const result = isPermuted ? `T<2x${count}x3x4>` : `T<2x3x${count}x4>`;
  const bounds = (head: number, rows: number): string =>
    `[${(isPermuted ? [0, head, rows, 0] : [0, rows, head, 0]).map((begin) => `${begin} : i32`).join(", ")}]`;
  const ends = isPermuted
    ? `[2 : i32, ${to} : i32, 3 : i32, 4 : i32]`
    : `[2 : i32, 3 : i32, ${to} : i32, 4 : i32]`;
  return ttnnModule(`(%x: ${product}) -> ${result}`, [
    `%0 = "ttnn.reshape"(%x) <{shape = [2 : i32, 3 : i32, 6 : i32, 4 : i32]}> : (${product}) -> ${viewed}`,
    ...isPermuted
      ? [`%1 = "ttnn.permute"(%0) <{permutation = array<i64: 0, 2, 1, 3>}> : (${viewed}) -> ${sliced}`]
      : [],
    `%2 = "ttnn.slice_static"(${isPermuted ? "%1" : "%0"}) <{begins = ${
      bounds(from, 0)
    }, ends = ${ends}, step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (${sliced}) -> ${result}`,
    `return %2 : ${result}`,
  ]);
}

keepsMeaning(
  "some heads are columns, of a view that is permuted or not",
  [raiseSlices],
  fc.record({
    from: fc.nat(5),
    count: fc.integer({ min: 1, max: 6 }),
    isPermuted: fc.boolean(),
    isGrouped: fc.boolean(),
  })
    .filter(({ from, count }) => from + count <= 6 && count < 6)
    .map(({ from, count, isPermuted, isGrouped }) => ({
      text: someHeads(from, from + count, isPermuted, isGrouped),
      ops: [],
    })),
);

Deno.test("some heads are cut out as columns, as jnp.split cuts them behind a reshape", () => {
  for (const isPermuted of [true, false]) {
    const lines = passedBody(someHeads(2, 4, isPermuted), raiseSlices);
    assertEquals(lines.flatMap((line) => /slice_static.*-> (.*)/.exec(line)?.[1] ?? []), [
      "tensor<2x3x8xbf16>",
    ]);
  }
});

Deno.test("heads of rows that the view groups are cut out as columns of the ungrouped rows", () => {
  const lines = passedBody(someHeads(2, 4, true, true), raiseSlices);
  assertEquals(lines.flatMap((line) => /slice_static.*-> (.*)/.exec(line)?.[1] ?? []), ["tensor<6x8xbf16>"]);
});

Deno.test("a part of a concat is sliced where it comes from, unless it reaches into the next", () => {
  const sliced = (from: number, to: number): readonly string[] =>
    passedBody(
      ttnnModule(`(%x: T<2x4>, %y: T<3x4>) -> T<${to - from}x4>`, [
        '%0 = "ttnn.concat"(%x, %y) <{dim = 0 : si32}> : (T<2x4>, T<3x4>) -> T<5x4>',
        `%1 = "ttnn.slice_static"(%0) <{begins = [${from} : i32, 0 : i32], ends = [${to} : i32, 4 : i32], step = [1 : i32, 1 : i32]}> : (T<5x4>) -> T<${
          to - from
        }x4>`,
        `return %1 : T<${to - from}x4>`,
      ]),
      slicePartOfConcat,
    ).flatMap((line) => /"ttnn\.(\w+)"\((\S+?)[,)]/.exec(line)?.slice(1).join(" ") ?? []);
  assertEquals(sliced(2, 5), []);
  assertEquals(sliced(3, 5), ["slice_static %y"]);
  assertEquals(sliced(1, 3).length, 2);
});
