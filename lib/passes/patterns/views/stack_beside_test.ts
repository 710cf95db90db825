// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { stackBeside } from "./stack_beside.ts";

/** A reshape or concat of tensors of three dimensions takes long, everything else nothing. */
const TOOLS = {
  microseconds: ({ operands: [input] }: ProposedOp): number =>
    input?.kind === "tensor" && input.shape.length > 2 ? 1000 : 1,
};

/** A stack of equal tensors along a dimension; `taken` are the parts that are no reshapes. */
function stack(shape: readonly number[], dim: number, count: number, taken: number): string {
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const [part, whole] = [shape.toSpliced(dim, 0, 1), shape.toSpliced(dim, 0, count)];
  const indices = Array.from({ length: count }, (_, index) => index);
  const lines = indices.flatMap((index) =>
    index < taken ? [] : [
      `%r${index} = "ttnn.reshape"(%x${index}) <{shape = [${
        part.map((extent) => `${extent} : i32`).join(", ")
      }]}> : (${type(shape)}) -> ${type(part)}`,
    ]
  );
  const given = indices.map((index) => `%x${index}: ${type(index < taken ? part : shape)}`);
  return ttnnModule(`(${given.join(", ")}) -> ${type(whole)}`, [
    ...lines,
    `%c = "ttnn.concat"(${
      indices.map((index) => (index < taken ? `%x${index}` : `%r${index}`)).join(", ")
    }) <{dim = ${dim} : si32}> : (${indices.map(() => type(part)).join(", ")}) -> ${type(whole)}`,
    `return %c : ${type(whole)}`,
  ]);
}

const EXTENT = fc.integer({ min: 2, max: 4 });

keepsMeaning(
  "stacks along a new dimension in front of the last",
  [stackBeside],
  fc.tuple(
    fc.array(EXTENT, { minLength: 2, maxLength: 4 }),
    fc.nat(),
    fc.integer({ min: 2, max: 4 }),
    fc.nat(1),
  ).map((
    [shape, place, count, taken],
  ) => ({ text: stack(shape, 1 + place % (shape.length - 1), count, taken), ops: ["concat"] })),
  60,
  TOOLS,
);

Deno.test("rows are stacked side by side, and split behind", () => {
  const ops = passedBody(stack([40, 64], 1, 3, 0), stackBeside, undefined, TOOLS);
  assert(ops.some((line) => line.includes("ttnn.concat") && line.includes("tensor<40x192x")));
  const first = passedBody(stack([40, 64], 0, 3, 0), stackBeside, undefined, TOOLS);
  assert(first.some((line) => line.includes("ttnn.concat") && line.includes("tensor<3x40x64x")));
});
