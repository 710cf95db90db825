// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { patternPass } from "../../rewrite_pattern.ts";
import { PARAMETER } from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { bodyLines, passed, passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldInverseViews } from "./fold_inverse_views.ts";
import { sinkViews } from "./sink_views.ts";

const i32s = (values: readonly number[]): string => `[${values.map((value) => `${value} : i32`).join(", ")}]`;

interface Step {
  readonly op: "tanh" | "add" | "addRow" | "addNumber" | "rms" | "softmax" | "where" | "addConstant";
}

/** Two tensors in one view each, ops on them, and the view back. */
function between(
  shape: readonly number[],
  view: { readonly shape: readonly number[]; readonly permutation: readonly number[] | undefined },
  steps: readonly Step["op"][],
): string {
  const [outer, inner] = [`T<${shape.join("x")}>`, `T<${view.shape.join("x")}>`];
  const width = view.shape.at(-1) ?? 1;
  const permute = (name: string, input: string): string =>
    view.permutation === undefined
      ? `${name} = "ttnn.reshape"(${input}) <{shape = ${i32s(view.shape)}}> : (${outer}) -> ${inner}`
      : `${name} = "ttnn.permute"(${input}) <{permutation = array<i64: ${
        view.permutation.join(", ")
      }>}> : (${outer}) -> ${inner}`;
  const lines = [permute("%x0", "%x"), permute("%y0", "%y")];
  let current = "%x0";
  steps.forEach((step, index) => {
    const next = `%s${index}`;
    const line = {
      tanh: `"ttnn.tanh"(${current}) : (${inner}) -> ${inner}`,
      add: `"ttnn.add"(${current}, %y0) : (${inner}, ${inner}) -> ${inner}`,
      addConstant: `"ttnn.add"(%c, ${current}) : (${inner}, ${inner}) -> ${inner}`,
      addRow: `"ttnn.add"(%row, ${current}) : (T<${width}>, ${inner}) -> ${inner}`,
      addNumber: `"ttnn.multiply"(${current}, %one) : (${inner}, T<1x1>) -> ${inner}`,
      rms:
        `"ttnn.rms_norm"(${current}, %row) <{epsilon = 1.250000e-01 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (${inner}, T<${width}>) -> ${inner}`,
      softmax:
        `"ttnn.softmax"(${current}) <{dimension = -1 : si32, numericStable = true}> : (${inner}) -> ${inner}`,
      where: `"ttnn.where"(${current}, %y0, ${current}) : (${inner}, ${inner}, ${inner}) -> ${inner}`,
    }[step];
    lines.push(`${next} = ${line}`);
    current = next;
  });
  lines.push(`return ${current} : ${inner}`);
  return ttnnModule(
    `(%x: ${outer}, %y: ${outer}, %row: T<${width}>, %one: T<1x1>, %c: ${inner} ${PARAMETER}) -> ${inner}`,
    lines,
  );
}

const STEPS = ["tanh", "add", "addRow", "addNumber", "rms", "softmax", "where", "addConstant"] as const;
const steps = fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 4 });
const extent = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "sunk reshapes",
  [sinkViews, foldInverseViews],
  fc.record({ a: extent, b: extent, c: extent, steps, isMerged: fc.boolean(), all: fc.boolean() }).map(
    ({ a, b, c, steps, isMerged, all }) => {
      const [whole, merged] = [[a, b, c], all ? [a, b * c] : [a * b, c]];
      const [shape, view] = isMerged ? [whole, merged] : [merged, whole];
      return { text: between(shape, { shape: view, permutation: undefined }, steps), ops: [] };
    },
  ),
  80,
);

keepsMeaning(
  "sunk permutes",
  [sinkViews, foldInverseViews],
  fc.record({
    shape: fc.tuple(extent, extent, extent),
    permutation: fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 }),
    steps,
  }).map(({ shape, permutation, steps }) => ({
    text: between(shape, { shape: permutation.map((dim) => shape[dim] ?? 1), permutation }, steps),
    ops: [],
  })),
  60,
);

