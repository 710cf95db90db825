// SPDX-License-Identifier: Apache-2.0

/**
 * Tensors spread over a mesh: shapes and layouts are those of one chip (tt-mlir:tensor-layout-document, "Multi-device"
 * and "Mapping from the compiler"), so that decisions are those for one chip, and the mesh stays in what is written.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { gridVolume, isSharded } from "../lib/layout/ttnn_layout.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createWorkbench } from "./load.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

const T = "tensor<1024x1024xbf16, #L0>";

/** A chain on the two chips of an n300, or without a mesh on one chip. */
function chain(mesh: string): string {
  const meshes = mesh === "" ? "" : ' attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>}';
  return `#dram = #ttnn.buffer_type<dram>
#L0 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, ${mesh}memref<32x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module${meshes} {
  func.func @forward(%x: ${T}, %w: ${T} {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> ${T} attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (${T}, ${T}) -> ${T}
    %1 = "ttnn.relu"(%0) : (${T}) -> ${T}
    %2 = "ttnn.gelu"(%1) : (${T}) -> ${T}
    return %2 : ${T}
  }
}
`;
}

function optimized(mesh: string, device: string, policy: string) {
  const workbench = createWorkbench(parseModule(chain(mesh), "mesh.mlir"), getDevice(device));
  return optimizeModule(workbench, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
}

for (const { name } of policies) {
  Deno.test(`${name} decides the tensors of a mesh as those of one chip, and leaves them on the mesh`, () => {
    const spread = optimized('mesh = <"mesh">, ', "n300", name);
    const alone = optimized("", "n150", name);
    const layoutsOf = ({ plan }: typeof spread) =>
      plan.functions.flatMap(({ decisions }) => decisions.flatMap(({ outputLayouts }) => outputLayouts));
    assertEquals(layoutsOf(spread), layoutsOf(alone));
    for (const layout of layoutsOf(spread)) {
      assert(layout === undefined || !isSharded(layout) || gridVolume(layout) <= 64);
    }
    const layouts = spread.text.match(/#ttnn\.ttnn_layout<.*/g) ?? [];
    assert(layouts.length >= 1);
    for (const layout of layouts) assert(layout.includes(', mesh = <"mesh">, memref<'), layout);
    assertEquals(verifyModule(parseModule(spread.text, "mesh.mlir")), []);
    assertEquals(spread.memory.verdict.status, "fits");
  });
}

Deno.test("a distributed norm reads the shards of its program config, whatever is decided before it", () => {
  const [x, w, scale] = [[1, 1, 32, 1024], [1024, 1024], [1024]].map((shape) =>
    `tensor<${[...shape, "bf16"].join("x")}>`
  );
  const text = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @main(%x: ${x}, %w: ${w} {ttcore.argument_type = #ttcore.argument_type<parameter>}, %s: ${scale}) -> ${x} {
    %0 = "ttir.matmul"(%x, %w) : (${x}, ${w}) -> ${x}
    %1 = "ttir.distributed_rms_norm"(%0, %s) <{cluster_axis = 1 : ui32, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (${x}, ${scale}) -> ${x}
    return %1 : ${x}
  }
}`;
  const workbench = loadModule(text, { device: "n300" });
  for (const policy of ["greedy", "df-sharding"]) {
    const { text: written } = optimizeModule(workbench, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
    const operand = /"ttnn\.distributed_rms_norm".* : \(tensor<[^,]*, (#\w+)>/.exec(written)?.[1];
    assertStringIncludes(written, `${operand} = #ttnn.ttnn_layout<`);
    const layout = written.split("\n").find((line) => line.startsWith(`${operand} = `)) ?? "";
    assertStringIncludes(layout, "<width_sharded>");
  }
});
