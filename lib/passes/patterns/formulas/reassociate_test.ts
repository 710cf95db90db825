// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { convolutionModule, PARAMETER } from "../../testing/convolution_case.ts";
import { keepsMeaning, type PassCase } from "../../testing/keeps_meaning.ts";
import { bodyLines, passedBody, testedPass, ttnnModule } from "../../testing/passed_body.ts";
import { biasBeforeSum, factorPerRowFirst, joinSmallOperands } from "./reassociate.ts";
import { foldAdd } from "../convolutions/fold_into_convolution.ts";
import { fuseLinear } from "./fuse_linear.ts";

interface Gates {
  /** Whether the bias, and the product, stand first. */
  readonly swapped: readonly [boolean, boolean];
  /** What the product is added to: another product, or an input. */
  readonly other: "product" | "input";
  /** Extents of the bias. */
  readonly bias?: string;
  readonly isParameter?: boolean;
  /** Whether the sum without bias is returned too. */
  readonly returnsSum?: boolean;
}

function gates({ swapped, other, bias = "1x6", isParameter = true, returnsSum = false }: Gates): string {
  const [x, w, y, b] = ["T<3x4>", "T<4x6>", "T<3x6>", `T<${bias}>`];
  const product = (name: string, of: string): string =>
    `%${name} = "ttnn.matmul"(${of}, %w) <{transpose_a = false, transpose_b = false}> : (${x}, ${w}) -> ${y}`;
  const add = (name: string, left: string, right: string, isSwapped: boolean, type: string): string =>
    `%${name} = "ttnn.add"(${isSwapped ? `${right}, ${left}` : `${left}, ${right}`}) : (${
      isSwapped ? `${type}, ${y}` : `${y}, ${type}`
    }) -> ${y}`;
  const results = returnsSum ? `${y}, ${y}` : y;
  return ttnnModule(
    `(%a: ${x}, %c: ${x}, %o: ${y}, %w: ${w}, %b: ${b}${isParameter ? ` ${PARAMETER}` : ""}) -> (${results})`,
    [
      product("m", "%a"),
      ...other === "product" ? [product("n", "%c")] : [],
      add("s", "%m", other === "product" ? "%n" : "%o", swapped[1], y),
      add("r", "%s", "%b", swapped[0], b),
      `return %r${returnsSum ? ", %s" : ""} : ${results}`,
    ],
  );
}

keepsMeaning(
  "biases behind sums of products",
  [biasBeforeSum, fuseLinear],
  fc.record({
    swapped: fc.tuple(fc.boolean(), fc.boolean()),
    other: fc.constantFrom<Gates["other"]>("product", "input"),
  }).map((given): PassCase => ({ text: gates(given), ops: ["linear", "add"] })),
  12,
);

function names(given: Partial<Gates>): readonly string[] {
  const text = gates({ swapped: [false, false], other: "input", ...given });
  return passedBody(text, testedPass([biasBeforeSum, fuseLinear]))
    .flatMap((line) => /ttnn\.(\w+)/.exec(line)?.[1] ?? []);
}

Deno.test("an operand that is no constant row, and a sum with other readers, stay after the sum", () => {
  assertEquals(names({}), ["linear", "add"]);
  assertEquals(names({ isParameter: false }), ["matmul", "add", "add"]);
  assertEquals(names({ bias: "3x6" }), ["matmul", "add", "add"]);
  assertEquals(names({ returnsSum: true }), ["matmul", "add", "add"]);
});

Deno.test("a bias behind a residual goes into the convolution, if that has none", () => {
  const ops = (hasBias: boolean): number => {
    const text = convolutionModule(
      { channels: 2, filters: 4, size: 4, kernel: 3, hasBias, isChannelFirst: false },
      { k: "T<1x1x1x4>", o: "T<1x2x2x4>" },
      [
        '%0 = "ttnn.add"(%o, %y) : (T<1x2x2x4>, IMAGE) -> IMAGE',
        '%1 = "ttnn.add"(%0, %k) : (IMAGE, T<1x1x1x4>) -> IMAGE',
        "return %1 : IMAGE",
      ],
    );
    return passedBody(text, testedPass([biasBeforeSum, foldAdd])).filter((line) =>
      line.includes('"ttnn.add"')
    ).length;
  };
  assertEquals([ops(false), ops(true)], [1, 2]);
});

/** A tensor with two operands applied one after the other. */
function applied(
  name: string,
  shape: string,
  first: string,
  second: string,
  isLeft: boolean = false,
  outer: string = name,
): string {
  const [x, a, b] = [shape, first, second].map((extents) => `T<${extents}>`);
  const apply = (result: string, op: string, value: string, small: string, type: string | undefined) =>
    isLeft
      ? `${result} = "ttnn.${op}"(${small}, ${value}) : (${type}, ${x}) -> ${x}`
      : `${result} = "ttnn.${op}"(${value}, ${small}) : (${x}, ${type}) -> ${x}`;
  return ttnnModule(`(%x: ${x}, %a: ${a}, %b: ${b}) -> ${x}`, [
    apply("%0", name, "%x", "%a", a),
    apply("%1", outer, "%0", "%b", b),
    `return %1 : ${x}`,
  ]);
}