Deno.test("a reshape meets its inverse behind an activation", () => {
  const text = ttnnModule("(%x: T<64x32>) -> T<64x32>", [
    '%0 = "ttnn.reshape"(%x) <{shape = [2 : i32, 32 : i32, 32 : i32]}> : (T<64x32>) -> T<2x32x32>',
    '%1 = "ttnn.silu"(%0) : (T<2x32x32>) -> T<2x32x32>',
    '%2 = "ttnn.reshape"(%1) <{shape = [64 : i32, 32 : i32]}> : (T<2x32x32>) -> T<64x32>',
    "return %2 : T<64x32>",
  ]);
  assertEquals(passedBody(text, sinkViews).length, 4);
  assertEquals(
    passedBody(text, sinkViews)[0],
    '%pass_0 = "ttnn.silu"(%x) : (tensor<64x32xbf16>) -> tensor<64x32xbf16>',
  );
});

Deno.test("work is not moved to a tensor of more tiles", () => {
  const text = ttnnModule("(%x: T<32x1x32>) -> T<32x32>", [
    '%0 = "ttnn.reshape"(%x) <{shape = [32 : i32, 32 : i32]}> : (T<32x1x32>) -> T<32x32>',
    '%1 = "ttnn.silu"(%0) : (T<32x32>) -> T<32x32>',
    "return %1 : T<32x32>",
  ]);
  assertEquals(passedBody(text, sinkViews)[0]?.includes("reshape"), true);
});

Deno.test("a sum with a tensor that is already permuted back uses that tensor's source", () => {
  const text = ttnnModule("(%x: T<2x32x32>, %y: T<64x32>) -> (T<2x32x32>, T<64x32>)", [
    '%0 = "ttnn.reshape"(%x) <{shape = [64 : i32, 32 : i32]}> : (T<2x32x32>) -> T<64x32>',
    '%1 = "ttnn.reshape"(%y) <{shape = [2 : i32, 32 : i32, 32 : i32]}> : (T<64x32>) -> T<2x32x32>',
    '%2 = "ttnn.add"(%x, %1) : (T<2x32x32>, T<2x32x32>) -> T<2x32x32>',
    "return %2, %0 : T<2x32x32>, T<64x32>",
  ]);
  assertEquals(
    passedBody(text, sinkViews)[1],
    '%pass_0 = "ttnn.add"(%0, %y) : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x32xbf16>',
  );
});

Deno.test("a tensor beside its own transpose stays: the permute is its own inverse", () => {
  const text = ttnnModule("(%x: T<64x64>) -> T<64x64>", [
    '%0 = "ttnn.permute"(%x) <{permutation = array<i64: 1, 0>}> : (T<64x64>) -> T<64x64>',
    '%1 = "ttnn.multiply"(%0, %x) : (T<64x64>, T<64x64>) -> T<64x64>',
    "return %1 : T<64x64>",
  ]);
  assertEquals(passedBody(text, patternPass("views", undefined, [sinkViews, foldInverseViews])), [
    '%0 = "ttnn.permute"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xbf16>) -> tensor<64x64xbf16>',
    '%1 = "ttnn.multiply"(%0, %x) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>',
    "return %1 : tensor<64x64xbf16>",
  ]);
});

Deno.test("a parameter is turned back, channel by channel as well", () => {
  const text = ttnnModule(
    `(%x: T<1x8x8x32>, %c: T<1x32x1x1> ${PARAMETER}) -> T<1x32x8x8>`,
    [
      '%0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 3, 1, 2>}> : (T<1x8x8x32>) -> T<1x32x8x8>',
      '%1 = "ttnn.multiply"(%0, %c) : (T<1x32x8x8>, T<1x32x1x1>) -> T<1x32x8x8>',
      "return %1 : T<1x32x8x8>",
    ],
  );
  assertEquals(passedBody(text, sinkViews).slice(0, 2), [
    '%pass_0 = "ttnn.permute"(%c) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x32x1x1xbf16>) -> tensor<1x1x1x32xbf16>',
    '%pass_1 = "ttnn.multiply"(%x, %pass_0) : (tensor<1x8x8x32xbf16>, tensor<1x1x1x32xbf16>) -> tensor<1x8x8x32xbf16>',
  ]);
});

