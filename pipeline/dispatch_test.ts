// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createWorkbench } from "./load.ts";
import { type Optimized, optimizeModule } from "./optimize.ts";

const T = "tensor<512x512xbf16, #L0>";

/** `@forward` with dispatches `%2` (and more) to `@subgraph`, whose body makes `%0`. */
function moduleText(body: string, subgraph = `"ttnn.exp"(%arg0) : (${T}) -> ${T}`): string {
  const empty = (name: string): string =>
    `${name} = "ttnn.empty"(%0) <{dtype = #ttcore.supportedDataTypes<bf16>, layout = #ttnn.layout<tile>, ` +
    `memory_config = #ttnn.memory_config<#dram, <interleaved>>, shape = #ttnn.shape<512x512>}> : (!ttnn.device) -> ${T}`;
  const dispatch = (name: string, buffer: string): string =>
    `${name} = ttnn.d2m_subgraph @subgraph ins(%arg0 : ${T}) outs(${buffer} : ${T}) : ${T}`;
  return `#dram = #ttnn.buffer_type<dram>
#L0 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @forward(%arg0: ${T}, %arg1: ${T}) -> ${T} attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
    ${empty("%b2")}
    ${dispatch("%2", "%b2")}
    ${body.includes("%3") ? `${empty("%b3")}\n    ${dispatch("%3", "%b3")}` : ""}
    ${body}
    return %9 : ${T}
  }
  func.func private @subgraph(%arg0: ${T}) -> ${T} {
    %0 = ${subgraph}
    return %0 : ${T}
  }
}
`;
}

function optimized(text: string, options: Partial<PolicyOptions> = {}): Optimized {
  const policy = getPolicy("df-sharding-2");
  const workbench = createWorkbench(parseModule(text, "dispatch.mlir"), getDevice("n150"));
  const result = optimizeModule(workbench, policy, { ...DEFAULT_POLICY_OPTIONS, ...options });
  assertEquals(verifyModule(parseModule(result.text, "out.mlir")), []);
  return result;
}

const binary = (name: string, left: string, right: string): string =>
  `%9 = "ttnn.${name}"(${left}, ${right}) : (${T}, ${T}) -> ${T}`;

Deno.test("a chain picks the layout that it reads a dispatch in, and the dispatch writes it itself", () => {
  for (const body of [binary("matmul", "%2", "%arg1"), binary("add", "%arg1", "%2")]) {
    const { text, plan } = optimized(moduleText(body));
    const [, alias = ""] = /d2m_subgraph .* -?: tensor<512x512xbf16, (#\w+)>\n/.exec(text) ?? [];
    assertMatch(text, new RegExp(`${alias} = #ttnn.ttnn_layout<.*<block_sharded>`));
    const sharded = `tensor<512x512xbf16, ${alias}>`;
    assertStringIncludes(text, `outs(%b2 : ${sharded})`);
    assertStringIncludes(text, `@subgraph(%arg0: tensor<512x512xbf16, #L0>) -> ${sharded}`);
    assertStringIncludes(text, `"ttnn.exp"(%arg0) : (tensor<512x512xbf16, #L0>) -> ${sharded}`);
    assertEquals(plan.functions.flatMap(({ conversions }) => conversions.map(({ reason }) => reason)), [
      "spill",
    ]);
    const legacy = optimized(moduleText(body), { legacyQuirks: true });
    assertStringIncludes(legacy.text, `outs(%b2 : ${T}) : ${T}`);
  }
});

Deno.test("a dispatched function whose last op does not write the layout converts before it returns", () => {
  const { text } = optimized(moduleText(
    binary("matmul", "%2", "%arg1"),
    `"ttnn.cumsum"(%arg0) <{dim = 1 : i32}> : (${T}) -> ${T}`,
  ));
  assertStringIncludes(text, '= "ttnn.to_memory_config"(%0)');
  assertMatch(text, /@subgraph\(.*-> tensor<512x512xbf16, #ttnn_layout\d*> \{/);
});

Deno.test("a function that two ops dispatch to keeps its signature", () => {
  const { text } = optimized(moduleText(binary("matmul", "%2", "%3")));
  assertStringIncludes(text, `@subgraph(%arg0: ${T}) -> ${T} {`);
});

Deno.test("readers of a dispatch that take no shards share one copy in DRAM", () => {
  const norm = (name: string): string =>
    `${name} = "ttnn.rms_norm"(%2) <{epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (${T}) -> ${T}`;
  const { plan } = optimized(moduleText(`%4 = "ttnn.matmul"(%2, %arg1) : (${T}, ${T}) -> ${T}
    ${norm("%5")}
    ${norm("%6")}
    %7 = "ttnn.add"(%4, %5) : (${T}, ${T}) -> ${T}
    ${binary("add", "%7", "%6")}`));
  const [forward] = plan.functions;
  const copies = forward?.conversions.filter(({ reason }) => reason === "reload");
  assertEquals(copies?.length, 1, JSON.stringify(forward?.conversions.map(({ note }) => note)));
});
