// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning, type PassCase } from "../../testing/keeps_meaning.ts";
import { passedBody, testedPass, ttnnModule } from "../../testing/passed_body.ts";
import { fuseFunction } from "./fuse_function.ts";

/** Ways to write a sigmoid, or a product with one, of `%x`. */
interface Spelling {
  /** What is divided; `exp` is the exponential in the divisor. */
  readonly dividend: "one" | "exp" | "x" | "y" | "none";
  readonly negation: "neg" | "factor" | "difference" | "none";
  readonly swapped: boolean;
  /** In place of the one beside the exponential. */
  readonly beside?: string;
  /** Of `%x`; the result has `2x3x4`. */
  readonly extents?: string;
}

function quotient({ dividend, negation, swapped, beside = "1.0", extents = "2x3x4" }: Spelling): string {
  const [x, t, c] = [`T<${extents}, f32>`, "T<2x3x4, f32>", "T<1x1x1, f32>"];
  const number = (name: string, value: string): string =>
    `%${name} = "ttnn.full"() <{fill_value = ${value} : f32, shape = #ttnn.shape<1x1x1>}> : () -> ${c}`;
  const powers = {
    neg: `%p = "ttnn.neg"(%x) : (${x}) -> ${x}`,
    factor: `%p = "ttnn.multiply"(${swapped ? "%minus, %x" : "%x, %minus"}) : (${
      swapped ? `${c}, ${x}` : `${x}, ${c}`
    }) -> ${x}`,
    difference: `%p = "ttnn.subtract"(%zero, %x) : (${c}, ${x}) -> ${x}`,
    none: "",
  };
  const power = powers[negation];
  const over = { one: "%one", exp: "%e", x: "%x", y: "%y", none: "" }[dividend];
  const overType = { one: c, exp: x, x, y: t, none: "" }[dividend];
  return ttnnModule(`(%x: ${x}, %y: ${t}) -> ${t}`, [
    number("one", "1.0"),
    number("minus", "-1.0"),
    number("zero", "0.0"),
    number("beside", beside),
    ...power === "" ? [] : [power],
    `%e = "ttnn.exp"(${power === "" ? "%x" : "%p"}) : (${x}) -> ${x}`,
    `%s = "ttnn.add"(${swapped ? "%e, %beside" : "%beside, %e"}) : (${
      swapped ? `${x}, ${c}` : `${c}, ${x}`
    }) -> ${x}`,
    dividend === "none"
      ? `%q = "ttnn.reciprocal"(%s) : (${x}) -> ${t}`
      : `%q = "ttnn.divide"(${over}, %s) : (${overType}, ${x}) -> ${t}`,
    `return %q : ${t}`,
  ]);
}

const spellings: fc.Arbitrary<Spelling> = fc.record({
  dividend: fc.constantFrom("one", "exp", "x", "y", "none"),
  negation: fc.constantFrom("neg", "factor", "difference", "none"),
  swapped: fc.boolean(),
});

keepsMeaning(
  "sigmoid",
  [fuseFunction],
  spellings.map((given): PassCase => ({
    text: quotient(given),
    ops: [
      given.dividend === "x" && given.negation !== "none" ? "silu" : "sigmoid",
      "!exp",
      "!divide",
      "!reciprocal",
    ],
  })),
);

function names(given: Partial<Spelling>): readonly string[] {
  const plain: Spelling = { dividend: "one", negation: "neg", swapped: false };
  const lines = passedBody(quotient({ ...plain, ...given }), testedPass([fuseFunction]));
  return lines.flatMap((line) => /ttnn\.(\w+)/.exec(line)?.[1] ?? []).filter((name) => name !== "full");
}

Deno.test("a sigmoid has the fewest ops that its spelling allows", () => {
  assertEquals(names({}), ["sigmoid"]);
  assertEquals(names({ dividend: "x" }), ["silu"]);
  assertEquals(names({ dividend: "y" }), ["sigmoid", "multiply"]);
  assertEquals(names({ negation: "none" }), ["neg", "sigmoid"]);
  assertEquals(names({ dividend: "exp", negation: "none" }), ["sigmoid"]);
});

Deno.test("a gate of fewer rows is multiplied as it is", () => {
  assertEquals(names({ dividend: "y", extents: "1x3x4" }), ["sigmoid", "multiply"]);
});

Deno.test("another number beside the exponential leaves the quotient", () => {
  assertEquals(names({ beside: "2.0" }), ["neg", "exp", "add", "divide"]);
});