keepsMeaning(
  "permutes sink through elementwise ops to their inverse",
  [sinkViews, foldInverseViews],
  fc.record({
    a: fc.integer({ min: 1, max: 3 }),
    b: fc.integer({ min: 2, max: 4 }),
    c: fc.integer({ min: 2, max: 4 }),
  })
    .map(({ a, b, c }) => {
      const [source, target] = [`T<${a}x${b}x${c}>`, `T<${c}x${a}x${b}>`];
      const lines = [
        `%0 = "ttnn.permute"(%x) <{permutation = array<i64: 2, 0, 1>}> : (${source}) -> ${target}`,
        `%1 = "ttnn.permute"(%y) <{permutation = array<i64: 2, 0, 1>}> : (${source}) -> ${target}`,
        `%2 = "ttnn.subtract"(%0, %1) : (${target}, ${target}) -> ${target}`,
        `%3 = "ttnn.multiply"(%2, %w) : (${target}, T<${c}x1x${b}>) -> ${target}`,
        `%4 = "ttnn.relu"(%3) : (${target}) -> ${target}`,
        `%5 = "ttnn.permute"(%4) <{permutation = array<i64: 1, 2, 0>}> : (${target}) -> ${source}`,
        `return %5 : ${source}`,
      ];
      const signature = `(%x: ${source}, %y: ${source}, %w: T<${c}x1x${b}> ${PARAMETER}) -> ${source}`;
      return { text: ttnnModule(signature, lines), ops: ["subtract", "relu"] };
    }),
);

Deno.test("only the constant is permuted any more", () => {
  const text = ttnnModule(`(%x: T<32x64>, %w: T<64x32> ${PARAMETER}) -> T<32x64>`, [
    '%0 = "ttnn.permute"(%x) <{permutation = array<i64: 1, 0>}> : (T<32x64>) -> T<64x32>',
    '%1 = "ttnn.add"(%0, %w) : (T<64x32>, T<64x32>) -> T<64x32>',
    '%2 = "ttnn.permute"(%1) <{permutation = array<i64: 1, 0>}> : (T<64x32>) -> T<32x64>',
    "return %2 : T<32x64>",
  ]);
  const after = passed(text, patternPass("test", undefined, [sinkViews, foldInverseViews])).text;
  assertEquals(bodyLines(after).map((line) => /"ttnn\.\w+"\(.*?\)/.exec(line)?.[0]), [
    '"ttnn.permute"(%w)',
    '"ttnn.add"(%x, %pass_0)',
    undefined,
  ]);
});

keepsMeaning(
  "sunk reshapes that move extents of one",
  [sinkViews],
  fc.record({
    users: fc.integer({ min: 2, max: 3 }),
    heads: fc.integer({ min: 2, max: 3 }),
    isPerHead: fc.boolean(),
  })
    .map(({ users, heads, isPerHead }) => {
      const [flag, view] = [`${users}x${isPerHead ? heads : 1}x1x1`, `${users}x${heads}x1x4`];
      return {
        text: ttnnModule(`(%x: T<1x${users}x${heads}x4>, %f: T<${flag}>, %z: T<1x1x1x1>) -> T<${view}>`, [
          `%0 = "ttnn.reshape"(%x) <{shape = ${
            i32s([users, heads, 1, 4])
          }}> : (T<1x${users}x${heads}x4>) -> T<${view}>`,
          `%1 = "ttnn.where"(%f, %z, %0) : (T<${flag}>, T<1x1x1x1>, T<${view}>) -> T<${view}>`,
          `return %1 : T<${view}>`,
        ]),
        // The flags are reshaped, and the result instead of the operand.
        ops: ["where"],
      };
    }),
  10,
);

Deno.test("a guard of users works on the rows that attention makes", () => {
  const text = ttnnModule("(%x: T<1x32x32x64>, %f: T<32x1x1x1>, %z: T<1x1x1x1>) -> T<32x32x1x64>", [
    `%0 = "ttnn.reshape"(%x) <{shape = ${i32s([32, 32, 1, 64])}}> : (T<1x32x32x64>) -> T<32x32x1x64>`,
    '%1 = "ttnn.where"(%f, %z, %0) : (T<32x1x1x1>, T<1x1x1x1>, T<32x32x1x64>) -> T<32x32x1x64>',
    "return %1 : T<32x32x1x64>",
  ]);
  const [flags, guard] = passedBody(text, sinkViews);
  assertEquals(
    flags,
    `%pass_0 = "ttnn.reshape"(%f) <{shape = ${
      i32s([1, 32, 1, 1])
    }}> : (tensor<32x1x1x1xbf16>) -> tensor<1x32x1x1xbf16>`,
  );
  assertEquals(guard?.endsWith("-> tensor<1x32x32x64xbf16>"), true);
});

