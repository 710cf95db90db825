// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { constEval } from "../../const_eval.ts";
import { PARAMETER } from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { bodyLines, passed, ttnnModule } from "../../testing/passed_body.ts";
import { takeBackJoin } from "./take_back_join.ts";

interface Joined {
  /** Columns of the weights. */
  readonly widths: readonly number[];
  /** Where the columns are sliced; by default where the weights meet. */
  readonly cuts?: readonly number[];
  readonly hasBias: boolean;
  /** Whether weights are joined at load. */
  readonly isLoaded: boolean;
}

/** A matmul by weights side by side, and its columns. */
function text({ widths, cuts = widths, hasBias, isLoaded }: Joined): string {
  const width = widths.reduce((sum, each) => sum + each, 0);
  const role = isLoaded ? ` ${PARAMETER}` : "";
  const each = (make: (extent: number, index: number) => string): string => widths.map(make).join(", ");
  const concat = (made: string, name: string, rows: string, dim: number): string =>
    `${made} = "ttnn.concat"(${each((_, i) => `%${name}${i}`)}) <{dim = ${dim} : si32}> : ` +
    `(${each((extent) => `T<${rows}${extent}>`)}) -> T<${rows}${width}>`;
  let end = 0;
  const slices = cuts.map((extent, index) => {
    const begin = end;
    end += extent;
    return `%s${index} = "ttnn.slice_static"(%p) <{begins = [0 : i32, ${begin} : i32], ends = [3 : i32, ${end} : i32], ` +
      `step = [1 : i32, 1 : i32]}> : (T<3x${width}>) -> T<3x${extent}>`;
  });
  const types = cuts.map((extent) => `T<3x${extent}>`).join(", ");
  const [op, operands, ofTypes] = hasBias
    ? ["linear", "%x, %w, %b", `T<3x4>, T<4x${width}>, T<${width}>`]
    : ["matmul", "%x, %w", `T<3x4>, T<4x${width}>`];
  const biases = hasBias ? `, ${each((extent, i) => `%b${i}: T<${extent}>${role}`)}` : "";
  const given = `%x: T<3x4>, ${each((extent, i) => `%w${i}: T<4x${extent}>${role}`)}${biases}`;
  const written = ttnnModule(`(${given}) -> (${types})`, [
    concat("%w", "w", "4x", 1),
    ...hasBias ? [concat("%b", "b", "", 0)] : [],
    `%p = "ttnn.${op}"(${operands}) <{transpose_a = false, transpose_b = false}> : (${ofTypes}) -> T<3x${width}>`,
    ...slices,
    `return ${cuts.map((_, index) => `%s${index}`).join(", ")} : ${types}`,
  ]);
  return isLoaded ? passed(written, constEval).text : written;
}

keepsMeaning(
  "matmuls that were joined, one by one again",
  [takeBackJoin],
  fc.record({
    widths: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 3 }),
    hasBias: fc.boolean(),
    isLoaded: fc.boolean(),
  }).map((given) => ({
    text: text(given),
    ops: [given.hasBias ? "linear" : "matmul", "!slice_static"],
  })),
  20,
);

Deno.test("a matmul whose columns are cut elsewhere than where its weights meet stays", () => {
  const slices = (given: Joined): number =>
    bodyLines(passed(text(given), takeBackJoin).text).filter((line) => line.includes("slice_static")).length;
  assertEquals(slices({ widths: [4, 2], hasBias: false, isLoaded: false }), 0);
  assertEquals(slices({ widths: [4, 2], cuts: [3, 3], hasBias: false, isLoaded: false }), 2);
});
