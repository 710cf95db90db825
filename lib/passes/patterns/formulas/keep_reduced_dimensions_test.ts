// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseRmsNorm } from "./fuse_rms_norm.ts";
import { keepReducedDimensions } from "./keep_reduced_dimensions.ts";

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

/** `x · rsqrt(mean(x²) + ε)`, where the rows are counted without their width up to the product. */
function normalized(leading: readonly number[], width: number): string {
  const [rows, kept, whole] = [leading, [...leading, 1], [...leading, width]].map((shape) => shape.join("x"));
  const shape = [...leading, 1].map((extent) => `${extent} : i32`).join(", ");
  const one = leading.map(() => 1).join("x");
  return ttnnModule(`(%x: T<${whole}>, %w: T<${width}>) -> T<${whole}>`, [
    `%e = "ttnn.full"() <{fill_value = 1.000000e-05 : f32, shape = #ttnn.shape<${one}>}> : () -> T<${one}>`,
    `%0 = "ttnn.multiply"(%x, %x) : (T<${whole}>, T<${whole}>) -> T<${whole}>`,
    `%1 = "ttnn.mean"(%0) <{dim_arg = [${leading.length} : i32], keep_dim = false}> : (T<${whole}>) -> T<${rows}>`,
    `%2 = "ttnn.add"(%1, %e) : (T<${rows}>, T<${one}>) -> T<${rows}>`,
    `%3 = "ttnn.rsqrt"(%2) : (T<${rows}>) -> T<${rows}>`,
    `%4 = "ttnn.reshape"(%3) <{shape = [${shape}]}> : (T<${rows}>) -> T<${kept}>`,
    `%5 = "ttnn.multiply"(%x, %4) : (T<${whole}>, T<${kept}>) -> T<${whole}>`,
    `%6 = "ttnn.multiply"(%w, %5) : (T<${width}>, T<${whole}>) -> T<${whole}>`,
    `return %6 : T<${whole}>`,
  ]);
}

for (const leading of [[2, 5], [1, 1], [1]]) {
  Deno.test(`the norm of ${leading.join("x")} rows is seen when their width comes back behind the root`, () => {
    const ops = passedBody(normalized(leading, 64), fuseRmsNorm).map((line) => /ttnn\.(\w+)/.exec(line)?.[1]);
    assertEquals(ops, ["rms_norm", undefined]);
  });
}