Deno.test("two constants in different shapes are not turned to each other's shape in turn", () => {
  const text = ttnnModule(`(%x: T<64x1>, %a: T<64x1> ${PARAMETER}, %b: T<64> ${PARAMETER}) -> T<64x1>`, [
    '%0 = "ttnn.reshape"(%a) <{shape = [64 : i32]}> : (T<64x1>) -> T<64>',
    '%1 = "ttnn.typecast"(%0) <{dtype = #ttcore.supportedDataTypes<bf16>}> : (T<64>) -> T<64>',
    '%2 = "ttnn.multiply"(%1, %b) : (T<64>, T<64>) -> T<64>',
    '%3 = "ttnn.reshape"(%2) <{shape = [64 : i32, 1 : i32]}> : (T<64>) -> T<64x1>',
    '%4 = "ttnn.multiply"(%x, %3) : (T<64x1>, T<64x1>) -> T<64x1>',
    "return %4 : T<64x1>",
  ]);
  const pass = patternPass("test", undefined, [sinkViews, foldInverseViews]);
  const lines = bodyLines(passed(text, pass).text);
  assertEquals(lines.map((line) => /"ttnn\.\w+"\(.*?\)/.exec(line)?.[0]), [
    '"ttnn.typecast"(%a)',
    '"ttnn.reshape"(%pass_0)',
    '"ttnn.multiply"(%pass_1, %b)',
    '"ttnn.reshape"(%2)',
    '"ttnn.multiply"(%x, %3)',
    undefined,
  ]);
});

interface ViewedOp {
  readonly op: "add" | "where" | "tanh";
  readonly operands: readonly [number, number, number];
  readonly shape: number;
  readonly isPermuted: boolean;
}

/**
 * Ops on tensors of as many numbers in different shapes: what is not of the shape of an op is reshaped or permuted to
 * it.
 */
function manyViews(numbers: number, roles: readonly boolean[], ops: readonly ViewedOp[]): string {
  const shapes = [[numbers], [1, numbers], [numbers, 1], [1, 1, numbers], [1, numbers, 1, 1]];
  const shapeOf = (index: number): readonly number[] => shapes[index % shapes.length] ?? [];
  const typeOf = (index: number): string => `T<${shapeOf(index).join("x")}>`;
  const values = roles.map((_, index) => ({ name: `%a${index}`, shape: index % shapes.length }));
  const signature = roles.map((isConstant, index) =>
    `%a${index}: ${typeOf(index)}${isConstant ? ` ${PARAMETER}` : ""}`
  );
  const lines: string[] = [];
  ops.forEach(({ op, operands, shape, isPermuted }, at) => {
    const names = operands.slice(0, op === "tanh" ? 1 : op === "add" ? 2 : 3).map((pick, index) => {
      const value = values[pick % values.length];
      if (value === undefined || value.shape === shape) return value?.name ?? "";
      const isSwapped = isPermuted && shapeOf(shape).length === 2 && shapeOf(value.shape).length === 2;
      const view = isSwapped
        ? `"ttnn.permute"(${value.name}) <{permutation = array<i64: 1, 0>}>`
        : `"ttnn.reshape"(${value.name}) <{shape = ${i32s(shapeOf(shape))}}>`;
      lines.push(`%v${at}_${index} = ${view} : (${typeOf(value.shape)}) -> ${typeOf(shape)}`);
      return `%v${at}_${index}`;
    });
    const types = names.map(() => typeOf(shape)).join(", ");
    lines.push(`%o${at} = "ttnn.${op}"(${names.join(", ")}) : (${types}) -> ${typeOf(shape)}`);
    values.push({ name: `%o${at}`, shape });
  });
  const results = values.slice(roles.length);
  const types = results.map(({ shape }) => typeOf(shape)).join(", ");
  lines.push(`return ${results.map(({ name }) => name).join(", ")} : ${types}`);
  return ttnnModule(`(${signature.join(", ")}) -> (${types})`, lines);
}

