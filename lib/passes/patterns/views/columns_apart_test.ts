// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { columnsApart } from "./columns_apart.ts";

/** Ops whose result has few columns of matrices take long, everything else nothing. */
const TOOLS = {
  microseconds: ({ results: [type] }: ProposedOp): number =>
    type?.kind === "tensor" && type.shape.length > 2 && (type.shape.at(-1) ?? 0) <= 4 ? 1000 : 1,
};

type Extents = readonly number[];

interface Value {
  readonly name: string;
  readonly shape: Extents;
}

/** A step of a random program: what is done with which of the values so far. */
interface Step {
  readonly kind: number;
  readonly first: number;
  readonly second: number;
  readonly detail: number;
}

const type = (shape: Extents): string => `T<${shape.join("x")}, f32>`;
const list = (values: Extents): string => `[${values.map((value) => `${value} : i32`).join(", ")}]`;
const reshaped = (to: Extents): string => `<{shape = ${list(to)}}>`;

/** The shape that two broadcast to; `undefined` if they do not. */
function broadcast(a: Extents, b: Extents): Extents | undefined {
  if (a.length !== b.length) return undefined;
  const shape = a.map((extent, dim) => Math.max(extent, b[dim] ?? 1));
  return [a, b].every((each) => each.every((extent, dim) => extent === 1 || extent === shape[dim]))
    ? shape
    : undefined;
}

/** A program over points `[a, columns]` and `[b, columns]` and flat rows `[a, b · columns]`. */
function program(a: number, b: number, columns: number, steps: readonly Step[]): string {
  const values: Value[] = [
    { name: "%p", shape: [a, 1, columns] },
    { name: "%q", shape: [1, b, columns] },
    { name: "%r", shape: [a, b, columns] },
  ];
  const lines = [
    `%p = "ttnn.reshape"(%x) ${reshaped([a, 1, columns])} : (${type([a, columns])}) -> ${
      type([a, 1, columns])
    }`,
    `%q = "ttnn.reshape"(%y) ${reshaped([1, b, columns])} : (${type([b, columns])}) -> ${
      type([1, b, columns])
    }`,
    `%r = "ttnn.reshape"(%z) ${reshaped([a, b, columns])} : (${type([a, b * columns])}) -> ${
      type([a, b, columns])
    }`,
  ];
  // The last column in twos, and so again: every few elements of the flat rows.
  for (let shape: Extents = [a, b, columns], from = "%r"; (shape[2] ?? 1) > 1 && (shape[1] ?? 1) % 2 === 0;) {
    const [, count = 1, width = 1] = shape;
    const [column, twos, name] = [shape.with(2, 1), [a, count / 2, 2], `%t${lines.length}`];
    lines.push(
      `${name}c = "ttnn.slice_static"(${from}) <{begins = ${list([0, 0, width - 1])}, ends = ${
        list(shape)
      }, step = ${list([1, 1, 1])}}> : (${type(shape)}) -> ${type(column)}`,
      `${name} = "ttnn.reshape"(${name}c) ${reshaped(twos)} : (${type(column)}) -> ${type(twos)}`,
    );
    values.push({ name, shape: twos });
    [shape, from] = [twos, name];
  }
  const push = (op: string, from: readonly Value[], shape: Extents, properties = ""): void => {
    const name = `%v${lines.length}`;
    const types = from.map((each) => type(each.shape)).join(", ");
    lines.push(
      `${name} = "ttnn.${op}"(${from.map((each) => each.name).join(", ")}) ${properties} : (${types}) -> ${
        type(shape)
      }`,
    );
    values.push({ name, shape });
  };
  for (const { kind, first, second, detail } of steps) {
    const one = values[first % values.length];
    const two = values[second % values.length];
    if (one === undefined || two === undefined) continue;
    const { shape } = one;
    const last = shape.length - 1;
    const width = shape[last] ?? 1;
    const pick = <T>(...choices: readonly T[]): T | undefined => choices[detail % choices.length];
    const op = pick("add", "multiply", "maximum", "subtract") ?? "add";
    const both = broadcast(shape, two.shape);
    switch (kind) {
      case 0:
      case 1:
      case 2:
        if (both !== undefined) push(op, [one, two], both);
        break;
      case 3:
        push(pick("abs", "neg") ?? "abs", [one], shape);
        break;
      case 4: {
        const from = detail % width;
        const begins = shape.map(() => 0).with(last, from);
        push(
          "slice_static",
          [one],
          shape.with(last, 1),
          `<{begins = ${list(begins)}, ends = ${list(shape.with(last, from + 1))}, step = ${
            list(shape.map(() => 1))
          }}>`,
        );
        break;
      }
      case 5:
        if (both !== undefined && two.shape.slice(0, -1).join() === shape.slice(0, -1).join()) {
          push(
            "concat",
            [one, two],
            shape.with(last, width + (two.shape[last] ?? 1)),
            `<{dim = ${last} : si32}>`,
          );
        }
        break;
      case 6: {
        const dim = detail % shape.length;
        const keeps = second % 2 === 0 || shape.length < 3;
        push(
          ["sum", "max", "min"][(first + second) % 3] ?? "sum",
          [one],
          keeps ? shape.with(dim, 1) : shape.toSpliced(dim, 1),
          `<{dim_arg = [${dim} : i32], keep_dim = ${keeps}}>`,
        );
        break;
      }
      case 7:
        if (shape.length === 3) {
          const order = [1, 0, 2];
          push(
            "permute",
            [one],
            order.map((dim) => shape[dim] ?? 1),
            `<{permutation = array<i64: ${order.join(", ")}>}>`,
          );
        }
        break;
      default:
        if (shape.length === 3) {
          const rows = [shape[0] ?? 1, (shape[1] ?? 1) * width];
          push("reshape", [one], rows, reshaped(rows));
        }
    }
  }
  // Others read what views make of the last values.
  for (const value of values.slice(-2)) {
    const [rows = 1, count = 1, width] = value.shape;
    if (width !== undefined) push("reshape", [value], [rows, count * width], reshaped([rows, count * width]));
  }
  const returned = values.slice(-2);
  const types = returned.map((value) => type(value.shape)).join(", ");
  return ttnnModule(
    `(%x: ${type([a, columns])}, %y: ${type([b, columns])}, %z: ${type([a, b * columns])}) -> (${types})`,
    [...lines, `return ${returned.map(({ name }) => name).join(", ")} : ${types}`],
  );
}

