// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { GraphQuestions, ProposedOp } from "../../graph_pass.ts";
import { readAttributes } from "../../../ops/attributes/read_attributes.ts";
import { CONV2D } from "../../../ops/attributes/window.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { convolveGroupsApart } from "./convolve_groups_apart.ts";

/** A line of 9 positions, convolved in groups. */
function convolution(
  channels: number,
  groups: number,
  hasBias: boolean,
  isParameter: boolean = true,
): string {
  const [image, weight] = [`T<1x1x9x${channels}>`, `H<${channels}x${channels / groups}x1x3>`];
  const parameter = isParameter ? " {ttcore.argument_type = #ttcore.argument_type<parameter>}" : "";
  const bias = hasBias ? [["%b", `T<1x1x1x${channels}>`]] : [];
  const operands = [["%x", image], ["%w", weight], ...bias, ["%d", "!ttnn.device"]];
  return ttnnModule(
    `(%x: ${image}, ${
      [["%w", weight], ...bias].map(([name, type]) => `${name}: ${type}${parameter}`).join(", ")
    }) -> ${image}`,
    [
      '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
      `%y = "ttnn.conv2d"(${operands.map(([name]) => name).join(", ")}) <{batch_size = 1 : i32, ` +
      `conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, ` +
      `groups = ${groups} : i32, in_channels = ${channels} : i32, input_height = 1 : i32, input_width = 9 : i32, ` +
      `kernel_size = array<i32: 1, 3>, out_channels = ${channels} : i32, padding = array<i32: 0, 0, 1, 1>, ` +
      `stride = array<i32: 1, 1>}> : (${operands.map(([, type]) => type).join(", ")}) -> ${image}`,
      `return %y : ${image}`,
    ],
  );
}

/** Convolutions take the time of dense products, everything else none. */
function time({ name, attributes }: ProposedOp): number {
  if (name !== "ttnn.conv2d") return 0;
  const { in_channels: inputs, out_channels: outputs } = readAttributes({ name, attributes }, CONV2D);
  return (inputs ?? 0) * (outputs ?? 0);
}

const TOOLS: Partial<GraphQuestions> = {
  microseconds: time,
  inSequence: (ops) => ({ microseconds: ops.reduce((sum, op) => sum + time(op), 0), waited: 0 }),
};

const groupsOf = (text: string, tools = TOOLS): readonly string[] =>
  passedBody(text, convolveGroupsApart, undefined, tools).flatMap((line) =>
    /"ttnn\.conv2d".* groups = (\d+)/.exec(line)?.[1] ?? []
  );

Deno.test("groups are convolved in as many parts of whole tiles as take least time", () => {
  assertEquals(groupsOf(convolution(128, 4, true)), ["1", "1", "1", "1"]);
  assertEquals(groupsOf(convolution(128, 16, false)), ["4", "4", "4", "4"]);
});

Deno.test("one group, filters that change, and parts that take more than half of the time stay together", () => {
  assertEquals(groupsOf(convolution(128, 1, true)), ["1"]);
  assertEquals(groupsOf(convolution(128, 4, true, false)), ["4"]);
  const slow = { ...TOOLS, inSequence: () => ({ microseconds: 128 * 128 * 0.6, waited: 0 }) };
  assertEquals(groupsOf(convolution(128, 4, true), slow), ["4"]);
});

keepsMeaning(
  "convolutions of groups apart",
  [convolveGroupsApart],
  fc.record({ groups: fc.constantFrom(4, 8, 16), hasBias: fc.boolean() }).map(({ groups, hasBias }) => ({
    text: convolution(128, groups, hasBias),
    ops: ["concat"],
  })),
  6,
  TOOLS,
);
