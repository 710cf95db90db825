// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
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

Deno.test("a dimension somewhere else is no reduced one", () => {
  assertEquals(passedBody(reduced("2x1x32"), keepReducedDimensions).length, 3);
});
