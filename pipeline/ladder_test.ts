// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { describeLayout } from "../lib/layout/describe.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import type { DecisionTrace } from "../lib/propagation/decision_trace.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";

// Attention scores of 12 heads: a product of batches, of which no sharded result is legal (tt-mlir:optimizer-document
// §5.6.1: sharded, else L1 interleaved, else DRAM).
const Q = "tensor<1x12x128x64xbf16, #q>";
const K = "tensor<1x12x64x128xbf16, #k>";
const S = "tensor<1x12x128x128xbf16, #s>";

function layout(map: string, tiles: string): string {
  return `#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (${map} + d2, d3), <1x1>, memref<${tiles}x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>`;
}

const MODULE = `
#dram = #ttnn.buffer_type<dram>
#q = ${layout("d0 * 1536 + d1 * 128", "48x2")}
#k = ${layout("d0 * 768 + d1 * 64", "24x4")}
#s = ${layout("d0 * 1536 + d1 * 128", "48x4")}
module {
  func.func @forward(%q: ${Q}, %k: ${K}, %v: ${Q}) -> ${Q} attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.matmul"(%q, %k) <{transpose_a = false, transpose_b = false}> : (${Q}, ${K}) -> ${S}
    %1 = "ttnn.softmax"(%0) <{dimension = 3 : si32}> : (${S}) -> ${S}
    %2 = "ttnn.matmul"(%1, %v) <{transpose_a = false, transpose_b = false}> : (${S}, ${Q}) -> ${Q}
    return %2 : ${Q}
  }
}
`;

function decide(name: string, text: string = MODULE, given: Partial<PolicyOptions> = {}) {
  const policy = getPolicy(name);
  const traces: DecisionTrace[] = [];
  const workbench = createWorkbench(parseModule(text, "ladder.mlir"), getDevice("n150"));
  const optimized = optimizeModule(workbench, policy, { ...DEFAULT_POLICY_OPTIONS, ...given }, {
    decisionTrace: (trace) => void traces.push(trace),
  });
  const results = optimized.plan.functions[0]?.decisions.map(({ outputLayouts: [first] }) =>
    first === undefined ? "-" : describeLayout(first)
  );
  return { results, notAsked: traces[0]?.ops.map(({ notAsked }) => notAsked) };
}

for (const [policy, made] of [["greedy", "dram/interleaved"], ["beam", "l1/interleaved"]] as const) {
  Deno.test(`${policy} makes a matmul ${made} where no sharded result is legal`, () => {
    assertEquals(decide(policy).results?.[0], made);
    const linear = MODULE.replaceAll('"ttnn.matmul"', '"ttnn.linear"');
    assertEquals(decide(policy, linear).results?.[0], made);
  });
}

for (const policy of ["greedy", "beam"]) {
  Deno.test(`${policy} goes on to DRAM where L1 interleaved is not to be asked for`, () => {
    const { results, notAsked } = decide(policy, MODULE, { enableL1ShardingLayouts: false });
    assertEquals(results?.[0], "dram/interleaved");
    assert(
      notAsked?.[0]?.some((line) => line.startsWith("l1/block_sharded, l1/height_sharded")),
      `${notAsked?.[0]}`,
    );
  });
}

Deno.test("the trace lists the results that were not queried", () => {
  assertEquals(decide("beam").notAsked, [
    ["l1/block_sharded, l1/height_sharded, l1/width_sharded: not among the hints of the op's rule"],
    [],
    ["l1/block_sharded, l1/height_sharded, l1/width_sharded: not among the hints of the op's rule"],
  ]);
  // The compiler has no ladder behind its hints, and takes the first shards that it gets.
  const products = [
    "l1/block_sharded, l1/height_sharded, l1/width_sharded, l1/interleaved: not among the hints of the op's rule",
  ];
  assertEquals(decide("greedy").notAsked, [
    products,
    [
      "l1/block_sharded, l1/width_sharded: tried only where nothing else gives a sharded result",
      "l1/interleaved, dram/interleaved: not among the hints of the op's rule",
    ],
    products,
  ]);
});
