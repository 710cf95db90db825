// SPDX-License-Identifier: Apache-2.0

/** Tests of the patterns that find `mish`, `relu6`, `leaky_relu` and `hardsigmoid` behind their formulas. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning, type PassCase } from "../../testing/keeps_meaning.ts";
import { passedBody, testedPass, ttnnModule } from "../../testing/passed_body.ts";
import { fuseFunction } from "./fuse_function.ts";

const NARROW = "T<2x3x4>";
const WIDE = "T<2x3x4, f32>";

const order = fc.boolean();
const pair = (swapped: boolean, a: string, b: string): string => swapped ? `${b}, ${a}` : `${a}, ${b}`;

/** A number for all places of a tensor. */
function number(name: string, value: number): string {
  return `%${name} = "ttnn.full"() <{fill_value = ${
    value.toExponential(17)
  } : f32, shape = #ttnn.shape<1x1x1>}> : () -> T<1x1x1, f32>`;
}

function names(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => /ttnn\.(\w+)/.exec(line)?.[1] ?? []).filter((name) => name !== "full");
}

interface Mish {
  readonly swapped: boolean;
  /** Whether the product is in f32. */
  readonly wide: boolean;
  /** From where on the softplus is its input; always computed without. */
  readonly threshold: number | undefined;
  /** What the gate is multiplied with. */
  readonly factor?: "%x" | "%y";
}

function mish({ swapped, wide, threshold, factor = "%x" }: Mish): string {
  const result = wide ? WIDE : NARROW;
  const unary = (to: string, name: string, from: string): string =>
    `${to} = "ttnn.${name}"(${from}) : (${NARROW}) -> ${NARROW}`;
  const cast = (to: string, from: string): string =>
    `${to} = "ttnn.typecast"(${from}) : (${NARROW}) -> ${WIDE}`;
  return ttnnModule(`(%x: ${NARROW}, %y: ${NARROW}) -> ${result}`, [
    unary("%e", "exp", "%x"),
    unary("%l", "log1p", "%e"),
    ...threshold === undefined ? [] : [
      number("c", threshold),
      `%g = "ttnn.gt"(%x, %c) : (${NARROW}, T<1x1x1, f32>) -> ${NARROW}`,
      `%s = "ttnn.where"(%g, %x, %l) : (${NARROW}, ${NARROW}, ${NARROW}) -> ${NARROW}`,
    ],
    unary("%t", "tanh", threshold === undefined ? "%l" : "%s"),
    ...wide ? [cast("%a", factor), cast("%b", "%t")] : [],
    `%0 = "ttnn.multiply"(${
      wide ? pair(swapped, "%a", "%b") : pair(swapped, factor, "%t")
    }) : (${result}, ${result}) -> ${result}`,
    `return %0 : ${result}`,
  ]);
}

keepsMeaning(
  "mish",
  [fuseFunction],
  fc.record({ swapped: order, wide: order, threshold: fc.constantFrom(undefined, 20) }).map((
    given,
  ): PassCase => ({
    text: mish(given),
    ops: ["mish", "!tanh", "!multiply", "!where"],
  })),
  12,
);

Deno.test("a gate of something else, and a softplus that bends too early, are no mish", () => {
  const passed = (given: Partial<Mish>): boolean =>
    names(passedBody(mish({ swapped: false, wide: false, threshold: 20, ...given }), fuseFunction)).includes(
      "mish",
    );
  assertEquals([passed({}), passed({ factor: "%y" }), passed({ threshold: 1 })], [true, false, false]);
});

interface Clipped {
  readonly swapped: boolean;
  /** Spelled as a clamp, not as a minimum of a `relu`. */
  readonly clamped: boolean;
  readonly high: number;
  /** Divided by this behind an addend of three. */
  readonly divisor?: number;
  /** Multiplied with its reciprocal. */
  readonly multiplied?: boolean;
}

