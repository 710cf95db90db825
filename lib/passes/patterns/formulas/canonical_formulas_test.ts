// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { APPLIED_FUNCTIONS } from "../../../ops/attributes/elementwise.ts";
import { patternPass } from "../../rewrite_pattern.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import {
  foldKnownSelection,
  foldNeutralConstant,
  foldNeutralRelu,
  foldNumbers,
  foldReductionOfOnes,
  foldSelectionOfOne,
  mirrorLess,
  spellOutReciprocals,
} from "./canonical_formulas.ts";
import { fuseSoftmax } from "./softmax.ts";

const WHOLE = "T<3x7>";
const ROW = "T<3x1>";

function full(name: string, value: string, shape: string): string {
  return `${name} = "ttnn.full"() <{fill_value = ${value} : f32, shape = #ttnn.shape<${shape}>}> : () -> T<${shape}>`;
}

function body(lines: readonly string[], result: string, type: string = WHOLE): string {
  return ttnnModule(`(%x: ${WHOLE}, %y: ${WHOLE}) -> ${type}`, [...lines, `return ${result} : ${type}`]);
}

function opsOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => /ttnn\.(\w+)/.exec(line)?.[1] ?? []);
}

function withConstant(name: string, value: string, constantFirst: boolean): string {
  return body([
    full("%c", value, "1x1"),
    `%0 = "ttnn.relu"(%x) : (${WHOLE}) -> ${WHOLE}`,
    constantFirst
      ? `%1 = "ttnn.${name}"(%c, %0) : (T<1x1>, ${WHOLE}) -> ${WHOLE}`
      : `%1 = "ttnn.${name}"(%0, %c) : (${WHOLE}, T<1x1>) -> ${WHOLE}`,
  ], "%1");
}

keepsMeaning(
  "constants that change nothing",
  [foldNeutralConstant],
  fc.tuple(
    fc.constantFrom(["maximum", "0xFF800000"], ["minimum", "0x7F800000"], ["multiply", "1.0"], [
      "add",
      "0.0",
    ]),
    fc.boolean(),
  ).map(([[name = "", value = ""], first]) => ({
    text: withConstant(name, value, first),
    ops: ["relu", `!${name}`],
  })),
);

/** `relu` of what `lines` make as `%s`, one number per row. */
function rectified(...lines: readonly string[]): string {
  return body([...lines, `%r = "ttnn.relu"(%s) : (${ROW}) -> ${ROW}`], "%r", ROW);
}

const square = `%q = "ttnn.multiply"(%x, %x) : (${WHOLE}, ${WHOLE}) -> ${WHOLE}`;
const power = `%q = "ttnn.pow_scalar"(%x) <{rhs = 2.0 : f32}> : (${WHOLE}) -> ${WHOLE}`;
const product = `%q = "ttnn.multiply"(%x, %y) : (${WHOLE}, ${WHOLE}) -> ${WHOLE}`;
const rows = (name: string) =>
  `%s = "ttnn.${name}"(%q) <{dim_arg = [1 : i32], keep_dim = true}> : (${WHOLE}) -> ${ROW}`;

keepsMeaning(
  "squares are not rectified",
  [foldNeutralRelu],
  fc.tuple(fc.constantFrom(square, power), fc.constantFrom("sum", "mean", "max"))
    .map(([made, name]) => ({ text: rectified(made, rows(name)), ops: ["!relu"] })),
  12,
);

Deno.test("sums of products of two tensors, and differences of squares, stay rectified", () => {
  const isKept = (...lines: readonly string[]) =>
    opsOf(passedBody(rectified(...lines), foldNeutralRelu)).includes("relu");
  assertEquals(isKept(square, rows("mean")), false);
  assertEquals(isKept(product, rows("mean")), true);
  assertEquals(
    isKept(square, rows("mean").replace("%s", "%m"), `%s = "ttnn.neg"(%m) : (${ROW}) -> ${ROW}`),
    true,
  );
});

Deno.test("a constant with an effect stays, and so does a division of one", () => {
  const passed = (name: string, value: string, first: boolean) =>
    opsOf(passedBody(withConstant(name, value, first), foldNeutralConstant)).includes(name);
  assertEquals(passed("maximum", "0x7F800000", false), true);
  assertEquals(passed("multiply", "1.5", true), true);
  assertEquals([passed("divide", "1.0", true), passed("divide", "1.0", false)], [true, false]);
});

