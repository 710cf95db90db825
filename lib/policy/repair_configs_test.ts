// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { loadModule } from "../../pipeline/load_module.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { workbenchFor } from "../../pipeline/load.ts";
import { predictOps } from "../../pipeline/confirm/prediction.ts";
import { DEFAULT_POLICY_OPTIONS } from "./options.ts";
import { policy as bfInterleaved } from "./policies/bf_interleaved.ts";
import { policy as dram } from "./policies/dram.ts";
import { policy as l1Interleaved } from "./policies/l1_interleaved.ts";

/** A product with subblocks of 1 x 7 tiles: of f32, ttnn 0.81.1 takes four tiles at most. */
function product(subblock: number): string {
  const tensor = (rows: number, columns: number, name: string): string =>
    `#${name} = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<${rows / 32}x${columns / 32}` +
    "x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>";
  const config = "#ttnn.matmul_multi_core_reuse_multi_cast_1d_program_config<" +
    "compute_with_storage_grid_size = #ttnn.core_coord<8, 8>, in0_block_w = 2, out_subblock_h = 1, " +
    `out_subblock_w = ${subblock}, out_block_h = 1, out_block_w = 7, per_core_m = 1, per_core_n = 7, ` +
    "fuse_batch = true, mcast_in0 = true, gather_in0 = false, hop_cores = #ttnn.core_range_set<>, " +
    "num_global_cb_receivers = 0, untilize_out = false>";
  const [a, b, c] = ["tensor<32x256xf32, #a>", "tensor<256x14336xf32, #b>", "tensor<32x14336xf32, #c>"];
  return `#dram = #ttnn.buffer_type<dram>
${tensor(32, 256, "a")}
${tensor(256, 14336, "b")}
${tensor(32, 14336, "c")}
module {
  func.func @forward(%x: ${a}, %w: ${b}) -> ${c} {
    %0 = "ttnn.matmul"(%x, %w) <{matmul_program_config = ${config}, transpose_a = false, transpose_b = false}> : (${a}, ${b}) -> ${c}
    return %0 : ${c}
  }
}`;
}

Deno.test("plans of every policy give an op that is refused with its own config the closest that runs", () => {
  for (const policy of [dram, l1Interleaved, bfInterleaved]) {
    for (const subblock of [1, 7]) {
      const workbench = loadModule(product(subblock), { device: "n150", fileName: "product.mlir" });
      const { text } = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
      const made = workbenchFor(text, "made.mlir", workbench, DEFAULT_POLICY_OPTIONS);
      const faults = [...predictOps(made, 0.95).values()].map(({ fault }) => fault);
      assertEquals(faults.filter((fault) => fault !== undefined), [], `${policy.name} ${subblock}`);
      assertEquals(text.includes("out_subblock_w = 7"), false);
    }
  }
});

Deno.test("decode attention of one user with one key head has a plan that runs", () => {
  // Without a program config ttnn 0.81.1 refuses 110 cores per head, and 64 need 1.9 MB of buffers; with these it runs
  // on a mock device.
  const [query, cache] = ["tensor<1x1x8x256xbf16>", "tensor<1x1x1024x256xbf16>"];
  const decode = `module {
  func.func @main(%q: ${query}, %k: ${cache}, %v: ${cache}, %p: tensor<1xi32>) -> ${query} {
    %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %v, %p) <{is_causal = true, scale = 0.0625 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (${query}, ${cache}, ${cache}, tensor<1xi32>) -> ${query}
    return %0 : ${query}
  }
}`;
  for (const [device, grid] of [["n150", "<8, 8>"], ["p150", "<11, 10>"]] as const) {
    for (const policy of [dram, bfInterleaved]) {
      const workbench = loadModule(decode, { device, fileName: "decode.mlir" });
      const { text, memory } = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
      assertEquals(memory.verdict.status, "fits", `${policy.name} on ${device}`);
      assertStringIncludes(
        text,
        `compute_with_storage_grid_size = ${grid}, q_chunk_size = 0, k_chunk_size = 0, max_cores_per_head_batch = 16>`,
      );
    }
  }
});
