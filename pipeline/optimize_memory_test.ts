// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { policies } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { checkMemory } from "./check_memory.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";

function tensor(rows: number, columns: number): string {
  return `tensor<${rows}x${columns}xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, ` +
    `memref<${rows / 32}x${
      columns / 32
    }x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>`;
}

/** The backend's own program config takes 851,968 bytes of circular buffers for this product. */
const PRODUCT = (() => {
  const [a, b, c] = [tensor(1024, 8192), tensor(8192, 8192), tensor(1024, 8192)];
  return `func.func @main(%a: ${a}, %b: ${b}) -> ${c} {
  %0 = "ttnn.matmul"(%a, %b) : (${a}, ${b}) -> ${c}
  return %0 : ${c}
}
`;
})();

for (const policy of policies) {
  Deno.test(`${policy.name} runs a matmul in smaller blocks where its own exceed L1`, () => {
    const options = { ...DEFAULT_POLICY_OPTIONS, tensorL1UsageCap: 0.5 };
    const workbench = createWorkbench(parseModule(PRODUCT, "product.mlir"), getDevice("n150"), options);
    const written = checkMemory(workbench, options.tensorL1UsageCap).verdict;
    assertEquals(written.misfits.map(({ op, kind }) => [op, kind]), [[0, "too_large"]]);
    assertEquals(optimizeModule(workbench, policy, options).memory.verdict.status, "fits");
  });
}
