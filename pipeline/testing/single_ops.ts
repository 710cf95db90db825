// SPDX-License-Identifier: Apache-2.0

/** One small case of every TTIR op that the reference interpreter knows, as front ends write it. */

import { BINARY, UNARY } from "../../testing/interpreter/elementwise.ts";

/** An op with the types of its operands and results, and its properties as text. */
export interface SingleOp {
  readonly name: string;
  readonly operands: readonly string[];
  readonly results: readonly string[];
  readonly properties?: string;
}

/** `tensor<2x3xf32>` of `2x3`; with another element type after the extents: `2x3:i32`. */
const type = (words: string): string => {
  const [extents = "", ...elements] = words.split(":");
  const element = elements.length === 0 ? "f32" : elements.join(":");
  return `tensor<${[...(extents === "" ? [] : [extents]), element].join("x")}>`;
};

/**
 * Cases from a line each, `sum 5x33 -> 5x1 <{keep_dim = true}>`: types of operands and results as {@linkcode type} reads
 * them, and properties. Indented lines continue the one before.
 */
function cases(text: string): readonly SingleOp[] {
  return text.trim().replaceAll(/\n +/g, " ").split("\n").map((line) => {
    const [, name = "", operands = "", results = "", properties] =
      /^(\w+)(.*?) -> (.*?)(?: <\{(.*)\}>)?$/.exec(line) ?? [];
    const typesOf = (side: string) => side.trim() === "" ? [] : side.trim().split(" ").map(type);
    return {
      name,
      operands: typesOf(operands),
      results: typesOf(results),
      ...properties === undefined ? {} : { properties },
    };
  });
}

/** Operators on integers, which have no other meaning. */
const INTEGRAL = /^bitwise_|^(?:logical_left|logical_right|right)_shift$/;
/** Names of TTNN alone. */
const NOT_TTIR: ReadonlySet<string> = new Set(["divide", "pow_tensor", "bitwise_right_shift"]);
/** Comparisons, whose results are truth values. */
const TRUTH = /^(?:eq|ne|ge|gt|le|lt|isfinite)$|^logical_(?:and|or|xor|not)$/;

function elementwise(name: string, operands: number): readonly SingleOp[] {
  const element = INTEGRAL.test(name) ? ":i32" : "";
  const result = TRUTH.test(name) ? ":i1" : element;
  return cases(`${name} ${`3x33${element} `.repeat(operands)}-> 3x33${result}`);
}

/** Moves and reductions of tensors that do not fill tiles: kernels refuse bytes, or narrow whole numbers, in many of them. */
const NARROW = ["ui8", "ui16"].flatMap((element) =>
  cases(`
reshape 2x33x65:${element} -> 66x65:${element} <{shape = [66 : i32, 65 : i32]}>
permute 2x33x65:${element} -> 65x2x33:${element} <{permutation = array<i64: 2, 0, 1>}>
pad 2x33x65:${element} -> 2x36x65:${element} <{padding = array<i32: 0, 0, 0, 3, 0, 0>, value = 0.000000e+00 : f32}>
pad 2x33x65:${element} -> 3x33x66:${element} <{padding = array<i32: 1, 0, 0, 0, 1, 0>, value = 0.000000e+00 : f32}>
slice_static 2x33x65:${element} -> 2x32x65:${element} <{begins = [0 : i32, 1 : i32, 0 : i32],
  ends = [2 : i32, 33 : i32, 65 : i32], step = [1 : i32, 1 : i32, 1 : i32]}>
repeat 2x33x65:${element} -> 2x66x65:${element} <{repeat_dimensions = array<i64: 1, 2, 1>}>
max 2x33x65:${element} -> 2x33x1:${element} <{dim_arg = [2 : i32], keep_dim = true}>
sort 3x33:${element} -> 3x33:${element} 3x33:i32 <{dim = 1 : si32, descending = true, stable = false}>
argmax 3x33:${element} -> 3x1:i32 <{dim_arg = [1 : i32], keep_dim = true}>
concat 33x5:${element} 2x5:${element} -> 35x5:${element} <{dim = 0 : si32}>
typecast 197:${element} -> 197:bf16 <{conservative_folding = false}>
`)
);

