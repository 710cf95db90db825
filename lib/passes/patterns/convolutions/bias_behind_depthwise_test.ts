// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseModule } from "../../../ir/mod.ts";
import { lowerModule } from "../../../lowering/mod.ts";
import { TEST_WORMHOLE } from "../../../../testing/chips.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import type { GraphQuestions, ProposedOp } from "../../graph_pass.ts";
import { passed, testedPass } from "../../testing/passed_body.ts";
import { biasBehindDepthwise } from "./bias_behind_depthwise.ts";
import { convolutionAlongLine } from "./convolution_along_line.ts";
import { foldAdd, fuseConvolutionActivation } from "./fold_into_convolution.ts";

/** What lowering makes of `activation(conv1d(x, w) + b)`, bias and activation of the convolution or behind it. */
function lowered(
  { channels, groups, kernel, isFused, activation }: {
    readonly channels: number;
    readonly groups: number;
    readonly kernel: number;
    readonly isFused: boolean;
    readonly activation: string | undefined;
  },
): string {
  const length = 9;
  const result = `tensor<1x${length - kernel + 1}x${channels}xbf16>`;
  const parameter = "{ttcore.argument_type = #ttcore.argument_type<parameter>}";
  const types = [
    `tensor<1x${length}x${channels}xbf16>`,
    `tensor<${channels}x${channels / groups}x${kernel}xbf16>`,
  ];
  const bias = `tensor<1x1x${channels}xbf16>`;
  const attributes =
    `<{dilation = 1 : i32, groups = ${groups} : i32, padding = array<i32: 0, 0>, stride = 1 : i32}>`;
  const lines = isFused
    ? [`%1 = "ttir.conv1d"(%x, %w, %b) ${attributes} : (${[...types, bias].join(", ")}) -> ${result}`]
    : [
      `%0 = "ttir.conv1d"(%x, %w) ${attributes} : (${types.join(", ")}) -> ${result}`,
      `%1 = "ttir.add"(%0, %b) : (${result}, ${bias}) -> ${result}`,
    ];
  const last = activation === undefined ? [] : [`%2 = "ttir.${activation}"(%1) : (${result}) -> ${result}`];
  const text =
    `func.func @main(%x: ${types[0]}, %w: ${
      types[1]
    } ${parameter}, %b: ${bias} ${parameter}) -> ${result} {\n` +
    `${[...lines, ...last].join("\n")}\nreturn %${activation === undefined ? 1 : 2} : ${result}\n}\n`;
  return lowerModule(parseModule(text, "depthwise.mlir"), TEST_WORMHOLE);
}

const PATTERNS = [convolutionAlongLine, foldAdd, fuseConvolutionActivation];

/** Questions whose answer is the µs of a convolution with a bias and of one without; an `add` takes 2 µs. */
function timed(withBias: number | undefined, without: number | undefined): Partial<GraphQuestions> {
  const time = ({ name, operands }: ProposedOp): number | undefined =>
    name === "ttnn.add" ? 2 : operands.length > 3 ? withBias : without;
  return {
    microseconds: time,
    inSequence: (ops) => {
      const times = ops.map(time);
      if (times.includes(undefined)) return undefined;
      return { microseconds: times.reduce((sum: number, us) => sum + (us ?? 0), 0), waited: 0 };
    },
  };
}

keepsMeaning(
  "the bias of a depthwise convolution along a line is added behind it",
  {
    ...testedPass(PATTERNS),
    run: (context) => {
      testedPass(PATTERNS).run(context);
      testedPass([biasBehindDepthwise]).run({ ...context, ...timed(20, 10) });
    },
  },
  fc.record({
    channels: fc.integer({ min: 2, max: 5 }),
    kernel: fc.integer({ min: 1, max: 4 }),
    isFused: fc.boolean(),
    activation: fc.constantFrom(undefined, "relu", "silu", "sigmoid"),
  }).map((line) => ({ text: lowered({ ...line, groups: line.channels }), ops: ["add", "conv2d"] })),
);

Deno.test("a bias stays where the kernel takes it, or where an addition is not clearly faster", () => {
  const isApart = (groups: number, withBias: number | undefined, without: number | undefined): boolean => {
    const line = { channels: 4, kernel: 3, isFused: true, activation: undefined };
    const text = passed(lowered({ ...line, groups }), testedPass(PATTERNS)).text;
    return passed(text, testedPass([biasBehindDepthwise]), undefined, timed(withBias, without)).text.includes(
      "ttnn.add",
    );
  };
  assertEquals(isApart(4, 20, 10), true);
  assertEquals(isApart(4, undefined, 10), true);
  assertEquals(isApart(4, 20, undefined), false);
  // 12 of 13 µs.
  assertEquals(isApart(4, 13, 10), false);
  assertEquals([isApart(2, 20, 10), isApart(1, 20, 10)], [false, false]);
});
