// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { planToJson } from "../lib/plan/plan_json.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { L1_FAILURE_KINDS, type L1FailureKind } from "../lib/memory/l1_timeline.ts";
import { memoryVerdict } from "../lib/memory/memory_verdict.ts";
import { countLayouts, parsePlanDocument, type PlanDocument, planDocument } from "./plan_document.ts";

const LAYOUTS = `
#dram = #ttnn.buffer_type<dram>
#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
`;
const T = "tensor<64x64xbf16, #l>";

Deno.test("a summary counts ops that run, not loads of const-eval results nor the opening of the device", () => {
  const text = `${LAYOUTS}module {
    func.func private @folded(%w: ${T}) -> ${T} attributes {tt.function_type = "const_eval"} {
      %0 = "ttnn.exp"(%w) : (${T}) -> ${T}
      return %0 : ${T}
    }
    func.func @main(%x: ${T}, %w: ${T}) -> ${T} attributes {tt.function_type = "forward_device"} {
      %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
      %0 = ttcore.load_cached(@folded, [%w]) : (${T}) -> ${T}
      %1 = "ttnn.add"(%x, %0) : (${T}, ${T}) -> ${T}
      %2 = "ttnn.relu"(%1) : (${T}) -> ${T}
      return %2 : ${T}
    }
  }`;
  const module = loadModule(text, { device: "n150", passes: "none" });
  const { timeline } = optimizeModule(module, getPolicy("dram"), DEFAULT_POLICY_OPTIONS);
  assertEquals(countLayouts(timeline), { ops: 2, l1ResidentOps: 0, shardedOps: 0 });
});

Deno.test("a plan and the text that is written for it have the same number of sharded ops, whatever is copied", () => {
  // The shapes of a product that reads its operand in shards, and writes to DRAM.
  const text = `func.func @main(%a: tensor<1x2x31x16xf32>, %b: tensor<1x2x31x3xf32>) -> tensor<1x2x16x3xf32> {
    %0 = "ttir.matmul"(%a, %b) <{transpose_a = true, transpose_b = false}> : (tensor<1x2x31x16xf32>, tensor<1x2x31x3xf32>) -> tensor<1x2x16x3xf32>
    return %0 : tensor<1x2x16x3xf32>
  }`;
  for (const policy of ["beam-cost", "greedy", "df-sharding-2"]) {
    const decided = optimizeModule(
      loadModule(text, { device: "n150" }),
      getPolicy(policy),
      DEFAULT_POLICY_OPTIONS,
    );
    const { binding: { graph }, ...models } = loadModule(decided.text, { device: "n150", passes: "none" });
    const { ops: _plan, ...placed } = countLayouts(decided.timeline);
    const { ops: _text, ...read } = countLayouts(simulateGraph(graph, undefined, models));
    assertEquals(read, placed, policy);
  }
});

Deno.test("a document with a misfit of any kind is read back", () => {
  const text = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
    %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }`;
  const optimized = optimizeModule(
    loadModule(text, { device: "n150" }),
    getPolicy("dram"),
    DEFAULT_POLICY_OPTIONS,
  );
  const document = planDocument(optimized, { input: "relu.mlir", version: "0.0.0", wallMs: 0 });
  const every: Readonly<Record<L1FailureKind, true>> = {
    no_program: true,
    too_large: true,
    no_space: true,
    circular_buffer_clash: true,
    over_budget: true,
  };
  assertEquals(Object.keys(every), [...L1_FAILURE_KINDS]);
  for (const kind of L1_FAILURE_KINDS) {
    const op = { function: "main", op: 0, name: "ttnn.relu", location: "" };
    const verdict = memoryVerdict({
      refusedOps: [],
      misfits: [{ ...op, memory: "l1", kind, shortBytes: 0 }],
      uncheckedOps: [],
    });
    const unfit: PlanDocument = { ...document, summary: { ...document.summary, verdict } };
    assertEquals(parsePlanDocument(planToJson(unfit), "plan.json").summary.verdict, verdict);
  }
});
