// SPDX-License-Identifier: Apache-2.0

/** Programs of long chains of ops, on which walks along operands must not recurse per op. */

type Line = readonly [op: string, operands: string, properties?: string];

const SQUARE = "tensor<64x64xbf16>";
const FILTERS = "tensor<8x8x3x3xbf16>";
const IMAGE = "tensor<1x8x8x8xbf16>";
const CACHE = "tensor<1x1x32x32xbf16>";
const FLAT = "transpose_a = false, transpose_b = true";

const argument = (name: string, type: string, kind: string): string =>
  `%${name}: ${type} {ttcore.argument_type = #ttcore.argument_type<${kind}>}`;

/** A chain of ops from one value to the next. */
function chain(count: number, from: string, type: string, line: (value: string) => Line): string[] {
  return Array.from({ length: count }, (_, index) => {
    const [op, operands, properties] = line(index === 0 ? from : `%${index - 1}`);
    const types = operands.split(", ").map(() => type).join(", ");
    return `%${index} = "ttir.${op}"(${operands})${
      properties === undefined ? "" : ` <{${properties}}>`
    } : (${types}) -> ${type}`;
  });
}

function program(args: readonly string[], lines: readonly string[], returned: string, type: string): string {
  return `func.func @main(${args.join(", ")}) -> ${type} {\n  ${
    lines.join("\n  ")
  }\n  return ${returned} : ${type}\n}\n`;
}

const INPUT = argument("a", SQUARE, "input");
const WEIGHT = argument("w", SQUARE, "parameter");

/** Programs by their long structure, for a number of ops. */
export const DEEP_PROGRAMS: Readonly<Record<string, (count: number) => string>> = {
  "sums of one input": (count) =>
    program([INPUT], chain(count, "%a", SQUARE, (x) => ["add", `${x}, %a`]), `%${count - 1}`, SQUARE),
  "a weight that is computed": (count) =>
    program(
      [INPUT, WEIGHT],
      [
        ...chain(count, "%w", SQUARE, (x) => ["tanh", x]),
        `%m = "ttir.matmul"(%a, %${count - 1}) <{${FLAT}}> : (${SQUARE}, ${SQUARE}) -> ${SQUARE}`,
      ],
      "%m",
      SQUARE,
    ),
  "filters that are computed": (count) =>
    program(
      [argument("a", IMAGE, "input"), argument("w", FILTERS, "parameter")],
      [
        ...chain(count, "%w", FILTERS, (x) => ["tanh", x]),
        `%m = "ttir.conv2d"(%a, %${
          count - 1
        }) <{stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, ` +
        `dilation = array<i32: 1, 1>, groups = 1 : i32}> : (${IMAGE}, ${FILTERS}) -> ${IMAGE}`,
      ],
      "%m",
      IMAGE,
    ),
  "products before a softmax": (count) =>
    program(
      [INPUT, WEIGHT],
      [
        `%s = "ttir.full"() <{shape = array<i32: 64, 64>, fill_value = 1.5 : f32}> : () -> ${SQUARE}`,
        `%q = "ttir.matmul"(%a, %w) <{${FLAT}}> : (${SQUARE}, ${SQUARE}) -> ${SQUARE}`,
        ...chain(count, "%q", SQUARE, (x) => ["multiply", `${x}, %s`]),
        `%x = "ttir.softmax"(%${count - 1}) <{dimension = 1 : si32, numericStable = false}> : ` +
        `(${SQUARE}) -> ${SQUARE}`,
        `%m = "ttir.matmul"(%x, %w) <{${FLAT}}> : (${SQUARE}, ${SQUARE}) -> ${SQUARE}`,
      ],
      "%m",
      SQUARE,
    ),
  "views of views": (count) => {
    const [wide, high] = ["tensor<32x128xbf16>", "tensor<128x32xbf16>"];
    const lines = Array.from({ length: count }, (_, index) => {
      const from = index === 0 ? "%a" : `%${index - 1}`;
      return index % 2 === 0
        ? `%${index} = "ttir.permute"(${from}) <{permutation = array<i64: 1, 0>}> : (${wide}) -> ${high}`
        : `%${index} = "ttir.reshape"(${from}) <{shape = [32 : i32, 128 : i32]}> : (${high}) -> ${wide}`;
    });
    return program([argument("a", wide, "input")], lines, `%${count - 1}`, count % 2 === 0 ? wide : high);
  },
  "writes into one cache": (count) =>
    program(
      [argument("a", CACHE, "input"), argument("r", CACHE, "input")],
      chain(count, "%a", CACHE, (x) => ["fill_cache", `${x}, %r`, "batch_offset = 0 : i32"]),
      `%${count - 1}`,
      CACHE,
    ),
};
