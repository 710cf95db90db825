// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseSplitHeads, splitSinglePositions } from "./prefill_heads.ts";

interface Split {
  readonly batch: number;
  readonly rows: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly size: number;
  /** Columns behind query, key and value. */
  readonly more: number;
  /** Single heads reshaped at once, as views that met leave them. */
  readonly isFolded: boolean;
  /** Rows given back to their batches before they are cut. */
  readonly isBatched: boolean;
}

function split({ batch, rows, heads, keyHeads, size, more, isFolded, isBatched }: Split): string {
  const counts = [heads, keyHeads, keyHeads];
  const width = (heads + 2 * keyHeads) * size + more;
  const flat = batch * rows;
  const product = `T<${flat}x${width}>`;
  const leading = isBatched ? [batch, rows] : [flat];
  const cutOf = (columns: number): string => `T<${[...leading, columns].join("x")}>`;
  const list = (last: number, others: readonly number[]): string =>
    [...others, last].map((extent) => `${extent} : i32`).join(", ");
  const slice = (name: string, from: number, to: number): string =>
    `${name} = "ttnn.slice_static"(${isBatched ? "%g" : "%0"}) <{begins = [${
      list(from, leading.map(() => 0))
    }], ` +
    `ends = [${list(to, leading)}], step = [${list(1, leading.map(() => 1))}]}> : (${cutOf(width)}) -> ${
      cutOf(to - from)
    }`;
  let from = 0;
  const lines = counts.flatMap((count, part) => {
    const to = from + count * size;
    const [cut, apart, head] = [
      cutOf(to - from),
      `T<${batch}x${rows}x${count}x${size}>`,
      `T<${batch}x${count}x${rows}x${size}>`,
    ];
    const sliced = slice(`%s${part}`, from, to);
    from = to;
    if (isFolded && count === 1) {
      return [
        sliced,
        `%h${part} = "ttnn.reshape"(%s${part}) <{shape = [${batch} : i32, 1 : i32, ${rows} : i32, ${size} : i32]}> : (${cut}) -> ${head}`,
      ];
    }
    return [
      sliced,
      `%r${part} = "ttnn.reshape"(%s${part}) <{shape = [${batch} : i32, ${rows} : i32, ${count} : i32, ${size} : i32]}> : (${cut}) -> ${apart}`,
      `%h${part} = "ttnn.permute"(%r${part}) <{permutation = array<i64: 0, 2, 1, 3>}> : (${apart}) -> ${head}`,
    ];
  });
  const types = counts.map((count) => `T<${batch}x${count}x${rows}x${size}>`);
  if (more > 0) {
    lines.push(slice("%rest", from, from + more));
    types.push(cutOf(more));
  }
  const names = ["%h0", "%h1", "%h2", ...(more > 0 ? ["%rest"] : [])].join(", ");
  return ttnnModule(`(%x: T<${flat}x2>, %w: T<2x${width}>) -> (${types.join(", ")})`, [
    `%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<${flat}x2>, T<2x${width}>) -> ${product}`,
    ...(isBatched
      ? [`%g = "ttnn.reshape"(%0) <{shape = [${list(width, leading)}]}> : (${product}) -> ${cutOf(width)}`]
      : []),
    ...lines,
    `return ${names} : ${types.join(", ")}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "split heads",
  [fuseSplitHeads],
  fc.record({
    batch: extent,
    rows: fc.integer({ min: 2, max: 3 }),
    keyHeads: fc.integer({ min: 1, max: 2 }),
    shared: fc.integer({ min: 1, max: 2 }),
    size: fc.constantFrom(32, 64),
    more: fc.integer({ min: 0, max: 2 }),
    isFolded: fc.boolean(),
    isBatched: fc.boolean(),
  }).map(({ keyHeads, shared, ...rest }) => ({
    text: split({ ...rest, keyHeads, heads: keyHeads * shared }),
    ops: ["split_query_key_value_and_split_heads", "!permute"],
  })),
);

const SPLIT: Split = {
  batch: 2,
  rows: 32,
  heads: 4,
  keyHeads: 2,
  size: 32,
  more: 0,
  isFolded: false,
  isBatched: false,
};

Deno.test("three heads in one op; their number only where it differs", () => {
  assertEquals(passedBody(split(SPLIT), fuseSplitHeads).slice(1, -1), [
    '%pass_0 = "ttnn.reshape"(%0) <{shape = [2 : i32, 32 : i32, 256 : i32]}> : (tensor<64x256xbf16>) -> tensor<2x32x256xbf16>',
    '%pass_1:3 = "ttnn.split_query_key_value_and_split_heads"(%pass_0) <{num_heads = 4 : ui32, num_kv_heads = 2 : ui32, ' +
    "transpose_key = false}> : (tensor<2x32x256xbf16>) -> (tensor<2x4x32x32xbf16>, tensor<2x2x32x32xbf16>, tensor<2x2x32x32xbf16>)",
  ]);
});

Deno.test("without the op model's leave heads stay spelled out", () => {
  const lines = passedBody(split(SPLIT), fuseSplitHeads, undefined, { isLegal: () => false });
  assertEquals(lines.some((line) => line.includes("split_query")), false);
});

Deno.test("heads of part of a tile stay spelled out", () => {
  const lines = passedBody(split({ ...SPLIT, size: 80 }), fuseSplitHeads);
  assertEquals(lines.some((line) => line.includes("split_query")), false);
});

/** Heads of a single position, reshaped from their columns; one of them in f32 on the way. */
function singlePositions(users: number, heads: readonly number[], wide: number): string {
  const width = 32 * heads.reduce((sum, count) => sum + count, 0);
  let from = 0;
  const lines = heads.flatMap((count, part) => {
    const [begin, end] = [from, from + 32 * count];
    from = end;
    const type = part === wide ? ", f32" : "";
    const cut = `T<${users}x${end - begin}`;
    return [
      `%s${part} = "ttnn.slice_static"(%0) <{begins = [0 : i32, ${begin} : i32], ends = [${users} : i32, ${end} : i32], ` +
      `step = [1 : i32, 1 : i32]}> : (T<${users}x${width}>) -> ${cut}>`,
      ...part === wide ? [`%c${part} = "ttnn.typecast"(%s${part}) : (${cut}>) -> ${cut}, f32>`] : [],
      `%h${part} = "ttnn.reshape"(%${
        part === wide ? "c" : "s"
      }${part}) <{shape = [${users} : i32, ${count} : i32, 1 : i32, 32 : i32]}> : ` +
      `(${cut}${type}>) -> T<${users}x${count}x1x32${type}>`,
    ];
  });
  const types = heads.map((count, part) => `T<${users}x${count}x1x32${part === wide ? ", f32" : ""}>`).join(
    ", ",
  );
  return ttnnModule(`(%x: T<${users}x2>, %w: T<2x${width}>) -> (${types})`, [
    `%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<${users}x2>, T<2x${width}>) -> T<${users}x${width}>`,
    ...lines,
    `return %h0, %h1, %h2 : ${types}`,
  ]);
}

keepsMeaning(
  "heads of a single position, as upstream splits them",
  [splitSinglePositions],
  fc.record({
    users: fc.integer({ min: 1, max: 3 }),
    heads: fc.constantFrom([1, 1, 1], [2, 1, 1], [4, 2, 2]),
    wide: fc.integer({ min: 0, max: 3 }),
  }).map(({ users, heads, wide }) => ({
    text: singlePositions(users, heads, wide),
    ops: ["split_query_key_value_and_split_heads", "!slice_static"],
  })),
  15,
);

Deno.test("heads of a single position stay a reshape, except for upstream's graph", () => {
  const lines = passedBody(singlePositions(4, [2, 1, 1], 3), fuseSplitHeads);
  assertEquals(lines.some((line) => line.includes("split_query_key_value")), false);
});