keepsMeaning(
  "reshapes of as many numbers between constants and others come to an end",
  [sinkViews, foldInverseViews],
  fc.record({
    numbers: fc.constantFrom(1, 2, 64),
    roles: fc.array(fc.boolean(), { minLength: 2, maxLength: 5 }),
    ops: fc.array(
      fc.record({
        op: fc.constantFrom("add" as const, "where" as const, "tanh" as const),
        operands: fc.tuple(fc.nat(11), fc.nat(11), fc.nat(11)),
        shape: fc.nat(4),
        isPermuted: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }).map(({ numbers, roles, ops }) => ({ text: manyViews(numbers, roles, ops), ops: [] })),
  100,
);

/** A gate of a convolution's result, `x · gate(x)` or `x + gate(x)`, between the permutes to and from channels first. */
function gated(
  { batch, side, channels, isReturned, ops }: {
    readonly batch: number;
    readonly side: number;
    readonly channels: number;
    /** Whether the caller wants the channels first. */
    readonly isReturned: boolean;
    readonly ops: readonly string[];
  },
): string {
  const last = `T<${batch}x${side}x${side}x${channels}>`;
  const first = `T<${batch}x${channels}x${side}x${side}>`;
  const gate = ops.map((op, index) =>
    `%g${index} = "ttnn.${op}"(${index === 0 ? "%x" : `%g${index - 1}`}) : (${first}) -> ${first}`
  );
  return ttnnModule(`(%v: ${last}) -> ${isReturned ? `(${last}, ${first})` : last}`, [
    `%x = "ttnn.permute"(%v) <{permutation = array<i64: 0, 3, 1, 2>}> : (${last}) -> ${first}`,
    ...gate,
    `%y = "ttnn.multiply"(%x, ${
      ops.length === 0 ? "%x" : `%g${ops.length - 1}`
    }) : (${first}, ${first}) -> ${first}`,
    `%z = "ttnn.permute"(%y) <{permutation = array<i64: 0, 2, 3, 1>}> : (${first}) -> ${last}`,
    isReturned ? `return %z, %x : ${last}, ${first}` : `return %z : ${last}`,
  ]);
}

keepsMeaning(
  "gates of permuted tensors",
  [sinkViews, foldInverseViews],
  fc.record({
    batch: extent,
    side: extent,
    channels: extent,
    isReturned: fc.boolean(),
    ops: fc.array(fc.constantFrom("relu", "tanh", "sigmoid"), { maxLength: 3 }),
  }).map((drawn) => ({ text: gated(drawn), ops: [] })),
);

function permutes(text: string): number {
  const lines = bodyLines(passed(text, patternPass("test", undefined, [sinkViews, foldInverseViews])).text);
  return lines.filter((line) => line.includes("ttnn.permute")).length;
}

Deno.test("a permute sinks through everything that a gate makes of its result, also to more tiles where it goes", () => {
  const gate = { batch: 2, side: 64, channels: 64, isReturned: false, ops: ["relu", "tanh"] };
  assertEquals(permutes(gated(gate)), 0);
  // 16 channels fill half a tile, which 64 pixels do not.
  assertEquals(permutes(gated({ ...gate, channels: 16 })), 0);
  assertEquals(permutes(gated({ ...gate, channels: 2 })), 2);
  assertEquals(permutes(gated({ ...gate, isReturned: true })), 2);
});

keepsMeaning(
  "numbers per channel beside channels split into groups",
  [sinkViews, foldInverseViews],
  fc.record({
    batch: extent,
    groups: extent,
    size: extent,
    rows: extent,
    columns: extent,
    isMerged: fc.boolean(),
  })
    .map(({ batch, groups, size, rows, columns, isMerged }) => {
      const image = [batch, groups * size, rows, columns];
      const split = isMerged ? [batch, groups, size, rows * columns] : [batch, groups, size, rows, columns];
      const factor = split.map((each, dim) => dim === 1 || dim === 2 ? each : 1);
      const [x, y, f] = [image, split, factor].map((shape) => `T<${shape.join("x")}>`);
      return {
        text: ttnnModule(`(%x: ${x}, %f: ${f}) -> ${x}`, [
          `%0 = "ttnn.reshape"(%x) <{shape = ${i32s(split)}}> : (${x}) -> ${y}`,
          `%1 = "ttnn.multiply"(%0, %f) : (${y}, ${f}) -> ${y}`,
          `%2 = "ttnn.add"(%f, %1) : (${f}, ${y}) -> ${y}`,
          `%3 = "ttnn.reshape"(%2) <{shape = ${i32s(image)}}> : (${y}) -> ${x}`,
          `return %3 : ${x}`,
        ]),
        ops: [],
      };
    }),
  60,
);
