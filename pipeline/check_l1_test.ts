// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { createWorkbench } from "./load.ts";
import { checkL1 } from "./optimize.ts";

const DRAM = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
  "memref<64x64x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>";
const TENSOR = `tensor<2048x2048xbf16, ${DRAM}>`;

/** The op model refuses the product: B must not be sharded in L1. */
const REFUSED = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, " +
  "memref<8x8x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <block_sharded>, " +
  "core_ranges = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,7)>]>>";
const SHARDED = `tensor<2048x2048xbf16, ${REFUSED}>`;

Deno.test("checkL1() and the simulation say which circular buffers they do not count", () => {
  const source = `func.func @main(%x: ${TENSOR}, %w: ${SHARDED}) -> ${TENSOR} {
  %0 = "ttnn.relu"(%x) : (${TENSOR}) -> ${TENSOR}
  %1 = "ttnn.matmul"(%0, %w) : (${TENSOR}, ${SHARDED}) -> ${TENSOR}
  return %1 : ${TENSOR}
}
`;
  const workbench = createWorkbench(parseModule(source, "refused.mlir"), getDevice("n150"));
  const { fits, problems } = checkL1(workbench, 0.95);
  assertEquals([fits, problems.map(({ code, severity }) => [code, severity])], [true, [[
    "l1/unconfirmed",
    "warning",
  ]]]);
  assertEquals(
    problems[0]?.message.startsWith("Circular buffers of ttnn.matmul (op 1 of @main) are not counted: "),
    true,
  );
  const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
  assertEquals(timeline.functions[0]?.steps.map((step) => step.refusal?.includes("must be interleaved")), [
    undefined,
    true,
  ]);
});