Deno.test("an op of a neutral constant stays if it applies further functions, however they are spelled", () => {
  const text = withConstant("add", "0.0", false);
  for (const spelled of Object.keys(APPLIED_FUNCTIONS)) {
    for (const [open, close] of [["<{", "}>"], ["{", "}"]]) {
      const applying = text.replace(`(%0, %c)`, `$& ${open}${spelled} = "relu"${close}`);
      assertEquals(opsOf(passedBody(applying, foldNeutralConstant)).includes("add"), true, applying);
    }
  }
});

/** `x` over the root of something per row, or times its reciprocal. */
function overRoot(divides: boolean): string {
  return body([
    `%0 = "ttnn.multiply"(%x, %x) : (${WHOLE}, ${WHOLE}) -> ${WHOLE}`,
    `%1 = "ttnn.sum"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (${WHOLE}) -> ${ROW}`,
    `%2 = "ttnn.sqrt"(%1) : (${ROW}) -> ${ROW}`,
    ...divides ? [`%3 = "ttnn.divide"(%y, %2) : (${WHOLE}, ${ROW}) -> ${WHOLE}`] : [
      `%r = "ttnn.reciprocal"(%2) : (${ROW}) -> ${ROW}`,
      `%3 = "ttnn.multiply"(%r, %y) : (${ROW}, ${WHOLE}) -> ${WHOLE}`,
    ],
  ], "%3");
}

keepsMeaning(
  "reciprocals of roots",
  [spellOutReciprocals],
  fc.boolean().map((divides) => ({
    text: overRoot(divides),
    ops: ["rsqrt", "!sqrt", "!reciprocal", "!divide"],
  })),
  10,
);

/** Exponentials times the reciprocal of the sum of some. */
function shares(summed: "%0" | "%y"): string {
  return body([
    `%0 = "ttnn.exp"(%x) : (${WHOLE}) -> ${WHOLE}`,
    `%1 = "ttnn.sum"(${summed}) <{dim_arg = [1 : i32], keep_dim = true}> : (${WHOLE}) -> ${ROW}`,
    `%2 = "ttnn.reciprocal"(%1) : (${ROW}) -> ${ROW}`,
    `%3 = "ttnn.multiply"(%0, %2) : (${WHOLE}, ${ROW}) -> ${WHOLE}`,
  ], "%3");
}

keepsMeaning(
  "a softmax with a reciprocal",
  patternPass("softmax", undefined, [spellOutReciprocals, fuseSoftmax]),
  fc.constant({ text: shares("%0"), ops: ["softmax", "!exp", "!reciprocal"] }),
  10,
);

Deno.test("the reciprocal of another sum stays", () => {
  assertEquals(opsOf(passedBody(shares("%y"), spellOutReciprocals)), [
    "exp",
    "sum",
    "reciprocal",
    "multiply",
  ]);
});

/** A reduction of dimension `dim` of `1x3x7`. */
function reduced(name: string, dim: number, keepsDim: boolean): string {
  const shape = [1, 3, 7].flatMap((extent, at) => (at !== dim ? [extent] : keepsDim ? [1] : []));
  const [input, result] = ["T<1x3x7>", `T<${shape.join("x")}>`];
  return ttnnModule(`(%x: ${input}) -> ${result}`, [
    `%0 = "ttnn.${name}"(%x) <{dim_arg = [${dim} : i32], keep_dim = ${keepsDim}}> : (${input}) -> ${result}`,
    `return %0 : ${result}`,
  ]);
}

keepsMeaning(
  "reductions of ones",
  [foldReductionOfOnes],
  fc.tuple(fc.constantFrom("sum", "mean", "max", "min"), fc.boolean()).map(([name, keepsDim]) => ({
    text: reduced(name, 0, keepsDim),
    ops: [`!${name}`, keepsDim ? "!reshape" : "reshape"],
  })),
  8,
);

Deno.test("a reduction of more than one stays", () => {
  assertEquals(opsOf(passedBody(reduced("sum", 1, true), foldReductionOfOnes)), ["sum"]);
});

interface Selection {
  readonly test: "gt" | "subtract";
  readonly yes: string;
  readonly no: string;
  readonly widens: boolean;
}

