// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { joinSlicesInRows } from "./join_slices_in_rows.ts";

/** Slices and concats of tiles take long, everything else nothing. */
const TOOLS = {
  microseconds: ({ name, results: [type] }: ProposedOp): number =>
    name !== "ttnn.to_layout" && type?.kind === "tensor" && type.layout.tile !== undefined ? 1000 : 1,
};

const type = (shape: readonly number[]): string => `T<${shape.join("x")}>`;

/** Slices `[from, to)` of a tensor along a dimension, and the tensor itself for `undefined`, joined along it. */
function joined(
  shape: readonly number[],
  dim: number,
  parts: readonly (readonly [from: number, to: number] | undefined)[],
): string {
  const list = (values: readonly number[]): string =>
    `[${values.map((value) => `${value} : i32`).join(", ")}]`;
  const shapes = parts.map((part) => part === undefined ? shape : shape.with(dim, part[1] - part[0]));
  const whole = shape.with(dim, shapes.reduce((sum, part) => sum + (part[dim] ?? 0), 0));
  return ttnnModule(`(%x: ${type(shape)}) -> ${type(whole)}`, [
    `%y = "ttnn.abs"(%x) : (${type(shape)}) -> ${type(shape)}`,
    ...parts.flatMap((part, index) =>
      part === undefined ? [] : [
        `%s${index} = "ttnn.slice_static"(%y) <{begins = ${
          list(shape.map(() => 0).with(dim, part[0]))
        }, ends = ${list(shape.with(dim, part[1]))}, step = ${list(shape.map(() => 1))}}> : (${
          type(shape)
        }) -> ${type(shapes[index] ?? shape)}`,
      ]
    ),
    `%c = "ttnn.concat"(${
      parts.map((part, index) => (part === undefined ? "%y" : `%s${index}`)).join(", ")
    }) <{dim = ${dim} : si32}> : (${shapes.map(type).join(", ")}) -> ${type(whole)}`,
    `return %c : ${type(whole)}`,
  ]);
}

const PART = fc.option(
  fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 })).map(([from, length]): readonly [number, number] => [
    from,
    from + length,
  ]),
  { nil: undefined, freq: 3 },
);

keepsMeaning(
  "slices joined along any dimension",
  [joinSlicesInRows],
  fc.tuple(
    fc.array(fc.constant(6), { minLength: 2, maxLength: 3 }),
    fc.nat(),
    fc.array(PART, { minLength: 2, maxLength: 4 }),
  )
    .map(([shape, dim, parts]) => ({ text: joined(shape, dim % shape.length, parts), ops: [] })),
  60,
  TOOLS,
);

Deno.test("what is rolled is untilized once, and tilized once", () => {
  const ops = passedBody(joined([64, 64], 0, [[63, 64], [0, 63]]), joinSlicesInRows, undefined, TOOLS);
  assertEquals(ops.map((line) => /"(\S+)"/.exec(line)?.[1] ?? "return"), [
    "ttnn.abs",
    "ttnn.to_layout",
    "ttnn.slice_static",
    "ttnn.slice_static",
    "ttnn.concat",
    "ttnn.to_layout",
    "return",
  ]);
});