const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.nat(8),
  first: fc.nat(20),
  second: fc.nat(20),
  detail: fc.nat(11),
});

const PROGRAM = fc.tuple(
  fc.integer({ min: 1, max: 5 }),
  fc.constantFrom(1, 2, 3, 16, 32),
  fc.integer({ min: 1, max: 4 }),
  fc.array(STEP, { minLength: 3, maxLength: 12 }),
).map(([a, b, columns, steps]) => program(a, b, columns, steps));

keepsMeaning(
  "tensors of few columns, one column after another",
  [columnsApart],
  PROGRAM.map((text) => ({ text, ops: [] })),
  400,
  TOOLS,
);

keepsMeaning(
  "reductions over few columns are ops of two",
  [columnsApart],
  fc.tuple(fc.constantFrom("sum", "max", "min"), fc.integer({ min: 2, max: 4 }), fc.boolean()).map(
    ([name, columns, keeps]) => {
      const [given, result] = [[3, 5, columns], keeps ? [3, 5, 1] : [3, 5]];
      return {
        text: ttnnModule(`(%a: ${type(given)}, %b: ${type([3, 1, columns])}) -> ${type([3, 5])}`, [
          `%m0 = "ttnn.multiply"(%a, %b) : (${type(given)}, ${type([3, 1, columns])}) -> ${type(given)}`,
          // Enough ops for columns to pay off.
          ...Array.from(
            { length: 20 },
            (_, at) => `%m${at + 1} = "ttnn.neg"(%m${at}) : (${type(given)}) -> ${type(given)}`,
          ),
          `%s = "ttnn.${name}"(%m20) <{dim_arg = [2 : i32], keep_dim = ${keeps}}> : (${type(given)}) -> ${
            type(result)
          }`,
          `%r = "ttnn.reshape"(%s) ${reshaped([3, 5])} : (${type(result)}) -> ${type([3, 5])}`,
          `return %r : ${type([3, 5])}`,
        ]),
        ops: [`!${name}`],
      };
    },
  ),
  20,
  TOOLS,
);

Deno.test("enough of the random programs are rewritten", () => {
  const texts = fc.sample(PROGRAM, { numRuns: 200, seed: 20261130 });
  const changed = texts.filter((text) => {
    const before = passedBody(text, columnsApart, undefined, { microseconds: () => 1 });
    return passedBody(text, columnsApart, undefined, TOOLS).join() !== before.join();
  });
  assert(changed.length > 30, `${changed.length} of ${texts.length}`);
});

Deno.test("overlaps of all pairs of boxes are matrices", () => {
  const [boxes, others, pairs] = ["T<40x2, f32>", "T<30x2, f32>", "T<40x30x2, f32>"];
  const text = ttnnModule(`(%a: ${boxes}, %b: ${others}) -> T<40x30, f32>`, [
    `%p = "ttnn.reshape"(%a) ${reshaped([40, 1, 2])} : (${boxes}) -> T<40x1x2, f32>`,
    `%q = "ttnn.reshape"(%b) ${reshaped([1, 30, 2])} : (${others}) -> T<1x30x2, f32>`,
    `%m = "ttnn.minimum"(%p, %q) : (T<40x1x2, f32>, T<1x30x2, f32>) -> ${pairs}`,
    `%s = "ttnn.sum"(%m) <{dim_arg = [2 : i32], keep_dim = false}> : (${pairs}) -> T<40x30, f32>`,
    "return %s : T<40x30, f32>",
  ]);
  const ops = passedBody(text, columnsApart, undefined, TOOLS);
  assertEquals(ops.filter((line) => line.includes("40x30x2")), []);
  assertEquals(ops.filter((line) => line.includes("ttnn.minimum")).length, 2);
  assertEquals(ops.filter((line) => line.includes("ttnn.add")).length, 1);
});

Deno.test("sums of more than two columns in bf16 stay one op, which adds up in f32", () => {
  const text = ttnnModule("(%a: T<40x30x3>) -> T<40x30>", [
    '%m = "ttnn.multiply"(%a, %a) : (T<40x30x3>, T<40x30x3>) -> T<40x30x3>',
    '%s = "ttnn.sum"(%m) <{dim_arg = [2 : i32], keep_dim = false}> : (T<40x30x3>) -> T<40x30>',
    "return %s : T<40x30>",
  ]);
  assert(passedBody(text, columnsApart, undefined, TOOLS).some((line) => line.includes("ttnn.sum")));
});