const side = fc.integer({ min: 4, max: 6 });

keepsMeaning(
  "small operands joined",
  [joinSmallOperands],
  fc.record({
    name: fc.constantFrom("add", "multiply"),
    rows: side,
    columns: side,
    batch: side,
    small: fc.constantFrom("row", "column", "one"),
    isLeft: fc.boolean(),
  }).map(({ name, batch, rows, columns, small, isLeft }) => {
    const second = { row: `1x1x${columns}`, column: `${batch}x1x1`, one: "1" }[small];
    return {
      text: applied(name, `${batch}x${rows}x${columns}`, `1x1x${columns}`, second, isLeft),
      ops: [name],
    };
  }),
);

function ops(text: string): readonly (string | undefined)[] {
  return passedBody(text, joinSmallOperands).slice(0, -1).map((line) => /\((%\w+, %\w+)\)/.exec(line)?.[1]);
}

Deno.test("a factor per image and channel and one per channel are one factor", () => {
  assertEquals(ops(applied("multiply", "2x64x64x320", "2x1x1x320", "1x1x1x320")), ["%a, %b", "%x, %pass_0"]);
});

Deno.test("large operands, large products of small ones, and other ops in between stay", () => {
  const apart = ["%x, %a", "%0, %b"];
  assertEquals(ops(applied("add", "64x320", "64x320", "1x320")), apart);
  assertEquals(ops(applied("add", "64x320", "64x1", "1x320")), apart);
  assertEquals(ops(applied("multiply", "64x320", "1x320", "1x320", false, "add")), apart);
});

Deno.test("factors are not joined across functions that a product applies to its result or an operand", () => {
  const functions = [
    "activations = [#ttnn.unary_with_param<op_type = sigmoid>]",
    "input_tensor_a_activations = [#ttnn.unary_with_param<op_type = exp>]",
  ];
  const joined = (first: string, second: string): number =>
    passedBody(
      ttnnModule("(%x: T<64x64>, %a: T<1x64>, %b: T<1x64>) -> (T<64x64>)", [
        `%0 = "ttnn.multiply"(%x, %a)${first} : (T<64x64>, T<1x64>) -> T<64x64>`,
        `%1 = "ttnn.multiply"(%0, %b)${second} : (T<64x64>, T<1x64>) -> T<64x64>`,
        "return %1 : T<64x64>",
      ]),
      joinSmallOperands,
    ).filter((line) => line.includes("-> tensor<1x64xbf16>")).length;
  assertEquals(joined("", ""), 1);
  for (const each of functions) {
    assertEquals([joined(` <{${each}}>`, ""), joined("", ` <{${each}}>`)], [0, 0], each);
  }
});

/** `x · (rows · columns)`; `%r` and `%c` have these extents. */
function factors(
  { swapped = [false, false], row = "3x1", column = "6", role = PARAMETER, isShared = false }: {
    readonly swapped?: readonly [boolean, boolean];
    readonly row?: string;
    readonly column?: string;
    readonly role?: string;
    readonly isShared?: boolean;
  },
): string {
  const [x, r, c] = ["T<3x6>", `T<${row}>`, `T<${column}>`];
  const results = isShared ? `${x}, ${x}` : x;
  return ttnnModule(`(%x: ${x}, %r: ${r}, %c: ${c} ${role}) -> (${results})`, [
    swapped[0]
      ? `%f = "ttnn.multiply"(%c, %r) : (${c}, ${r}) -> ${x}`
      : `%f = "ttnn.multiply"(%r, %c) : (${r}, ${c}) -> ${x}`,
    `%y = "ttnn.multiply"(${swapped[1] ? "%f, %x" : "%x, %f"}) : (${x}, ${x}) -> ${x}`,
    `return %y${isShared ? ", %f" : ""} : ${results}`,
  ]);
}

keepsMeaning(
  "factors of rows come before those of columns",
  [factorPerRowFirst],
  fc.record({
    swapped: fc.tuple(fc.boolean(), fc.boolean()),
    column: fc.constantFrom("6", "1x6"),
  }).map((given): PassCase => ({ text: factors(given), ops: ["multiply"] })),
  12,
);

Deno.test("only a factor per row beside a constant one per column comes first", () => {
  const changes = (given: Parameters<typeof factors>[0]): number => {
    const text = factors(given);
    return passedBody(text, factorPerRowFirst).join() === bodyLines(text).join() ? 0 : 1;
  };
  assertEquals(changes({}), 1);
  assertEquals(changes({ row: "3x6" }), 0);
  assertEquals(changes({ column: "3x6" }), 0);
  assertEquals(changes({ role: "" }), 0);
  assertEquals(changes({ isShared: true }), 0);
});
