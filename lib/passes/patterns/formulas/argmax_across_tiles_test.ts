// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { argmaxAcrossTiles } from "./argmax_across_tiles.ts";

/** Only an argmax along the last dimension takes time, a µs for every row. */
const TOOLS = {
  microseconds: ({ name, operands: [input], results: [places] }: ProposedOp): number =>
    name === "ttnn.argmax" && input?.kind === "tensor" && places?.kind === "tensor" && input.shape[0] !== 21
      ? places.shape.reduce((product, extent) => product * extent, 1)
      : 0,
};

/** An argmax of rows of 21 classes, along the last dimension or another one. */
function argmax(shape: readonly number[], { keeps = true, dim = shape.length - 1 } = {}): string {
  const kept = keeps ? shape.with(dim, 1) : shape.toSpliced(dim, 1);
  const [input, result] = [`R<${shape.join("x")}>`, `R<${kept.join("x")}, ui32>`];
  return ttnnModule(`(%x: ${input}) -> ${result}`, [
    `%0 = "ttnn.argmax"(%x) <{dim = ${dim} : si32, keep_dim = ${keeps}}> : (${input}) -> ${result}`,
    `return %0 : ${result}`,
  ]);
}

const searched = (text: string, tools = TOOLS): readonly string[] =>
  passedBody(text, argmaxAcrossTiles, undefined, tools).flatMap((line) =>
    /"ttnn\.argmax".*dim = (\d).*: \(tensor<([\dx]+)x/.exec(line)?.slice(1).join(" of ") ?? []
  );

Deno.test("classes of pixels are the first dimension of tiles of pixels", () => {
  assertEquals(searched(argmax([1, 16, 16, 21])), ["0 of 21x8x32"]);
  assertEquals(searched(argmax([64, 21], { keeps: false })), ["0 of 21x2x32"]);
});

Deno.test("rows that fill no tile, other dimensions, and rows that are as fast stay", () => {
  assertEquals(searched(argmax([40, 21])), ["1 of 40x21"]);
  assertEquals(searched(argmax([64, 32, 21], { dim: 1 })), ["1 of 64x32x21"]);
  assertEquals(searched(argmax([64, 21]), { microseconds: () => 1 }), ["1 of 64x21"]);
});

keepsMeaning(
  "the largest of rows across tiles, the first of equal ones",
  [argmaxAcrossTiles],
  fc.record({ shape: fc.constantFrom([64, 21], [1, 4, 8, 21], [2, 32, 21]), keeps: fc.boolean() }).map((
    { shape, keeps },
  ) => ({ text: argmax(shape, { keeps }), ops: ["permute"], limit: 2 })),
  12,
  TOOLS,
);
