// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseModule } from "../../../ir/mod.ts";
import { lowerModule } from "../../../lowering/mod.ts";
import { TEST_WORMHOLE } from "../../../../testing/chips.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passed, testedPass } from "../../testing/passed_body.ts";
import { convolutionAlongLine } from "./convolution_along_line.ts";
import { tiledConvolutionInput } from "./convolution_input.ts";

interface Line {
  readonly batch: number;
  readonly length: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly padding: readonly [number, number];
  readonly groups: number;
  readonly hasBias: boolean;
}

/** What lowering makes of `ttir.conv1d` of a tensor that another op made. */
function lowered(line: Line): string {
  const { batch, length, kernel, stride, dilation, padding, groups, hasBias } = line;
  const [channels, filters] = [4, 6];
  const positions = Math.floor((length + padding[0] + padding[1] - dilation * (kernel - 1) - 1) / stride) + 1;
  const tensor = (...shape: readonly number[]) => `tensor<${[...shape, "bf16"].join("x")}>`;
  const input = tensor(batch, length, channels);
  const weight = tensor(filters, channels / groups, kernel);
  const bias = hasBias ? [tensor(1, 1, filters)] : [];
  const result = tensor(batch, positions, filters);
  const types = [input, weight, ...bias];
  const text =
    `func.func @main(${types.map((type, index) => `%arg${index}: ${type}`).join(", ")}) -> ${result} {\n` +
    `  %0 = "ttir.tanh"(%arg0) : (${input}) -> ${input}\n` +
    `  %1 = "ttir.conv1d"(${["%0", ...types.slice(1).map((_, index) => `%arg${index + 1}`)].join(", ")}) <{` +
    `dilation = ${dilation} : i32, groups = ${groups} : i32, padding = array<i32: ${padding.join(", ")}>, ` +
    `stride = ${stride} : i32}> : (${types.join(", ")}) -> ${result}\n  return %1 : ${result}\n}\n`;
  return lowerModule(parseModule(text, "line.mlir"), TEST_WORMHOLE);
}

/** Lines of which no window is longer than what it slides over. */
const LINES: fc.Arbitrary<Line> = fc.record({
  batch: fc.integer({ min: 1, max: 2 }),
  length: fc.constantFrom(5, 7, 32),
  kernel: fc.integer({ min: 1, max: 3 }),
  stride: fc.integer({ min: 1, max: 2 }),
  dilation: fc.integer({ min: 1, max: 2 }),
  padding: fc.tuple(fc.nat(2), fc.nat(2)),
  groups: fc.integer({ min: 1, max: 2 }),
  hasBias: fc.boolean(),
});

keepsMeaning(
  "a conv1d is a conv2d of an image one pixel high",
  [convolutionAlongLine, tiledConvolutionInput],
  LINES.map((line) => ({ text: lowered(line), ops: ["!conv1d", "conv2d"] })),
);

/** What lowering makes of `ttir.conv2d` of an image one pixel wide. */
function upright({ batch, length, kernel, stride, dilation, padding, groups }: Line): string {
  const [channels, filters] = [4, 6];
  const positions = Math.floor((length + padding[0] + padding[1] - dilation * (kernel - 1) - 1) / stride) + 1;
  const tensor = (...shape: readonly number[]) => `tensor<${[...shape, "bf16"].join("x")}>`;
  const [input, result] = [tensor(batch, length, 1, channels), tensor(batch, positions, 1, filters)];
  const weight = tensor(filters, channels / groups, kernel, 1);
  return lowerModule(
    parseModule(
      `func.func @main(%arg0: ${input}, %arg1: ${weight}) -> ${result} {\n` +
        `  %0 = "ttir.conv2d"(%arg0, %arg1) <{dilation = array<i32: ${dilation}, 1>, groups = ${groups} : i32, ` +
        `padding = array<i32: ${padding[0]}, 0, ${padding[1]}, 0>, stride = array<i32: ${stride}, 1>, ` +
        "batch_dim = 0 : i64, height_dim = 1 : i64, width_dim = 2 : i64, channel_dim = 3 : i64}> : " +
        `(${input}, ${weight}) -> ${result}\n  return %0 : ${result}\n}\n`,
      "upright.mlir",
    ),
    TEST_WORMHOLE,
  );
}

keepsMeaning(
  "an image one pixel wide becomes one pixel high",
  [convolutionAlongLine],
  LINES.map((line) => ({
    text: upright(line),
    ops: ["conv2d"],
  })),
  12,
);

Deno.test("lines lie down, from either op and with any stride", () => {
  const line: Line = {
    batch: 1,
    length: 32,
    kernel: 3,
    stride: 1,
    dilation: 1,
    padding: [1, 1],
    groups: 1,
    hasBias: false,
  };
  const heights = [lowered, upright].flatMap((write) =>
    [1, 2].map((stride) => {
      const { text } = passed(write({ ...line, stride }), testedPass([convolutionAlongLine]));
      return /input_height = \d+/.exec(text)?.[0];
    })
  );
  assertEquals(heights, ["input_height = 1", "input_height = 1", "input_height = 1", "input_height = 1"]);
});
