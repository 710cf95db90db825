// SPDX-License-Identifier: Apache-2.0
import { assertStringIncludes } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

const A = "tensor<2x4x64x2880xbf16>";
const B = "tensor<1x32x2880x5760xbf16>";
const SPARSITY = "tensor<2x4x1x32xbf16>";
const C = "tensor<2x4x1x32x64x5760xbf16>";

Deno.test("sparse_matmul spreads the columns of each expert over one row of cores", () => {
  const [rows = "", line = ""] = loweredBody(ttirFunction(`(%a: ${A}, %b: ${B}, %s: ${SPARSITY}) -> ${C}`, [
    `%0 = "ttir.sparse_matmul"(%a, %b, %s) <{is_input_a_sparse = false, is_input_b_sparse = true}> : (${A}, ${B}, ${SPARSITY}) -> ${C}`,
    `return %0 : ${C}`,
  ]));
  assertStringIncludes(rows, '%0 = "ttnn.to_layout"(%arg2)');
  // 180 tiles of columns on 8 cores, 64 rows of each product.
  assertStringIncludes(line, "per_core_m = 2, per_core_n = 23, fuse_batch = false, mcast_in0 = true");
  assertStringIncludes(
    line,
    '"ttnn.sparse_matmul"(%arg0, %arg1, %0) <{is_input_a_sparse = false, is_input_b_',
  );
});

Deno.test("selective_reduce_combine keeps what it is told", () => {
  const [x, i] = ["tensor<16x128x1x2880xbf16>", "tensor<1x128x1x4xsi32>"];
  const [line = ""] = loweredBody(ttirFunction(`(%a: ${x}, %b: ${x}, %c: ${i}, %d: ${i}) -> ${x}`, [
    `%0 = "ttir.selective_reduce_combine"(%a, %b, %c, %d) <{hidden_size = 2880 : ui32, batch_size = 128 : ui32, seq_size = 1 : ui32, select_experts_k = 4 : ui32, experts = 32 : ui32}> : (${x}, ${x}, ${i}, ${i}) -> ${x}`,
    `return %0 : ${x}`,
  ]));
  assertStringIncludes(
    line,
    "<{batch_size = 128 : ui32, experts = 32 : ui32, hidden_size = 2880 : ui32, select_experts_k = 4 : ui32, seq_size = 1 : ui32}>",
  );
});
