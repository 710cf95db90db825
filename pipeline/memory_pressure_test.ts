// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";
import { opRows } from "./op_rows.ts";
import { countPlan } from "./plan_document.ts";

const HEAD = `
#dram = #ttnn.buffer_type<dram>
#wide = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<256x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#L0 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<128x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>`;
const T = "tensor<4096x2048xbf16, #L0>";
const WIDE = "tensor<8192x2048xbf16, #wide>";

/** A wide tensor lives across a sum of three others: L1 holds all but one of them, or all in another order. */
const WAITING = `${HEAD}
module {
  func.func @forward(%w: ${WIDE}, %x: ${T}, %y: ${T}, %z: ${T}) -> (${T}, ${WIDE}) attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.relu"(%w) : (${WIDE}) -> ${WIDE}
    %1 = "ttnn.relu"(%x) : (${T}) -> ${T}
    %2 = "ttnn.relu"(%y) : (${T}) -> ${T}
    %3 = "ttnn.relu"(%z) : (${T}) -> ${T}
    %4 = "ttnn.add"(%2, %3) : (${T}, ${T}) -> ${T}
    %5 = "ttnn.add"(%4, %1) : (${T}, ${T}) -> ${T}
    %6 = "ttnn.relu"(%0) : (${WIDE}) -> ${WIDE}
    return %5, %6 : ${T}, ${WIDE}
  }
}
`;

/** Six tensors wait in L1 for a sum that starts with the last of them: one too many. */
const SUM = `${HEAD}
module {
  func.func @forward(${
  [0, 1, 2, 3, 4, 5].map((i) => `%a${i}: ${T}`).join(", ")
}) -> ${T} attributes {tt.function_type = "forward_device"} {
${[0, 1, 2, 3, 4, 5].map((i) => `    %r${i} = "ttnn.relu"(%a${i}) : (${T}) -> ${T}`).join("\n")}
    %s0 = "ttnn.add"(%r5, %r1) : (${T}, ${T}) -> ${T}
    %s1 = "ttnn.add"(%s0, %r4) : (${T}, ${T}) -> ${T}
    %s2 = "ttnn.add"(%s1, %r3) : (${T}, ${T}) -> ${T}
    %s3 = "ttnn.add"(%s2, %r2) : (${T}, ${T}) -> ${T}
    %s4 = "ttnn.add"(%s3, %r0) : (${T}, ${T}) -> ${T}
    %s5 = "ttnn.add"(%s4, %r1) : (${T}, ${T}) -> ${T}
    return %s5 : ${T}
  }
}
`;

function decide(text: string, name: string, given: Partial<PolicyOptions> = {}) {
  const policy = getPolicy(name);
  const workbench = createWorkbench(parseModule(text, "pressure.mlir"), getDevice("n150"));
  const optimized = optimizeModule(workbench, policy, { ...DEFAULT_POLICY_OPTIONS, ...given });
  assertEquals(optimized.memory.verdict.status, "fits");
  return { ...optimized, microseconds: optimized.timeline.inference.totalUs };
}

/** What the portfolio is made of: beams by every score, with every pass 2 and in both orders. */
const PARTS: readonly (readonly [string, Partial<PolicyOptions>])[] = [
  ["dram", {}],
  ["l1-interleaved", {}],
  ["greedy", {}],
  ["greedy", { spill: "exact" }],
  ["greedy", { schedule: "memory" }],
  ["beam", {}],
  ["beam", { score: "runtime" }],
  ["beam", { score: "runtime", spill: "exact" }],
  ["beam", { score: "runtime", spill: "cost-aware" }],
  ["beam", { score: "runtime", spill: "farthest-last-use" }],
  ["beam", { score: "runtime", schedule: "memory" }],
  ["beam", { score: "runtime", spill: "exact", schedule: "memory" }],
];

for (const [what, text] of [["a tensor that waits", WAITING], ["a sum of six", SUM]] as const) {
  const parts = PARTS.map(([name, given]) => decide(text, name, given).microseconds);
  for (const name of ["beam-cost", "optimal"]) {
    Deno.test(`${name} tries exact spills and another order: ${what} costs no more than either alone`, () => {
      const { microseconds } = decide(text, name);
      parts.forEach((part, index) => {
        assert(
          microseconds <= part + 1e-9,
          `${microseconds} µs against ${part} of ${JSON.stringify(PARTS[index])}`,
        );
      });
    });

    Deno.test(`${name} keeps the given order and spills: ${what}`, () => {
      const { plan, microseconds } = decide(text, name, { schedule: "input", spill: "farthest-next-use" });
      assertEquals(plan.functions[0]?.schedule, undefined);
      assert(decide(text, name).microseconds < microseconds, "the order and the spills matter here");
    });
  }
}

Deno.test("a result that its op makes in DRAM for want of room is a spill", () => {
  const { graph, plan, timeline } = decide(SUM, "greedy", { spill: "farthest-next-use" });
  const [fn] = plan.functions;
  assertEquals(fn?.conversions.filter(({ reason }) => reason === "spill").length, 0);
  assertEquals(fn?.conversions.filter(({ reason }) => reason === "reload").length, 0);
  assertEquals(fn?.decisions.flatMap(({ op, spilled }) => spilled === true ? [op] : []), [0, 2]);
  const { spills, reshards } = countPlan(plan, timeline, opRows(graph, plan, timeline));
  assertEquals({ spills, reshards }, { spills: 2, reshards: 7 });
});
