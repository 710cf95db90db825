// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { readAttributes } from "../../../ops/attributes/read_attributes.ts";
import { SLICE } from "../../../ops/attributes/movement.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { spellOutSteps } from "./slices_with_steps.ts";

/** Steps take long, everything else nothing. */
const TOOLS = {
  microseconds: ({ name, attributes }: ProposedOp): number =>
    name === "ttnn.slice_static" &&
      readAttributes({ name, attributes }, SLICE).step?.some((step) => step > 1) === true
      ? 1000
      : 1,
};

interface Axis {
  readonly extent: number;
  readonly begin: number;
  readonly end: number;
  readonly step: number;
}

function sliced(axes: readonly Axis[]): string {
  const list = (values: readonly number[]): string =>
    `[${values.map((value) => `${value} : i32`).join(", ")}]`;
  const from = `T<${axes.map(({ extent }) => extent).join("x")}>`;
  const to = `T<${axes.map(({ begin, end, step }) => Math.ceil((end - begin) / step)).join("x")}>`;
  return ttnnModule(`(%x: ${from}) -> ${to}`, [
    `%0 = "ttnn.slice_static"(%x) <{begins = ${list(axes.map(({ begin }) => begin))}, ends = ${
      list(axes.map(({ end }) => end))
    }, step = ${list(axes.map(({ step }) => step))}}> : (${from}) -> ${to}`,
    `return %0 : ${to}`,
  ]);
}

const AXIS: fc.Arbitrary<Axis> = fc.record({
  extent: fc.integer({ min: 2, max: 9 }),
  from: fc.nat(8),
  length: fc.integer({ min: 1, max: 9 }),
  step: fc.integer({ min: 1, max: 3 }),
}).map(({ extent, from, length, step }) => {
  const begin = from % extent;
  return { extent, begin, end: Math.min(extent, begin + length), step };
});

keepsMeaning(
  "slices with steps along any dimensions",
  [spellOutSteps],
  fc.array(AXIS, { minLength: 1, maxLength: 4 }).map((axes) => ({ text: sliced(axes), ops: [] })),
  200,
  TOOLS,
);

const whole = (extent: number): Axis => ({ extent, begin: 0, end: extent, step: 1 });
const moves = (axes: readonly Axis[], tools = TOOLS): readonly string[] =>
  passedBody(sliced(axes), spellOutSteps, undefined, tools).flatMap((line) =>
    /"ttnn\.(slice_static|reshape|permute)".*step = \[.*: i32, 2 : i32/.test(line)
      ? "stepped"
      : /"ttnn\.(slice_static|reshape|permute)".*-> (\S+)/.exec(line)?.slice(1).join(" ") ?? []
  );

Deno.test("every second row is half of the columns of rows twice as wide, every second column a row of the transpose", () => {
  assertEquals(moves([whole(2), { extent: 64, begin: 1, end: 64, step: 2 }, whole(96)]), [
    "reshape tensor<2x32x192xbf16>",
    "slice_static tensor<2x32x96xbf16>",
  ]);
  assertEquals(moves([whole(48), { extent: 64, begin: 0, end: 64, step: 2 }]), [
    "permute tensor<64x48xbf16>",
    "reshape tensor<32x96xbf16>",
    "slice_static tensor<32x48xbf16>",
    "permute tensor<48x32xbf16>",
  ]);
});

Deno.test("a step over one element is none; others stay where copying bytes takes no longer", () => {
  const one = [{ extent: 2, begin: 1, end: 2, step: 2 }, whole(64)];
  const many = [{ extent: 64, begin: 0, end: 63, step: 2 }, whole(64)];
  const same = { microseconds: () => 1 };
  assertEquals(moves(one, same), ["slice_static tensor<1x64xbf16>"]);
  assertEquals(moves(many, same), ["slice_static tensor<32x64xbf16>"]);
});
