// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { raiseSlices } from "./raise_slices.ts";

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
