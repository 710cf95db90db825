// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import type { MathFidelity } from "../lib/op_config/math_fidelity.ts";
import { DEFAULT_POLICY_OPTIONS, readPolicyOptions } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";

const HIFI4 = "compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4>, ";
const T = "tensor<2048x2048xbf16, #L0>";

function decide(name: string, mathFidelities: readonly MathFidelity[], properties = "") {
  const policy = getPolicy(name);
  const text = `#dram = #ttnn.buffer_type<dram>
#L0 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @forward(%x: ${T}, %w: ${T} {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> ${T} attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.matmul"(%x, %w) <{${properties}transpose_a = false, transpose_b = false}> : (${T}, ${T}) -> ${T}
    %1 = "ttnn.relu"(%0) : (${T}) -> ${T}
    return %1 : ${T}
  }
}
`;
  const workbench = createWorkbench(parseModule(text, "compute.mlir"), getDevice("n150"));
  const optimized = optimizeModule(workbench, policy, { ...DEFAULT_POLICY_OPTIONS, mathFidelities });
  const config = optimized.plan.functions[0]?.decisions[0]?.config;
  return {
    text: optimized.text,
    microseconds: optimized.timeline.inference.totalUs,
    fidelity: config?.kind === "matmul" ? config.computeConfig?.mathFidelity : undefined,
    packerL1Acc: config?.kind === "matmul" ? config.computeConfig?.packerL1Acc : undefined,
  };
}

for (const name of ["beam", "beam-cost"]) {
  Deno.test(`${name} gives a matmul the cheapest fidelity of those that it may have`, () => {
    const exact = decide(name, [], HIFI4);
    const both = decide(name, ["hifi4", "lofi"], HIFI4);
    assertEquals(both.fidelity, "lofi");
    assert(both.microseconds < exact.microseconds);
    assertStringIncludes(both.text, "math_fidelity = lofi");
    assertEquals(verifyModule(parseModule(both.text, "compute.mlir")), []);
  });

  Deno.test(`${name} leaves every op its fidelity where none is offered`, () => {
    assertStringIncludes(decide(name, [], HIFI4).text, "math_fidelity = hifi4");
    // A program config changes the default, so that the old one is written beside it.
    assertEquals(decide(name, []).text.match(/math_fidelity = \w+/g) ?? [], ["math_fidelity = hifi2"]);
  });
}

Deno.test("greedy leaves compute configs alone, as the compiler does", () => {
  assertEquals(decide("greedy", [], HIFI4).packerL1Acc, undefined);
});

for (const name of ["beam", "beam-cost"]) {
  Deno.test(`${name} lets the packer add up partial results in L1 where a compute config leaves it open`, () => {
    const open = decide(name, [], HIFI4);
    const fixed = decide(name, [], HIFI4.replace(">, ", ", packer_l1_acc = false>, "));
    assertEquals([open.packerL1Acc, fixed.packerL1Acc], [true, false]);
    assert(open.microseconds < fixed.microseconds);
    assertStringIncludes(open.text, "math_fidelity = hifi4");
    assertStringIncludes(open.text, "packer_l1_acc = true");
    assertEquals(verifyModule(parseModule(open.text, "compute.mlir")), []);
  });
}

Deno.test("a fidelity that does not exist is refused by name", () => {
  const given = new Map([["math-fidelities", "hifi2,hifi5"]]);
  assertThrows(() => readPolicyOptions(given), RangeError, "'hifi5'");
});

Deno.test("a fidelity beside the fastest is no slower, and is taken where its phases are free", () => {
  const [lofi, both, all] = [["lofi"], ["lofi", "hifi2"], ["lofi", "hifi2", "hifi4"]] as const;
  const decided = [lofi, both, all].map((fidelities) => decide("beam-cost", fidelities, HIFI4));
  assertEquals(new Set(decided.map(({ microseconds }) => microseconds)).size, 1);
  // Here the product waits for its tiles, but not for four phases of them.
  assertEquals(decided.map(({ fidelity }) => fidelity), ["lofi", "hifi2", "hifi2"]);
});
