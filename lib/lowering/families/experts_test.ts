// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
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

/** Lines of a lowered body that are neither changes of pages nor of formats. */
function worked(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !/"ttnn\.(?:to_layout|typecast)"/.test(line));
}

const MAPPING = "tensor<1x1x32x8xi64>";

function dispatched(tokens: string, experts: string): readonly string[] {
  const results = "tensor<1x2x128x2880xbf16>, tensor<1x2x128x4xi64>";
  return worked(loweredBody(ttirFunction(`(%a: ${tokens}, %i: ${experts}, %m: ${MAPPING}) -> (${results})`, [
    `%0:2 = "ttir.all_to_all_dispatch"(%a, %i, %m) <{cluster_axis = 0 : i64, num_devices = 2 : i64}> : (${tokens}, ${experts}, ${MAPPING}) -> (${results})`,
    `return %0#0, %0#1 : ${results}`,
  ])));
}

Deno.test("tokens go to experts in rows of four dimensions, with experts in 16 bits", () => {
  const [line = "", ...rest] = dispatched("tensor<1x1x128x2880xbf16>", "tensor<1x1x128x4xi64>");
  assertStringIncludes(
    line,
    "<{cluster_axis = 0 : i64, num_devices = 2 : i64}> : (tensor<1x1x128x2880xbf16, rm>, tensor<1x1x128x4xui16, rm>, " +
      "tensor<1x1x32x8xui16, rm>) -> (tensor<1x2x128x2880xbf16, rm>, tensor<1x2x128x4xui16, rm>)",
  );
  assertEquals(rest.length, 1);
  const flat = dispatched("tensor<1x128x2880xbf16>", "tensor<128x4xi64>");
  assertEquals(flat.filter((each) => each.includes('"ttnn.reshape"')).length, 2);
  const types = (text: string): string => text.slice(text.indexOf(" : ("));
  assertEquals(types(flat.at(-2) ?? ""), types(line));
});

Deno.test("what experts made comes back with experts first, however it is given", () => {
  const result = "tensor<4x1x128x2880xbf16>";
  const combined = (input: string): readonly string[] => {
    const operands = `${input}, tensor<1x2x128x4xi64>, ${MAPPING}`;
    return worked(loweredBody(ttirFunction(
      `(%a: ${input}, %i: tensor<1x2x128x4xi64>, %m: ${MAPPING}) -> ${result}`,
      [
        `%0 = "ttir.all_to_all_combine"(%a, %i, %m) <{cluster_axis = 0 : i64, num_devices = 2 : i64, num_experts_per_tok = 4 : i64, output_shard_dim = 2 : i64}> : (${operands}) -> ${result}`,
        `return %0 : ${result}`,
      ],
    )));
  };
  const [line = ""] = combined("tensor<4x2x128x2880xbf16>");
  assertStringIncludes(
    line,
    "<{cluster_axis = 0 : i64, num_devices = 2 : i64, num_experts_per_tok = 4 : i64, output_shard_dim = 2 : i64}> : " +
      "(tensor<4x2x128x2880xbf16, rm>, tensor<1x2x128x4xui16, rm>, tensor<1x1x32x8xui16, rm>)",
  );
  const [permuted = "", again = ""] = combined("tensor<2x128x4x2880xbf16>");
  assertStringIncludes(permuted, '"ttnn.permute"(%arg0) <{permutation = array<i64: 2, 0, 1, 3>}>');
  assertStringIncludes(again, ": (tensor<4x2x128x2880xbf16, rm>,");
  assertThrows(
    () => combined("tensor<4x3x128x2880xbf16>"),
    DiagnosticError,
    "no dimensions for 2x128 tokens",
  );
});

Deno.test("weights of experts are repeated for every group of tokens that has the same", () => {
  const remapped = (weights: string): readonly string[] => {
    const [operands, results] = [
      `${weights}, ${MAPPING}, tensor<1x2x128x4xi64>`,
      "tensor<1x2x128x4xbf16>, tensor<1x1x8x4xbf16>",
    ];
    return worked(loweredBody(ttirFunction(
      `(%w: ${weights}, %m: ${MAPPING}, %i: tensor<1x2x128x4xi64>) -> (${results})`,
      [
        `%0:2 = "ttir.moe_expert_token_remap"(%w, %m, %i) <{reduction_size = 32 : i64}> : (${operands}) -> (${results})`,
        `return %0#0, %0#1 : ${results}`,
      ],
    )));
  };
  const [line = ""] = remapped("tensor<1x2x128x32xbf16>");
  assertStringIncludes(line, "<{reduction_size = 32 : i64}> : (tensor<1x2x128x32xbf16, rm>,");
  const repeated = remapped("tensor<128x32xbf16>");
  const [repeat = "", again = ""] = ["repeat", "moe_expert_token_remap"].map((name) =>
    repeated.find((each) => each.includes(`"ttnn.${name}"`)) ?? ""
  );
  assertStringIncludes(repeat, "#ttnn.shape<1x2x1x1>");
  assertStringIncludes(again, "<{reduction_size = 32 : i64}> : (tensor<1x2x128x32xbf16, rm>,");
  assertThrows(() => remapped("tensor<96x32xbf16>"), DiagnosticError, "weights of 96 tokens");
});

Deno.test("experts and scores that tokens are sent with come back in rows on one core", () => {
  const operands =
    `tensor<1x1x128x2880xbf16>, tensor<1x1x128x4xi64>, tensor<128x4xf32>, tensor<1x1x2x32xi64>`;
  const results = "tensor<1x256x2880xbf16>, tensor<1x256x4xi64>, tensor<1x256x4xf32>";
  const [a, i, s, m] = operands.split(", ");
  const lines = worked(loweredBody(ttirFunction(
    `(%a: ${a}, %i: ${i}, %s: ${s}, %m: ${m}) -> (${results})`,
    [
      `%0:3 = "ttir.all_to_all_dispatch_metadata"(%a, %i, %s, %m) <{cluster_axis = 0 : i64, num_devices = 2 : i64}> : (${operands}) -> (${results})`,
      `return %0#0, %0#1, %0#2 : ${results}`,
    ],
  )));
  assertStringIncludes(
    lines.find((line) => line.includes("dispatch_metadata")) ?? "",
    "<{cluster_axis = 0 : i64, num_devices = 2 : i64}> : (tensor<1x1x128x2880xbf16, rm>, tensor<1x1x128x4xui16, rm>, " +
      "tensor<1x1x128x4xbf16, rm>, tensor<2x32xui16, rm>) -> (tensor<1x256x2880xbf16, rm>, " +
      "tensor<1x256x4xui16, l1 height_sharded 1x1>, tensor<1x256x4xbf16, l1 height_sharded 1x1>)",
  );
});
