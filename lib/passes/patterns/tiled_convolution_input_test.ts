// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { convolutionModule, CONVOLUTIONS } from "../testing/convolution_case.ts";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { bodyLines, passed } from "../testing/passed_body.ts";
import { tiledConvolutionInput } from "./tiled_convolution_input.ts";

const ROWS =
  "#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 + d1 + d2, d3), <1x1>, memref<1x1xbf16, #dram>, <interleaved>>";

/** The module with the convolution's input converted to rows first. */
function withDetour(text: string): string {
  return text.replace(
    /( +)(%c = "ttnn.conv2d"\()%x(.*?: \()(tensor<[^>]*>)/,
    (_, indent, head, middle, type) => {
      const rows = String(type).replace(/#ttnn_layout_\w+/, "#rows");
      return `${indent}%rm = "ttnn.to_layout"(%x) : (${type}) -> ${rows}\n${indent}${head}%rm${middle}${rows}`;
    },
  ).replace("module {", `#rows = ${ROWS}\nmodule {`);
}

keepsMeaning(
  "a convolution reads the tiles before level 0 made rows of them",
  [tiledConvolutionInput],
  CONVOLUTIONS.map((extents) => ({
    text: withDetour(convolutionModule(extents, {}, ["return %y : IMAGE"])),
    ops: ["!to_layout", "conv2d"],
  })),
);

Deno.test("rows that the function is given stay rows", () => {
  const extents = { channels: 2, filters: 4, size: 4, kernel: 3, hasBias: false, isChannelFirst: false };
  const text = withDetour(convolutionModule(extents, {}, ["return %y : IMAGE"]))
    .replace(
      /"ttnn.to_layout"\(%x\) : \(tensor<[^>]*>\)/,
      (call) => call.replace(/#ttnn_layout_\w+/, "#rows"),
    )
    .replace(/\(%x: tensor<[^>]*>/, (argument) => argument.replace(/#ttnn_layout_\w+/, "#rows"));
  assertEquals(
    bodyLines(passed(text, tiledConvolutionInput).text).some((line) => line.includes("to_layout")),
    true,
  );
});
