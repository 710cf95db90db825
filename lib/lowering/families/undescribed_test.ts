// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

/** Arguments of kernels whose programs are not known: of declared types, and of any type. */
const KERNELS: Readonly<Record<string, readonly [arguments: string, results: string]>> = {
  cumulative: ["dim = 1 : i64, reduction = #ttcore.reduce_type<logsumexp>, reverse = true", "64x64xbf16"],
  reduce_bitwise_or: ["dim_arg = [1 : i32], keep_dim = true", "64x1xbf16"],
  topk_large_indices: ["k = 64 : ui32", "64x64xbf16"],
};

for (const [name, [properties, result]] of Object.entries(KERNELS)) {
  Deno.test(`arguments of ${name} stay as the source spells them`, () => {
    const [input, output] = ["tensor<64x64xbf16>", `tensor<${result}>`];
    const text = ttirFunction(`(%x: ${input}) -> ${output}`, [
      `%0 = "ttir.${name}"(%x) <{${properties}}> : (${input}) -> ${output}`,
      `return %0 : ${output}`,
    ]);
    assertEquals(
      loweredBody(text)[0],
      `%0 = "ttnn.${name}"(%arg0) <{${properties}}> : (${input}) -> ${output}`,
    );
  });
}
