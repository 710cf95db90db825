// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { DEFAULT_PASS_OPTIONS } from "./pass_options.ts";
import { passedBody, ttnnModule } from "./testing/passed_body.ts";
import { weightDtype } from "./weight_dtype.ts";

const LINES = [
  '%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<32x64>, T<64x96>) -> T<32x96>',
  "return %0 : T<32x96>",
];

function weights(attributes: string): readonly string[] {
  const text = ttnnModule(`(%x: T<32x64>, %w: T<64x96> {${attributes}}) -> T<32x96>`, LINES);
  return passedBody(text, weightDtype, { ...DEFAULT_PASS_OPTIONS, weightDtype: "bfp_bf4" })
    .map((line) => /bfp_bf\d/.exec(line)?.[0] ?? "");
}

Deno.test("a parameter's own format comes before the one of the run", () => {
  const parameter = "ttcore.argument_type = #ttcore.argument_type<parameter>";
  assertEquals(weights(parameter), ["bfp_bf4", "bfp_bf4", ""]);
  assertEquals(weights(`${parameter}, ttcore.weight_dtype = "bfp_bf8"`), ["bfp_bf8", "bfp_bf8", ""]);
});

Deno.test("a weight of several parameters gets the format that all of them name, otherwise the one of the run", () => {
  const joined = (first: string, second: string) => {
    const argument = (format: string) =>
      `{ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.weight_dtype = "${format}"}`;
    const text = ttnnModule(
      `(%x: T<32x64>, %a: T<32x96> ${argument(first)}, %b: T<32x96> ${argument(second)}) -> T<32x96>`,
      [
        '%w = "ttnn.concat"(%a, %b) <{dim = 0 : si32}> : (T<32x96>, T<32x96>) -> T<64x96>',
        '%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<32x64>, T<64x96>) -> T<32x96>',
        "return %0 : T<32x96>",
      ],
    );
    return passedBody(text, weightDtype, { ...DEFAULT_PASS_OPTIONS, weightDtype: "bfp_bf4" })
      .map((line) => /bfp_bf\d/.exec(line)?.[0] ?? "");
  };
  assertEquals(joined("bfp_bf8", "bfp_bf8"), ["", "bfp_bf8", "bfp_bf8", ""]);
  assertEquals(joined("bfp_bf8", "bfp_bf4"), ["", "bfp_bf4", "bfp_bf4", ""]);
});

Deno.test("a weight on the host keeps its format", () => {
  const text = ttnnModule(
    "(%x: T<32x64>, %w: H<64x96> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> T<32x96>",
    [
      '%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<32x64>, H<64x96>) -> T<32x96>',
      "return %0 : T<32x96>",
    ],
  );
  const after = passedBody(text, weightDtype, { ...DEFAULT_PASS_OPTIONS, weightDtype: "bfp_bf4" });
  assertEquals(after.filter((line) => line.includes("bfp_bf4")), []);
});

Deno.test("values that are no parameters keep their format", () => {
  assertEquals(weights("ttcore.argument_type = #ttcore.argument_type<input>"), ["", ""]);
});
