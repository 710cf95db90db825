// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import type { PassTools } from "../../run_passes.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { reduceAcrossCores } from "./reduce_across_cores.ts";

/** A reduction takes a µs for every column of a row of tiles, as one core does alone, one along columns nothing. */
const priced = (ofViews: (name: string) => number) => ({
  microseconds: ({ name, operands: [input], results: [reduced] }: ProposedOp): number =>
    input?.kind !== "tensor" || reduced?.kind !== "tensor" || /permute|reshape/.test(name)
      ? ofViews(name)
      : reduced.shape.at(-1) === input.shape.at(-1)
      ? 0
      : input.shape.at(-1) ?? 1,
});
const FREE_VIEWS = priced(() => 0);
const SLOW_PERMUTES = priced((name) => name === "ttnn.permute" ? 1e6 : 0);

function reduction(name: string, shape: readonly number[], dim: number, keeps = true): string {
  const reduced = keeps ? shape.with(dim, 1) : shape.toSpliced(dim, 1);
  const [input, result] = [`T<${shape.join("x")}, f32>`, `T<${reduced.join("x")}, f32>`];
  return ttnnModule(`(%x: ${input}) -> ${result}`, [
    `%0 = "ttnn.${name}"(%x) <{dim_arg = [${dim} : i32], keep_dim = ${keeps}}> : (${input}) -> ${result}`,
    `return %0 : ${result}`,
  ]);
}

const reductions = (text: string, tools = FREE_VIEWS): readonly string[] =>
  passedBody(text, reduceAcrossCores, undefined, tools).flatMap((line) =>
    /"ttnn\.(?:sum|max|mean)".*dim_arg = \[(\d).*: \(tensor<([\dx]+)x/.exec(line)?.slice(1).join(" of ") ?? []
  );

Deno.test("logits over a vocabulary are reduced along the columns of their transpose", () => {
  assertEquals(reductions(reduction("max", [32, 8192], 1)), ["0 of 8192x32"]);
  assertEquals(reductions(reduction("sum", [2, 4, 8192], 2, false)), ["0 of 8192x8"]);
});

Deno.test("parts of logits become rows where transposing takes longer", () => {
  assertEquals(reductions(reduction("mean", [1, 8192], 1), SLOW_PERMUTES), ["1 of 64x128", "1 of 1x64"]);
});

Deno.test("maxima of dimensions before the last two are taken pairwise, sums stay", () => {
  const maxima = (name: string, tools: PassTools) =>
    passedBody(reduction(name, [5, 2, 32, 32], 0), reduceAcrossCores, undefined, tools)
      .filter((line) => line.includes("ttnn.maximum")).length;
  const outer = {
    microseconds: ({ name }: ProposedOp) => name === "ttnn.max" || name === "ttnn.sum" ? 100 : 1,
  };
  assertEquals([maxima("max", outer), maxima("sum", outer), maxima("max", FREE_VIEWS)], [3, 0, 0]);
});

Deno.test("narrow rows, many rows, other dimensions, and rows that are as fast stay", () => {
  assertEquals(reductions(reduction("sum", [32, 2048], 1)), ["1 of 32x2048"]);
  assertEquals(reductions(reduction("sum", [2048, 8192], 1)), ["1 of 2048x8192"]);
  assertEquals(reductions(reduction("sum", [8192, 32], 0)), ["0 of 8192x32"]);
  assertEquals(reductions(reduction("sum", [32, 8192], 1), priced(() => 8000)), ["1 of 32x8192"]);
});

keepsMeaning(
  "reductions of few wide rows",
  [reduceAcrossCores],
  fc.record({
    name: fc.constantFrom("sum", "max", "mean", "min"),
    shape: fc.constantFrom([2, 4096], [1, 2, 4100]),
    keeps: fc.boolean(),
  }).map(({ name, shape, keeps }) => ({
    text: reduction(name, shape, shape.length - 1, keeps),
    ops: ["permute"],
  })),
  8,
  FREE_VIEWS,
);

keepsMeaning(
  "maxima taken pairwise",
  [reduceAcrossCores],
  fc.record({
    name: fc.constantFrom("max", "min"),
    extent: fc.integer({ min: 2, max: 9 }),
    dim: fc.integer({ min: 0, max: 1 }),
    keeps: fc.boolean(),
  }).map(({ name, extent, dim, keeps }) => ({
    text: reduction(name, [2, 2, 3, 5].with(dim, extent), dim, keeps),
    ops: [`!${name}`],
  })),
  12,
  { microseconds: ({ name }) => name === "ttnn.max" || name === "ttnn.min" ? 100 : 1 },
);

keepsMeaning(
  "reductions of parts of wide rows",
  [reduceAcrossCores],
  fc.constantFrom("sum", "max", "mean", "min").map((name) => ({
    text: reduction(name, [3, 4096], 1),
    ops: ["!permute", "reshape"],
  })),
  4,
  SLOW_PERMUTES,
);
