// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { padHeadsAtLoad } from "./pad_heads_at_load.ts";

interface Projected {
  readonly batch: number;
  readonly rows: number;
  readonly heads: number;
  readonly size: number;
  readonly hasBias: boolean;
  readonly isTransposed: boolean;
  /** Whether the products have batches and positions in one dimension. */
  readonly isFlat: boolean;
  /** Whether one product makes all three, which are cut out of it. */
  readonly isPacked: boolean;
  /** Whether another product reads the merged heads. */
  readonly isRead: boolean;
  readonly role: "parameter" | "input";
}

const list = (extents: readonly number[]): string => extents.map((extent) => `${extent} : i32`).join(", ");

/** Query, key and value made by three products, attention, and a product of the merged heads. */
function projected(given: Projected): string {
  const { batch, rows, heads, size, hasBias, isTransposed, isFlat, isPacked, isRead, role } = given;
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const width = heads * size;
  const leading = isFlat ? [batch * rows] : [batch, rows];
  const [x, y, z] = [[...leading, 3], [...leading, width], [...leading, 2]].map(type);
  const o = type(isTransposed ? [2, width] : [width, 2]);
  const [apart, head] = [type([batch, rows, heads, size]), type([batch, heads, rows, size])];
  const properties = `<{transpose_a = false, transpose_b = ${isTransposed}}>`;
  const constant = `{ttcore.argument_type = #ttcore.argument_type<${role}>}`;
  const whole = [...leading, 3 * width];
  const product = (name: string, part: string, columns: number): string => {
    const [w, b, y] = [isTransposed ? [columns, 3] : [3, columns], [columns], [...leading, columns]].map(
      type,
    );
    return hasBias
      ? `${name} = "ttnn.linear"(%x, %w${part}, %b${part}) ${properties} : (${x}, ${w}, ${b}) -> ${y}`
      : `${name} = "ttnn.matmul"(%x, %w${part}) ${properties} : (${x}, ${w}) -> ${y}`;
  };
  const slice = (part: number): string =>
    `%p${part} = "ttnn.slice_static"(%p) <{begins = [${list(whole.map(() => 0).with(-1, part * width))}], ` +
    `ends = [${list(whole.with(-1, (part + 1) * width))}], step = [${list(whole.map(() => 1))}]}> : ` +
    `(${type(whole)}) -> ${y}`;
  const parts = [0, 1, 2].flatMap((part) => [
    isPacked ? slice(part) : product(`%p${part}`, `${part}`, width),
    `%r${part} = "ttnn.reshape"(%p${part}) <{shape = [${
      list([batch, rows, heads, size])
    }]}> : (${y}) -> ${apart}`,
    `%h${part} = "ttnn.permute"(%r${part}) <{permutation = array<i64: 0, 2, 1, 3>}> : (${apart}) -> ${head}`,
  ]);
  const columns = isPacked ? 3 * width : width;
  const [w, b] = [isTransposed ? [columns, 3] : [3, columns], [columns]].map(type);
  const weights = (isPacked ? [""] : ["0", "1", "2"])
    .map((part) => `%w${part}: ${w} ${constant}, %b${part}: ${b} ${constant}`).join(", ");
  const result = isRead ? z : y;
  return ttnnModule(`(%x: ${x}, ${weights}, %o: ${o} ${constant}) -> ${result}`, [
    ...(isPacked ? [product("%p", "", columns)] : []),
    ...parts,
    '%a = "ttnn.scaled_dot_product_attention"(%h0, %h1, %h2) <{is_causal = false, operandSegmentSizes = ' +
    `array<i32: 1, 1, 1, 0, 0>, scale = 5.000000e-01 : f32}> : (${head}, ${head}, ${head}) -> ${head}`,
    `%m = "ttnn.permute"(%a) <{permutation = array<i64: 0, 2, 1, 3>}> : (${head}) -> ${apart}`,
    `%n = "ttnn.reshape"(%m) <{shape = [${list([...leading, width])}]}> : (${apart}) -> ${y}`,
    ...(isRead ? [`%z = "ttnn.matmul"(%n, %o) ${properties} : (${y}, ${o}) -> ${z}`] : []),
    `return ${isRead ? "%z" : "%n"} : ${result}`,
  ]);
}

const priced = (pad: number, reshape: number = 0) => ({
  microseconds: ({ name }: ProposedOp): number =>
    name === "ttnn.pad" ? pad : name === "ttnn.reshape" ? reshape : 1,
});

keepsMeaning(
  "heads padded by wider weights",
  [padHeadsAtLoad],
  fc.record({
    batch: fc.integer({ min: 1, max: 2 }),
    rows: fc.integer({ min: 2, max: 3 }),
    heads: fc.integer({ min: 2, max: 3 }),
    size: fc.constantFrom(3, 16, 40),
    hasBias: fc.boolean(),
    isTransposed: fc.boolean(),
    isFlat: fc.boolean(),
    isPacked: fc.boolean(),
    isRead: fc.boolean(),
  }).map((given) => ({
    text: projected({ ...given, role: "parameter" }),
    ops: ["pad", given.isRead && !given.isPacked ? "!slice_static" : "slice_static"],
  })),
  40,
  priced(1000),
);

const SIX: Projected = {
  batch: 2,
  rows: 32,
  heads: 6,
  size: 80,
  hasBias: true,
  isTransposed: false,
  isFlat: false,
  isPacked: false,
  isRead: true,
  role: "parameter",
};

const opsOf = (given: Partial<Projected>, ...prices: Parameters<typeof priced>): readonly string[] =>
  passedBody(projected({ ...SIX, ...given }), padHeadsAtLoad, undefined, priced(...prices))
    .flatMap((line) => /"ttnn\.(\w+)".*-> tensor<([\dx]+)xbf16>$/.exec(line)?.slice(1).join(" ") ?? []);

Deno.test("the products are made wider, and the merged heads are read with the zeros", () => {
  assertEquals(
    opsOf({}, 1).filter((op) => !/^(?:pad|reshape|permute)/.test(op)),
    [...Array(3).fill("linear 2x32x576"), "scaled_dot_product_attention 2x6x32x96", "matmul 2x32x2"],
  );
});

Deno.test("heads that are cut out of one product get products of their own", () => {
  assertEquals(
    opsOf({ isPacked: true }, 1).filter((op) => op.startsWith("linear") || op.startsWith("slice")),
    [
      ...["480", "480", "480"].flatMap((
        columns,
      ) => [`slice_static 3x${columns}`, `slice_static ${columns}`, "linear 2x32x576"]),
    ],
  );
});

Deno.test("weights that are no parameters, and pads that take less time than wider products, stay", () => {
  // The products of 1 µs each get a fifth more columns: four of them, 0.8 µs.
  for (const made of [opsOf({ role: "input" }, 1), opsOf({}, 0.26), opsOf({ size: 64 }, 1)]) {
    assertEquals(made.some((op) => op.startsWith("pad")), false);
  }
  assertEquals(opsOf({}, 0.27).filter((op) => op.startsWith("pad")).length, 7);
  // Heads of part of a tile also move when they are split, three times, and merged.
  assertEquals(opsOf({}, 0.1, 0.13).filter((op) => op.startsWith("pad")).length, 7);
});
