// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { convolutionModule, CONVOLUTIONS } from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { bodyLines, passed, passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { rowMajorConvolutionInput, tiledConvolutionInput } from "./convolution_input.ts";
import { graphQuestions } from "../../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import type { ProposedOp } from "../../graph_pass.ts";

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

/** A convolution of an image into patches, as vision transformers begin with. */
function patches(kernel: number, channels: number): string {
  const [size, out, filters] = [224, Math.floor(224 / kernel), 64];
  const [image, weight] = [
    `T<1x1x${size * size}x${channels}>`,
    `H<${filters}x${channels}x${kernel}x${kernel}>`,
  ];
  const result = `T<1x1x${out * out}x${filters}>`;
  return ttnnModule(`(%x: ${image}, %w: ${weight}) -> ${result}`, [
    `%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`,
    `%c = "ttnn.conv2d"(%x, %w, %d) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = ${channels} : i32, input_height = ${size} : i32, input_width = ${size} : i32, kernel_size = array<i32: ${kernel}, ${kernel}>, out_channels = ${filters} : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: ${kernel}, ${kernel}>}> : (${image}, ${weight}, !ttnn.device) -> ${result}`,
    `return %c : ${result}`,
  ]);
}

/** Op names of the forward function. */
function opsOf(text: string): readonly (string | undefined)[] {
  const { isLegal } = graphQuestions(getDevice("n150"));
  return passedBody(text, rowMajorConvolutionInput, undefined, { isLegal })
    .map((line) => /"ttnn\.(\w+)"/.exec(line)?.[1]).filter((name) => name !== undefined);
}

Deno.test("patches of 16x16 pixels of 200 channels are read in rows: on tiles their buffers exceed L1", () => {
  assertEquals(opsOf(patches(16, 200)), ["get_device", "to_layout", "conv2d"]);
});

Deno.test("a convolution that fits on tiles stays on them", () => {
  assertEquals(opsOf(patches(16, 3)), ["get_device", "conv2d"]);
});

Deno.test("a convolution that the op model refuses on rows too stays as it is", () => {
  const lines = passedBody(patches(16, 200), rowMajorConvolutionInput, undefined, { isLegal: () => false });
  assertEquals(lines.some((line) => line.includes("to_layout")), false);
});

/** A convolution of images whose tiles are made of rows, for it alone or for another reader too. */
function tiledImages(filters: number, channels: number, isShared: boolean): string {
  const [size, pixels] = [56, 2 * 56 * 56];
  const [rows, image] = [`R<2x${size}x${size}x${channels}>`, `T<2x${size}x${size}x${channels}>`];
  const [flat, weight] = [`T<1x1x${pixels}x${channels}>`, `H<${filters}x${channels}x3x3>`];
  const result = `T<1x1x${pixels}x${filters}>`;
  return ttnnModule(`(%r: ${rows}, %w: ${weight}) -> (${result}, ${image})`, [
    `%x = "ttnn.to_layout"(%r) : (${rows}) -> ${image}`,
    `%f = "ttnn.reshape"(%x) <{shape = [1 : i32, 1 : i32, ${pixels} : i32, ${channels} : i32]}> : (${image}) -> ${flat}`,
    `%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`,
    `%c = "ttnn.conv2d"(%f, %w, %d) <{batch_size = 2 : i32, conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = ${channels} : i32, input_height = ${size} : i32, input_width = ${size} : i32, kernel_size = array<i32: 3, 3>, out_channels = ${filters} : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (${flat}, ${weight}, !ttnn.device) -> ${result}`,
    `%o = "ttnn.relu"(${isShared ? "%x" : "%r"}) : (${isShared ? image : rows}) -> ${image}`,
    `return %c, %o : ${result}, ${image}`,
  ]);
}

Deno.test("images in rows stay in rows where tiles would be made of them for the convolution alone", () => {
  const questions = graphQuestions(getDevice("n150"));
  const conversions = (text: string): number =>
    passedBody(text, rowMajorConvolutionInput, undefined, questions)
      .filter((line) => line.includes("to_layout")).length;
  // One in front of the convolution; the way from rows to tiles and back is for others to see.
  assertEquals(conversions(tiledImages(96, 48, false)), 2);
  // Tiles that something else reads are there anyway.
  assertEquals(conversions(tiledImages(96, 48, true)), 1);
  // Channels of whole tiles are as good as rows.
  assertEquals(conversions(tiledImages(96, 64, false)), 1);
});

/** Leave for rows alone. */
function onlyRows({ operands: [input] }: ProposedOp): boolean {
  return input?.kind === "tensor" && input.layout.tile === undefined;
}

keepsMeaning(
  "a convolution reads rows",
  [rowMajorConvolutionInput],
  CONVOLUTIONS.map((extents) => ({
    text: convolutionModule(extents, {}, ["return %y : IMAGE"]),
    ops: ["to_layout", "conv2d"],
  })),
  10,
  { isLegal: onlyRows },
);
