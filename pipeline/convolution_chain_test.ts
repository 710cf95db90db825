// SPDX-License-Identifier: Apache-2.0

/**
 * The example of tt-mlir:optimizer-document §3.5, from TTIR: a convolution and the activation behind it run in one chain
 * in L1, which spills once, to DRAM, for `return`.
 */

import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { isSharded } from "../lib/layout/ttnn_layout.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createWorkbench } from "./load.ts";
import { decidePlan } from "./optimize.ts";
import { prepareGraph } from "./load_module.ts";

const T = "tensor<1x64x64x128xbf16>";

/** TTIR of the example with one activation or several; the convolution makes rows of pixels, which it reshapes back. */
function example(...activations: readonly string[]): string {
  const lines = activations.map((name, index) =>
    `    %${index + 1} = "ttir.${name}"(%${index}) : (${T}) -> ${T}`
  );
  return `module {
  func.func @forward(%input: ${T}, %weight: tensor<128x128x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> ${T} {
    %0 = "ttir.conv2d"(%input, %weight) <{stride = array<i32: 1, 1>, padding = array<i32: 1, 1>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (${T}, tensor<128x128x3x3xbf16>) -> ${T}
${lines.join("\n")}
    return %${activations.length} : ${T}
  }
}
`;
}

function decide(text: string, policyName: string) {
  const device = getDevice("n150");
  const { module } = prepareGraph(parseModule(text, "example.mlir"), device, DEFAULT_PASS_OPTIONS);
  const workbench = createWorkbench(module, device);

  const plan = decidePlan(workbench, getPolicy(policyName), DEFAULT_POLICY_OPTIONS);
  const index = plan.functions.findIndex(({ name }) => name === "forward");
  const [fn, decided] = [workbench.binding.graph.functions[index], plan.functions[index]];
  assert(fn !== undefined && decided !== undefined);
  return {
    text: module.text,
    sharded: fn.ops.filter(({ id }) => {
      const layout = decided.decisions[id]?.outputLayouts[0];
      return layout?.bufferType === "l1" && isSharded(layout);
    }).map(({ name }) => name),
    spills: decided.conversions.filter(({ reason }) => reason === "spill").length,
  };
}

for (const policy of ["df-sharding", "df-sharding-2"]) {
  Deno.test(`${policy} keeps a convolution and its relu from TTIR in one chain`, () => {
    const { text, sharded, spills } = decide(example("relu"), policy);
    // A relu runs inside of its convolution (tt-mlir:ttnn-fusing).
    assert(text.includes("activation = <op_type = relu>") && !text.includes('"ttnn.relu"'));
    assertEquals([sharded, spills], [["ttnn.conv2d"], 1]);
  });

  Deno.test(`${policy} keeps a convolution and ops that cannot run inside of it in one chain`, () => {
    const { sharded, spills } = decide(example("neg", "gelu"), policy);
    assertEquals([sharded, spills], [["ttnn.conv2d", "ttnn.neg", "ttnn.gelu"], 1]);
  });
}