/** From and to a format, and between two, by one scale and by one per channel, which types or operands say. */
const QUANTIZED = [
  ...[
    ["!quant.uniform<i8:f32,0.25:3>", "!quant.uniform<i8:f32,0.5:-2>"],
    ["!quant.uniform<i8:f32:1,{0.25:3,0.5:-2,2.0}>", "!quant.uniform<i8:f32:1,{0.5,0.25,0.125:7}>"],
  ].flatMap(([from, to]) =>
    cases(`
quantize 2x3x33 -> 2x3x33:${from}
dequantize 2x3x33:${from} -> 2x3x33
requantize 2x3x33:${from} -> 2x3x33:${to}
`)
  ),
  ...[["1", ""], ["3", " <{axis = 1 : i32}>"]].flatMap(([scales, axis]) =>
    cases(`
quantize_unrolled 2x3x33 ${scales} ${scales}:i32 -> 2x3x33:i32${axis}
dequantize_unrolled 2x3x33:i32 ${scales} ${scales}:i32 -> 2x3x33${axis}
requantize_unrolled 2x3x33:i32 ${scales} ${scales}:i32 ${scales} ${scales}:i32 -> 2x3x33:i32${axis}
`)
  ),
];

/** All cases; several for an op whose meaning has cases. Those of caches fill whole tiles: the kernel writes no partial one. */
export const SINGLE_OPS: readonly SingleOp[] = [
  ...NARROW,
  ...Object.keys(UNARY).flatMap((name) => elementwise(name, 1)),
  ...Object.keys(BINARY).filter((name) => !NOT_TTIR.has(name)).flatMap((name) => elementwise(name, 2)),
  ...["sum", "mean", "max", "min"].flatMap((name) =>
    cases(`
${name} 3x5x33 -> 3x1x1 <{dim_arg = [1 : i32, 2 : i32], keep_dim = true}>
${name} 3x5x33 -> 5x33 <{dim_arg = [0 : i32], keep_dim = false}>
`)
  ),
  ...cases(Deno.readTextFileSync(new URL("single_ops.txt", import.meta.url))),
  ...QUANTIZED,
];

/**
 * A program that applies the op to its arguments, the first float through a preceding op, and returns the results; booleans as floats, because a stored true is any number but 0.
 */
export function programOf({ name, operands, results, properties }: SingleOp): string {
  const lines: string[] = [];
  const isCache = name.endsWith("cache");
  const names = operands.map((text, index) => {
    if (isCache || index > 0 || !text.endsWith("f32>")) return `%arg${index}`;
    lines.push(`%in = "ttir.tanh"(%arg0) : (${text}) -> ${text}`);
    return "%in";
  });
  const made = results.map((_, index) => (results.length > 1 ? `%0#${index}` : "%0"));
  const typeList = (types: readonly string[]) =>
    types.length === 1 ? types.join("") : `(${types.join(", ")})`;
  const braces = properties === undefined ? "" : ` <{${properties}}>`;
  lines.push(
    `%0${results.length > 1 ? `:${results.length}` : ""} = "ttir.${name}"(${names.join(", ")})${braces} : ` +
      `(${operands.join(", ")}) -> ${typeList(results)}`,
  );
  const returned = results.map((text, index) => {
    const value = made[index] ?? "%0";
    if (!text.endsWith("i1>")) return { value, type: text };
    const float = text.replace("i1>", "f32>");
    lines.push(
      `%cast${index} = "ttir.typecast"(${value}) <{conservative_folding = false}> : (${text}) -> ${float}`,
    );
    return { value: `%cast${index}`, type: float };
  });
  const parameters = operands.map((text, index) => `%arg${index}: ${text}`).join(", ");
  const types = returned.map((each) => each.type);
  lines.push(`return ${returned.map(({ value }) => value).join(", ")} : ${types.join(", ")}`);
  return `func.func @main(${parameters}) -> ${typeList(types)} {\n  ${lines.join("\n  ")}\n}\n`;
}
