// SPDX-License-Identifier: Apache-2.0

/** What an op overwrites lies in one place: a copy of it would miss what was written, or hold what nobody reads. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy, POLICY_NAMES } from "../lib/policy/policies.ts";
import { advise } from "../sim/timeline/advice.ts";
import { present } from "../testing/present.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

const T = "tensor<512x512xbf16>";
const NUMBERS = ["lr", "beta1", "beta2", "beta1_pow", "beta2_pow", "epsilon", "weight_decay"].map((name) =>
  `${name} = 1.000000e-03 : f32`
).join(", ");

/** Both moments are made by ops; the first is read before and after the step. */
const STEP = `module {
  func.func @step(%param: ${T}, %grad: ${T}, %m: ${T}, %v: ${T}) -> (${T}, ${T}, ${T}, ${T}) {
    %0 = "ttir.neg"(%m) : (${T}) -> ${T}
    %1 = "ttir.abs"(%v) : (${T}) -> ${T}
    %2 = "ttir.gelu"(%0) : (${T}) -> ${T}
    %3:3 = "ttir.adamw"(%param, %grad, %0, %1) <{${NUMBERS}}> : (${T}, ${T}, ${T}, ${T}) -> (${T}, ${T}, ${T})
    %4 = "ttir.relu"(%3#1) : (${T}) -> ${T}
    return %3#0, %4, %3#2, %2 : ${T}, ${T}, ${T}, ${T}
  }
}
`;

for (const policy of POLICY_NAMES) {
  Deno.test(`${policy} copies no moment that adamw writes, and moves no reader across it`, () => {
    const workbench = loadModule(STEP, { device: "n150", fileName: "step.mlir" });
    for (const schedule of ["input", "memory"] as const) {
      const { graph, plan } = optimizeModule(workbench, getPolicy(policy), {
        ...DEFAULT_POLICY_OPTIONS,
        schedule,
      });
      const [fn, decided] = [present(graph.functions[0]), present(plan.functions[0])];
      const opNamed = (name: string) => present(fn.ops.find((op) => op.name === `ttnn.${name}`));
      const written = ["neg", "abs"].map((name) => present(opNamed(name).results[0]));
      assertEquals(decided.conversions.filter(({ value }) => written.includes(value)), []);
      for (const name of ["adamw", "relu"]) {
        assert(decided.decisions[opNamed(name).id]?.operands.every(({ kind }) => kind === "value"));
      }
      const order = decided.schedule ?? fn.ops.map(({ id }) => id);
      const places = ["gelu", "adamw", "relu"].map((name) => order.indexOf(opNamed(name).id));
      assertEquals(places, places.toSorted((a, b) => a - b));
    }
  });
}

/** What a trace computes ends in the slot that its program gave it. */
const TRACE = (() => {
  const dram = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x16x!ttcore.tile<32x32, bf16>, " +
    "#ttnn.buffer_type<dram>>, <interleaved>>";
  const tensor = "tensor<512x512xbf16, #slot>";
  return `#slot = ${dram}
func.func private @trace_0_main(%x: ${tensor}, %slot: ${tensor}) attributes {tt.function_type = "trace_main"} {
  %0 = "ttnn.exp"(%x) : (${tensor}) -> ${tensor}
  %1 = "ttnn.add"(%0, %x) : (${tensor}, ${tensor}) -> ${tensor}
  "ttnn.copy"(%1, %slot) : (${tensor}, ${tensor}) -> ()
  return
}
`;
})();

for (const policy of POLICY_NAMES) {
  Deno.test(`${policy} writes a trace's results into their slots, in the slots' layouts`, () => {
    const workbench = loadModule(TRACE, { device: "n150", fileName: "trace.mlir" });
    const { graph, plan, text, timeline, memory } = optimizeModule(
      workbench,
      getPolicy(policy),
      DEFAULT_POLICY_OPTIONS,
    );
    const fn = present(graph.functions[0]);
    const slot = present(fn.arguments[1]);
    const decided = present(plan.functions[0]);
    assertEquals(decided.conversions.filter(({ value }) => value === slot), []);
    assertEquals(memory.verdict.status, "fits");
    const copy = present(timeline.functions[0]?.steps.find(({ name }) => name === "ttnn.copy"));
    assert(copy.deviceUs > 0.5);
    const moves = advise(graph, timeline, workbench).filter(({ topic }) => topic === "Layout Changes");
    assertEquals(moves.filter(({ steps }) => steps.includes(copy.index)), []);
    assertMatch(text, /"ttnn\.copy"\(%\w+, %slot\) : \((tensor<512x512xbf16, #slot>), \1\) -> \(\)/);
  });
}
