// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { prepareConvolutionWeights } from "./prepare_convolution_weights.ts";
import { convolutionModule, PARAMETER } from "./testing/convolution_case.ts";
import { bodyLines, passed } from "./testing/passed_body.ts";

const CONVOLUTION = { channels: 32, filters: 32, size: 4, kernel: 3, hasBias: true, isChannelFirst: false };
const TEXT = convolutionModule(CONVOLUTION, {}, ["return %y : IMAGE"]);

/** Names of the ops that prepare something, and what the convolution reads. */
function prepared(text: string): readonly string[] {
  return bodyLines(passed(text, prepareConvolutionWeights).text).flatMap((line) =>
    /"ttnn\.(prepare_\w+|conv2d\b)/.exec(line)?.[1] ?? []
  );
}

Deno.test("weights and biases are prepared in front of their convolution, parameters or not", () => {
  const wanted = ["prepare_conv2d_weights", "prepare_conv2d_bias", "conv2d"];
  assertEquals(prepared(TEXT), wanted);
  assertEquals(prepared(TEXT.replaceAll(PARAMETER, "")), wanted);
});

Deno.test("what is prepared already stays", () => {
  const once = passed(TEXT, prepareConvolutionWeights).text;
  assertEquals(passed(once, prepareConvolutionWeights).text, once);
});
