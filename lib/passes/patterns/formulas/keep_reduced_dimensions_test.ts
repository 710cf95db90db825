// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { patternPass } from "../../rewrite_pattern.ts";
import { fuseRmsNorm } from "./fuse_rms_norm.ts";
import { keepReducedDimensions, raiseKeptDimensions } from "./keep_reduced_dimensions.ts";

function reduced(result: string): string {
  return ttnnModule(`(%x: T<2x32x64>) -> T<${result}>`, [
    '%0 = "ttnn.mean"(%x) <{dim_arg = [-1 : i32], keep_dim = false}> : (T<2x32x64>) -> T<2x32>',
    `%1 = "ttnn.reshape"(%0) <{shape = [${
      result.split("x").map((extent) => `${extent} : i32`).join(", ")
    }]}> : (T<2x32>) -> T<${result}>`,
    `return %1 : T<${result}>`,
  ]);
}

Deno.test("a reduced dimension that comes back is kept", () => {
  assertEquals(passedBody(reduced("2x32x1"), keepReducedDimensions), [
    '%pass_0 = "ttnn.mean"(%x) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<2x32x64xbf16>) -> tensor<2x32x1xbf16>',
    "return %pass_0 : tensor<2x32x1xbf16>",
  ]);
});

Deno.test("a dimension at another place is no reduced one", () => {
  assertEquals(passedBody(reduced("2x1x32"), keepReducedDimensions).length, 3);
});

/**
 * `x · rsqrt(mean(x²) + ε)`, where the rows are counted without their width up to the product.
 *
 * @param returnsRoot whether the root is returned as well
 */
function normalized(
  leading: readonly number[],
  width: number,
  stat: string,
  returnsRoot: boolean = false,
): string {
  const [rows, kept, whole] = [leading, [...leading, 1], [...leading, width]].map((shape) => shape.join("x"));
  const shape = [...leading, 1].map((extent) => `${extent} : i32`).join(", ");
  const one = leading.map(() => 1).join("x");
  const results = returnsRoot ? `T<${whole}>, T<${rows}>` : `T<${whole}>`;
  return ttnnModule(`(%x: T<${whole}>, %w: T<${width}>) -> (${results})`, [
    `%e = "ttnn.full"() <{fill_value = 1.000000e-05 : f32, shape = #ttnn.shape<${one}>}> : () -> T<${one}>`,
    `%0 = "ttnn.multiply"(%x, %x) : (T<${whole}>, T<${whole}>) -> T<${whole}>`,
    `%1 = "ttnn.${stat}"(%0) <{dim_arg = [${leading.length} : i32], keep_dim = false}> : (T<${whole}>) -> T<${rows}>`,
    `%2 = "ttnn.add"(%1, %e) : (T<${rows}>, T<${one}>) -> T<${rows}>`,
    `%3 = "ttnn.rsqrt"(%2) : (T<${rows}>) -> T<${rows}>`,
    `%4 = "ttnn.reshape"(%3) <{shape = [${shape}]}> : (T<${rows}>) -> T<${kept}>`,
    `%5 = "ttnn.multiply"(%x, %4) : (T<${whole}>, T<${kept}>) -> T<${whole}>`,
    `%6 = "ttnn.multiply"(%w, %5) : (T<${width}>, T<${whole}>) -> T<${whole}>`,
    `return ${returnsRoot ? "%6, %3" : "%6"} : ${results}`,
  ]);
}

keepsMeaning(
  "reduced dimensions come back before the root",
  [raiseKeptDimensions],
  fc.tuple(
    fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 2, max: 33 }),
    fc.constantFrom("mean", "sum", "max"),
  ).map(([leading, width, stat]) => ({ text: normalized(leading, width, stat), ops: ["rsqrt", "reshape"] })),
  30,
);

function opsOf(lines: readonly string[]): readonly (string | undefined)[] {
  return lines.map((line) => /ttnn\.(\w+)/.exec(line)?.[1]);
}

for (const leading of [[2, 5], [1, 1], [1]]) {
  Deno.test(`the norm of ${leading.join("x")} rows is seen when their width comes back behind the root`, () => {
    const text = normalized(leading, 64, "mean");
    const norm = ["rms_norm", undefined];
    assertEquals(
      opsOf(passedBody(text, patternPass("norms", undefined, [raiseKeptDimensions, fuseRmsNorm]))),
      norm,
    );
    assertEquals(opsOf(passedBody(text, fuseRmsNorm)), norm);
  });
}

Deno.test("a result with other readers keeps its dimensions removed", () => {
  const text = normalized([2, 5], 64, "mean", true);
  assertEquals(passedBody(text, raiseKeptDimensions).some((line) => line.includes("pass_")), false);
});