function clipped({ swapped, clamped, high, divisor, multiplied = false }: Clipped): string {
  const t = WIDE;
  const input = divisor === undefined ? "%x" : "%i";
  const binary = (to: string, name: string, a: string, b: string): string =>
    name === "divide" || !swapped
      ? `${to} = "ttnn.${name}"(${a}, ${b}) : (${t}, T<1x1x1, f32>) -> ${t}`
      : `${to} = "ttnn.${name}"(${b}, ${a}) : (T<1x1x1, f32>, ${t}) -> ${t}`;
  return ttnnModule(`(%x: ${t}) -> ${t}`, [
    ...divisor === undefined ? [] : [
      number("three", 3),
      number("divisor", multiplied ? 1 / divisor : divisor),
      binary("%i", "add", "%x", "%three"),
    ],
    ...clamped
      ? [
        `%1 = "ttnn.clamp_scalar"(${input}) <{max = ${
          high.toFixed(1)
        } : f32, min = 0.0 : f32}> : (${t}) -> ${t}`,
      ]
      : [
        number("six", high),
        `%0 = "ttnn.relu"(${input}) : (${t}) -> ${t}`,
        binary("%1", "minimum", "%0", "%six"),
      ],
    ...divisor === undefined ? [] : [binary("%2", multiplied ? "multiply" : "divide", "%1", "%divisor")],
    `return ${divisor === undefined ? "%1" : "%2"} : ${t}`,
  ]);
}

keepsMeaning(
  "relu6",
  [fuseFunction],
  fc.record({ swapped: order, clamped: order }).map((given): PassCase => ({
    text: clipped({ ...given, high: 6 }),
    ops: ["relu6", "!minimum", "!clamp_scalar"],
  })),
  8,
);

keepsMeaning(
  "hardsigmoid",
  [fuseFunction],
  fc.record({ swapped: order, clamped: order }).map((given): PassCase => ({
    text: clipped({ ...given, high: 6, divisor: 6 }),
    ops: ["hardsigmoid", "!relu6", "!add", "!divide"],
  })),
  8,
);

Deno.test("a factor of a sixth, rounded, is a hardsigmoid too", () => {
  for (const swapped of [false, true]) {
    const text = clipped({ swapped, clamped: true, high: 6, divisor: 6, multiplied: true });
    assertEquals(names(passedBody(text, testedPass([fuseFunction]))), ["hardsigmoid"]);
  }
});

Deno.test("other bounds and other divisors stay", () => {
  const plain = { swapped: false, clamped: true };
  assertEquals(names(passedBody(clipped({ ...plain, high: 5 }), fuseFunction)), ["clamp_scalar"]);
  const passes = testedPass([fuseFunction]);
  const ops = names(passedBody(clipped({ ...plain, high: 6, divisor: 5 }), passes));
  assertEquals(ops, ["add", "relu6", "divide"]);
});

interface Leaky {
  readonly swapped: boolean;
  readonly compare: "ge" | "gt" | "le" | "lt";
  readonly slope?: number;
  readonly bound?: number;
  /** What is kept, and what is scaled. */
  readonly kept?: "%x" | "%y";
  readonly scaled?: "%x" | "%y";
}

/** Numbers on one side of a bound, and scaled ones on the other. */
function leaky({ swapped, compare, slope = 0.25, bound = 0, kept = "%x", scaled = "%x" }: Leaky): string {
  const one = "T<1x1x1, f32>";
  const isBelow = compare === "le" || compare === "lt";
  return ttnnModule(`(%x: ${WIDE}, %y: ${WIDE}) -> ${WIDE}`, [
    number("z", bound),
    number("s", slope),
    `%c = "ttnn.${compare}"(%x, %z) : (${WIDE}, ${one}) -> ${WIDE}`,
    `%m = "ttnn.multiply"(${pair(swapped, scaled, "%s")}) : (${pair(swapped, WIDE, one)}) -> ${WIDE}`,
    `%r = "ttnn.where"(%c, ${pair(isBelow, kept, "%m")}) : (${WIDE}, ${WIDE}, ${WIDE}) -> ${WIDE}`,
    `return %r : ${WIDE}`,
  ]);
}

keepsMeaning(
  "leaky relu",
  [fuseFunction],
  fc.record({
    swapped: order,
    compare: fc.constantFrom<Leaky["compare"]>("ge", "gt", "le", "lt"),
    slope: fc.constantFrom(0.25, 0.01, 2),
  }).map((given): PassCase => ({ text: leaky(given), ops: ["leaky_relu", "!where", "!multiply"] })),
  16,
);

Deno.test("selections at another bound, or of other tensors, are no leaky relu", () => {
  const isLeaky = (given: Partial<Leaky>) =>
    names(passedBody(leaky({ swapped: false, compare: "ge", ...given }), fuseFunction)).includes(
      "leaky_relu",
    );
  assertEquals(isLeaky({}), true);
  assertEquals(isLeaky({ bound: 1 }), false);
  assertEquals(isLeaky({ kept: "%y" }), false);
  assertEquals(isLeaky({ scaled: "%y" }), false);
});
