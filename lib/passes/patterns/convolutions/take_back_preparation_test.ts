// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { constEval } from "../../const_eval.ts";
import { DEFAULT_PASS_OPTIONS } from "../../pass_options.ts";
import { prepareConvolutionWeights } from "../../prepare_convolution_weights.ts";
import {
  ANY_CONVOLUTIONS,
  type ConvolutionExtents,
  convolutionModule,
} from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { bodyLines, passed } from "../../testing/passed_body.ts";
import { takeBackPreparation } from "./take_back_preparation.ts";

/** As a compiler leaves it: weights and biases are prepared in functions that run at load. */
function compiled(extents: ConvolutionExtents): string {
  const text = convolutionModule(extents, {}, ["return %y : IMAGE"]);
  return passed(passed(text, prepareConvolutionWeights).text, constEval).text;
}

keepsMeaning(
  "convolutions that read their parameters as they were given",
  [takeBackPreparation],
  ANY_CONVOLUTIONS.map((extents) => ({
    text: compiled(extents),
    ops: [extents.isTransposed ? "conv_transpose2d" : "conv2d"],
  })),
  20,
);

const CONVOLUTION: ConvolutionExtents = {
  channels: 32,
  filters: 32,
  size: 4,
  kernel: 3,
  hasBias: true,
  isChannelFirst: false,
};

/** Operands of the convolution, by what makes them. */
function operandsOf(text: string): readonly string[] {
  const lines = bodyLines(text.slice(text.indexOf("@main(")));
  const names = lines.flatMap((line) => /"ttnn\.conv2d"\((.*?)\)/.exec(line)?.[1]?.split(", ") ?? []);
  return names.map((name) =>
    lines.flatMap((line) =>
      line.startsWith(`${name} = `) ? /(?:"ttnn\.|ttcore\.)(\w+)/.exec(line)?.[1] ?? [] : []
    )[0] ?? name
  );
}

Deno.test("a filter and a bias that are prepared at load are read as before, where work may move to load again", () => {
  const text = compiled(CONVOLUTION);
  const [input = "", ...loaded] = operandsOf(text);
  assertEquals(loaded, ["load_cached", "load_cached", "get_device"]);
  const after = passed(text, takeBackPreparation).text;
  const [, weight, bias] = operandsOf(after);
  assertEquals([weight, bias], ["%w", "from_device"]);
  assertEquals(after.includes("ttcore.load_cached("), false, "nothing reads what was prepared");
  const options = { ...DEFAULT_PASS_OPTIONS, off: new Set(["enable-const-eval" as const]) };
  assertEquals(operandsOf(passed(text, takeBackPreparation, options).text), [input, ...loaded]);
});
