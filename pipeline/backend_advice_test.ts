// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import type { BackendAdvice } from "./backend_advice.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

function adviceOn(text: string, device: string): readonly (BackendAdvice & { readonly share: number })[] {
  const { backendAdvice, timeline } = optimizeModule(
    loadModule(text, { device }),
    getPolicy("dram"),
    DEFAULT_POLICY_OPTIONS,
  );
  const { totalUs } = timeline.inference;
  return backendAdvice.map((advice) => ({ ...advice, share: (advice.savedUs ?? 0) / totalUs }));
}

Deno.test("chunks of prefill attention are priced, which TTNN cannot ask for", () => {
  const T = "tensor<1x32x4096x128xbf16>";
  const [chunks, ...others] = adviceOn(
    `func.func @main(%q: ${T}, %k: ${T}, %v: ${T}) -> ${T} {
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (${T}, ${T}, ${T}) -> ${T}
  return %0 : ${T}
}
`,
    "p100",
  );
  assertEquals([chunks?.setting, chunks?.ops, others], ["SDPAProgramConfig", 1, []]);
  // Published on p100 (`published:ops-2`): 6,831 us with chunks of 32, 1,835 with 128.
  assert(chunks !== undefined && chunks.share > 1 - 1835 / 6831, `${chunks?.share}`);
});

/** A DRAM-sharded product of 32 rows. */
function dramSharded(fidelity: string): string {
  const shards = (rows: number, format: string, place: string) =>
    `#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x8>, memref<${rows}x16x!ttcore.tile<32x32, ${format}>, #ttnn.buffer_type<${place}>>, <width_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,0)>]>>`;
  const [a, b] = ["tensor<32x4096xbf16, #a>", "tensor<4096x4096x!ttcore.tile<32x32, bfp_bf8>, #b>"];
  return `#a = ${shards(1, "bf16", "l1")}
#b = ${shards(128, "bfp_bf8", "dram")}
func.func @main(%x: ${a}, %w: ${b}) -> ${a} {
  %0 = "ttnn.matmul"(%x, %w) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = ${fidelity}, fp32_dest_acc_en = false, packer_l1_acc = true>, matmul_program_config = #ttnn.matmul_multi_core_reuse_multi_cast_dram_sharded_program_config<in0_block_w = 4, per_core_m = 1, per_core_n = 16>, transpose_a = false, transpose_b = false}> : (${a}, ${b}) -> ${a}
  return %0 : ${a}
}
`;
}

Deno.test("several readers per bank pay on Blackhole where eight cores limit a product, and nowhere else", () => {
  const readers = (fidelity: string, device: string) => {
    const workbench = loadModule(dramSharded(fidelity), { device, passes: "none" });
    const { backendAdvice } = optimizeModule(workbench, getPolicy("auto"), {
      ...DEFAULT_POLICY_OPTIONS,
      free: ["configs"],
    });
    return backendAdvice.map(({ setting }) => setting);
  };
  // Published on p300c (PR 54242 of tt-metal): 38.7 to 26.0 us at HiFi2.
  assertEquals(readers("hifi2", "p150"), ["num_workers_per_dram_bank"]);
  assertEquals(readers("hifi4", "p150"), ["num_workers_per_dram_bank"]);
  assertEquals(readers("hifi2", "n150"), []);
});
