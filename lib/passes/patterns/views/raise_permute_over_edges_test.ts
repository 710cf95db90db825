// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { raisePermuteOverEdges } from "./raise_permute_over_edges.ts";

/** Slices and joins along the last dimension take long, everything else nothing. */
const TOOLS = {
  microseconds: ({ name, operands: [input], results: [result] }: ProposedOp): number => {
    if (input?.kind !== "tensor" || result?.kind !== "tensor" || name === "ttnn.permute") return 1;
    return input.shape.at(-1) === result.shape.at(-1) ? 1 : 1000;
  },
};

/** A part of a pad: the image, or a slice of the padded dimension. */
type Part = "image" | { readonly from: number; readonly to: number; readonly step: number };

/** An image whose parts are joined along a dimension, permuted. */
function padded(
  shape: readonly number[],
  dim: number,
  parts: readonly Part[],
  order: readonly number[],
): string {
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const numbers = (values: readonly number[]): string => values.map((value) => `${value} : i32`).join(", ");
  const names = parts.map((part, index) => (part === "image" ? "%x" : `%s${index}`));
  const extents = parts.map((part) =>
    part === "image" ? shape[dim] ?? 1 : Math.ceil((part.to - part.from) / part.step)
  );
  const slices = parts.flatMap((part, index) =>
    part === "image" ? [] : [
      `%s${index} = "ttnn.slice_static"(%x) <{begins = [${
        numbers(shape.map((_, at) => (at === dim ? part.from : 0)))
      }], ends = [${numbers(shape.map((extent, at) => (at === dim ? part.to : extent)))}], step = [${
        numbers(shape.map((_, at) => (at === dim ? part.step : 1)))
      }]}> : (${type(shape)}) -> ${type(shape.with(dim, extents[index] ?? 1))}`,
    ]
  );
  const whole = shape.with(dim, extents.reduce((sum, extent) => sum + extent, 0));
  const result = order.map((from) => whole[from] ?? 1);
  return ttnnModule(`(%x: ${type(shape)}) -> ${type(result)}`, [
    ...slices,
    `%c = "ttnn.concat"(${names.join(", ")}) <{dim = ${dim} : si32}> : (${
      extents.map((extent) => type(shape.with(dim, extent))).join(", ")
    }) -> ${type(whole)}`,
    `%p = "ttnn.permute"(%c) <{permutation = array<i64: ${order.join(", ")}>}> : (${type(whole)}) -> ${
      type(result)
    }`,
    `return %p : ${type(result)}`,
  ]);
}

const CASES = fc.record({
  shape: fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 4, maxLength: 4 }),
  order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4, maxLength: 4 }),
}).filter(({ order }) => order[3] !== 3).chain(({ shape, order }) =>
  fc.record({
    parts: fc.array(
      fc.oneof(
        fc.constant<Part>("image"),
        fc.tuple(fc.nat((shape[3] ?? 1) - 1), fc.nat(4), fc.integer({ min: 1, max: 2 })).map((
          [from, length, step],
        ): Part => ({ from, to: Math.min(shape[3] ?? 1, from + 1 + length), step })),
      ),
      { minLength: 2, maxLength: 4 },
    ).filter((parts) => parts.some((part) => part !== "image")),
  }).map(({ parts }) => ({ text: padded(shape, 3, parts, order), ops: ["concat", "permute"] }))
);

keepsMeaning("permutes of joined slices of one tensor", [raisePermuteOverEdges], CASES, 60, TOOLS);

Deno.test("a permute in front of a convolution moves above the pads of columns and of rows", () => {
  const text = padded([1, 256, 64, 64], 3, [{ from: 1, to: 2, step: 1 }, "image", {
    from: 62,
    to: 63,
    step: 1,
  }], [
    0,
    2,
    3,
    1,
  ]);
  const ops = passedBody(text, raisePermuteOverEdges, undefined, TOOLS);
  assert(ops.some((line) => line.includes("ttnn.permute") && line.includes("tensor<1x256x64x64x")));
  assert(ops.some((line) => line.includes("ttnn.concat") && line.includes("tensor<1x64x66x256x")));
});