function selection({ test, yes, no, widens }: Selection): string {
  const [whole, wide] = [WHOLE, "T<3x7, f32>"];
  const number = (name: string, value: string): string =>
    `${name} = "ttnn.full"() <{fill_value = ${value} : f32, shape = #ttnn.shape<1x1>}> : () -> T<1x1, f32>`;
  return body(
    [
      number("%a", yes),
      number("%b", no),
      `%0 = "ttnn.${test}"(%x, %y) : (${whole}, ${whole}) -> ${whole}`,
      ...widens ? [`%1 = "ttnn.typecast"(%0) : (${whole}) -> ${wide}`] : [],
      `%2 = "ttnn.where"(${widens ? "%1" : "%0"}, %a, %b) : (${
        widens ? wide : whole
      }, T<1x1, f32>, T<1x1, f32>) -> ${wide}`,
    ],
    "%2",
    wide,
  );
}

keepsMeaning(
  "conditions as numbers",
  [foldSelectionOfOne],
  fc.boolean().map((widens) => ({
    text: selection({ test: "gt", yes: "1.0", no: "0.0", widens }),
    ops: ["gt", "typecast", "!where"],
  })),
  6,
);

Deno.test("a selection of other numbers, or by a non-boolean, stays", () => {
  const plain: Selection = { test: "gt", yes: "1.0", no: "0.0", widens: false };
  const stays = (given: Partial<Selection>): boolean =>
    opsOf(passedBody(selection({ ...plain, ...given }), foldSelectionOfOne)).includes("where");
  assertEquals([stays({}), stays({ yes: "2.0" }), stays({ no: "-1.0" }), stays({ test: "subtract" })], [
    false,
    true,
    true,
    true,
  ]);
});

/** A sum divided by how many it is of, counted as `jnp.var` counts: where that is none, the second number. */
function counted(ddof: string): string {
  const one = "T<1x1>";
  const op = (name: string, left: string, right: string): string =>
    `"ttnn.${name}"(${left}, ${right}) : (${one}, ${one}) -> ${one}`;
  return body([
    full("%n", "7.0", "1x1"),
    full("%d", ddof, "1x1"),
    full("%z", "0.0", "1x1"),
    `%m = ${op("subtract", "%n", "%d")}`,
    `%p = ${op("gt", "%m", "%z")}`,
    `%0 = "ttnn.divide"(%x, %m) : (${WHOLE}, ${one}) -> ${WHOLE}`,
    `%1 = "ttnn.where"(%p, %0, %y) : (${one}, ${WHOLE}, ${WHOLE}) -> ${WHOLE}`,
  ], "%1");
}

keepsMeaning(
  "numbers computed of numbers",
  [foldNumbers, foldKnownSelection],
  fc.constantFrom("0.0", "1.0", "9.0").map((ddof) => ({
    text: counted(ddof),
    ops: ["!where", "!gt", "!subtract"],
  })),
  6,
);

Deno.test("values computed from tensors, and non-numbers, are not folded", () => {
  const text = body(
    [full("%z", "0.0", "1x1"), `%0 = "ttnn.reciprocal"(%z) : (T<1x1>) -> T<1x1>`],
    "%0",
    "T<1x1>",
  );
  assertEquals(opsOf(passedBody(text, foldNumbers)), ["full", "reciprocal"]);
  const selected = body([
    `%0 = "ttnn.gt"(%x, %y) : (${WHOLE}, ${WHOLE}) -> ${WHOLE}`,
    `%1 = "ttnn.where"(%0, %x, %y) : (${WHOLE}, ${WHOLE}, ${WHOLE}) -> ${WHOLE}`,
  ], "%1");
  assertEquals(opsOf(passedBody(selected, foldKnownSelection)), ["gt", "where"]);
});

/** A comparison of a tensor with a column. */
function comparison(op: string, width: number): string {
  return ttnnModule(`(%x: T<2x${width}>, %y: T<2x1>) -> T<2x${width}>`, [
    `%0 = "ttnn.${op}"(%x, %y) : (T<2x${width}>, T<2x1>) -> T<2x${width}>`,
    `return %0 : T<2x${width}>`,
  ]);
}

keepsMeaning(
  "comparisons the other way round",
  [mirrorLess],
  fc.record({ op: fc.constantFrom("le" as const, "lt" as const), width: fc.integer({ min: 1, max: 8 }) })
    .map(({ op, width }) => ({ text: comparison(op, width), ops: [{ le: "ge", lt: "gt" }[op], `!${op}`] })),
  12,
);

Deno.test("only comparisons for less change", () => {
  const names = ["eq", "ne", "ge", "gt", "le", "lt"].map((op) =>
    passedBody(comparison(op, 4), mirrorLess)[0]?.match(/ttnn\.(\w+)/)?.[1]
  );
  assertEquals(names, ["eq", "ne", "ge", "gt", "ge", "gt"]);
});
