// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import type { GraphBinding } from "../graph/binding.ts";
import { readGraph } from "../graph/read_graph.ts";
import { parseModule } from "../ir/mod.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import { identityPlan } from "../plan/steps.ts";
import { verifyPlan } from "../plan/verify_plan.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { rewriteModule } from "./rewrite_module.ts";
import { idOf, idsOf } from "../../testing/ids.ts";

const chip = TEST_WORMHOLE;
const { workerGrid } = chip;

const tensor = { shape: [64, 64], dataType: "bf16" } as const;
const heightSharded = makeLayout(
  { ...tensor, bufferType: "l1", memoryLayout: "height_sharded", grid: [2, 1] },
  workerGrid,
);
const dram = makeLayout({ ...tensor, bufferType: "dram", memoryLayout: "interleaved" }, workerGrid);

const SOURCE = `// a comment that stays
#dram = #ttnn.buffer_type<dram>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#loc1 = loc("exp")
module {
  func.func @main(%arg0: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout> {
    %0 = "ttnn.relu"(%arg0) {foo.bar = "kept"} : (tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
    "ttnn.deallocate"(%arg0) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout>) -> ()
    %1 = "ttnn.exp"(%0) : (tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout> loc(#loc1)
    %2 = "ttnn.add"(%0, %1) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>   // odd   spacing
    "ttnn.deallocate"(%1) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout>) -> ()
    "ttnn.deallocate"(%0) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout>) -> ()
    return %2 : tensor<64x64xbf16, #ttnn_layout>
  }
}
`;

function read(source: string): GraphBinding {
  return readGraph(parseModule(source, "a.mlir"), workerGrid);
}

function planFor(binding: GraphBinding, change: (plan: FunctionPlan) => FunctionPlan): Plan {
  const [fn] = binding.graph.functions;
  if (fn === undefined) throw new RangeError("the source has no function");
  const plan: Plan = {
    schema: "tilewright.plan/1",
    policy: "test",
    device: "test",
    functions: [change(identityPlan(fn))],
  };
  assertEquals(verifyPlan(binding.graph, plan), []);
  return plan;
}

/** `relu` produces L1; `exp` reads it there, `add` reads a spilled copy of it. */
function spillPlan(plan: FunctionPlan): FunctionPlan {
  return {
    ...plan,
    decisions: plan.decisions.map((decision) => {
      if (decision.op === 0) return { ...decision, outputLayouts: [heightSharded] };
      if (decision.op !== 2) return decision;
      return { ...decision, operands: [{ kind: "conversion", conversion: 0 }, { kind: "value" }] };
    }),
    conversions: [{
      id: 0,
      value: idOf(1),
      source: { kind: "value" },
      layout: dram,
      beforeOp: idOf(1),
      reason: "spill",
      note: "pressure",
    }],
  };
}

Deno.test("rewriteModule() with the plan that changes nothing returns the same bytes", () => {
  const binding = read(SOURCE);
  assertEquals(rewriteModule(binding, planFor(binding, (plan) => plan), chip), SOURCE);
});

Deno.test("rewriteModule() retypes, inserts, renames and keeps deallocates after the last reader", () => {
  const binding = read(SOURCE);
  const text = rewriteModule(binding, planFor(binding, spillPlan), chip);
  assertEquals(
    text,
    `// a comment that stays
#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>>
#loc1 = loc("exp")
module {
  func.func @main(%arg0: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout> {
    %0 = "ttnn.relu"(%arg0) {foo.bar = "kept"} : (tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout1>
    "ttnn.deallocate"(%arg0) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout>) -> ()
    %spill_0 = "ttnn.to_memory_config"(%0) : (tensor<64x64xbf16, #ttnn_layout1>) -> tensor<64x64xbf16, #ttnn_layout> loc(#loc1)
    %1 = "ttnn.exp"(%0) : (tensor<64x64xbf16, #ttnn_layout1>) -> tensor<64x64xbf16, #ttnn_layout> loc(#loc1)
    "ttnn.deallocate"(%0) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout1>) -> ()
    %2 = "ttnn.add"(%spill_0, %1) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>   // odd   spacing
    "ttnn.deallocate"(%1) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout>) -> ()
    "ttnn.deallocate"(%spill_0) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout>) -> ()
    return %2 : tensor<64x64xbf16, #ttnn_layout>
  }
}
`,
  );
  const again = read(text);
  assertEquals(rewriteModule(again, planFor(again, (plan) => plan), chip), text);
});

Deno.test("rewriteModule() changes the field of a config that the plan changes, and no other byte", () => {
  const source = SOURCE.replace(
    '"ttnn.relu"(%arg0) {',
    '"ttnn.matmul"(%arg0, %arg0) <{compute_config = #ttnn.device_compute_kernel_config<newer = [1, 2], ' +
      "math_fidelity = hifi2, packer_l1_acc = true>}> {",
  ).replace(
    ": (tensor<64x64xbf16, #ttnn_layout>) -> ",
    ": (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout>) -> ",
  );
  const binding = read(source);
  const withFidelity = (mathFidelity: "hifi2" | "lofi") =>
    rewriteModule(
      binding,
      planFor(binding, (plan) => ({
        ...plan,
        decisions: plan.decisions.map((decision) =>
          decision.op === 0
            ? {
              ...decision,
              config: { kind: "matmul", computeConfig: { mathFidelity, packerL1Acc: true } },
            }
            : decision
        ),
      })),
      chip,
    );
  assertEquals(withFidelity("hifi2"), source);
  assertEquals(
    withFidelity("lofi"),
    source.replace("math_fidelity = hifi2", "math_fidelity = lofi"),
  );
});

Deno.test("rewriteModule() moves an activation into the program config that applies it", () => {
  const programConfig = {
    kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
    in0BlockW: 1,
    perCoreM: 2,
    perCoreN: 1,
    fusedActivation: { opType: "relu", params: [] },
  } as const;
  const written = (properties: string) => {
    const source = SOURCE.replace('"ttnn.relu"(%arg0) {', `"ttnn.matmul"(%arg0, %arg0) ${properties}{`)
      .replace(
        ": (tensor<64x64xbf16, #ttnn_layout>) -> ",
        ": (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout>) -> ",
      );
    const binding = read(source);
    return rewriteModule(
      binding,
      planFor(binding, (plan) => ({
        ...plan,
        decisions: plan.decisions.map((decision) =>
          decision.op === 0 ? { ...decision, config: { kind: "matmul", programConfig } } : decision
        ),
      })),
      chip,
    ).match(/fused_activation|activation = "relu"/g);
  };
  assertEquals(written(""), ["fused_activation"]);
  assertEquals(written('<{activation = "relu"}> '), ["fused_activation"]);
});

Deno.test("rewriteModule() moves whole statements when the plan has a schedule", () => {
  const source = SOURCE.replace('"ttnn.exp"(%0)', '"ttnn.exp"(%arg0)')
    .replace(/\n.*"ttnn.deallocate"\(%arg0\).*/, "");
  const binding = read(source);
  const text = rewriteModule(
    binding,
    planFor(binding, (plan) => ({ ...plan, schedule: idsOf(1, 0, 2) })),
    chip,
  );
  const names = read(text).graph.functions[0]?.ops.map((op) => op.name);
  assertEquals(names, ["ttnn.exp", "ttnn.relu", "ttnn.add"]);
  assertEquals(read(text).functions[0]?.deallocates.length, 2);
});

Deno.test("rewriteModule() frees an unused result behind its op when the plan has a schedule", () => {
  const [used, unused] = ["%0", "%1"].map((name) =>
    `"ttnn.deallocate"(${name}) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout>) -> ()`
  );
  const source = SOURCE.replace('"ttnn.exp"(%0)', '"ttnn.exp"(%arg0)')
    .replace(/\n.*"ttnn.deallocate"\(%arg0\).*/, "")
    .replace('"ttnn.add"(%0, %1)', '"ttnn.add"(%0, %0)');
  const binding = read(source);
  const plan = planFor(binding, (same) => ({ ...same, schedule: idsOf(1, 0, 2) }));
  const lines = rewriteModule(binding, plan, chip).split("\n").map((line) =>
    line.trim().replace(/ loc\(.*/, "")
  );
  const from = lines.findIndex((line) => line.startsWith("%1 ="));
  assertEquals(lines[from + 1], unused);
  assertEquals(lines.filter((line) => line.includes("ttnn.deallocate")), [unused, used]);
});

Deno.test("rewriteModule() moves comments with the statement behind them, and keeps the first and the last in place", () => {
  const source = SOURCE.replace('"ttnn.exp"(%0)', '"ttnn.exp"(%arg0)')
    .replace(/\n.*"ttnn.deallocate"\(%arg0\).*/, "")
    .replace("    %0 =", "    // the first\n    %0 =")
    .replace("    %1 =", "\n    // of exp\n    %1 =")
    .replace("    %2 =", "    // of add\n    %2 =")
    .replace("    return", "    // of return\n    return");
  const binding = read(source);
  const plan = planFor(binding, (same) => ({ ...same, schedule: idsOf(1, 0, 2) }));
  const lines = rewriteModule(binding, plan, chip).split("\n").map((line) => line.trim());
  assertEquals(
    lines.slice(lines.indexOf("// the first"), -3).map((line) => line.replace(/ (=|<|%2).*$/, "")),
    [
      ...["// the first", "// of exp", "%1", "%0", "// of add", "%2"],
      ...['"ttnn.deallocate"(%0)', '"ttnn.deallocate"(%1)', "// of return", "return"],
    ],
  );
});

Deno.test("rewriteModule() moves statements and renames what is returned behind them", () => {
  const source = SOURCE.replace('"ttnn.exp"(%0)', '"ttnn.exp"(%arg0)')
    .replace(/\n.*"ttnn.deallocate"\(%arg0\).*/, "");
  const binding = read(source);
  const text = rewriteModule(
    binding,
    planFor(binding, (plan) => ({
      ...plan,
      schedule: idsOf(1, 0, 2),
      decisions: plan.decisions.map((decision) =>
        decision.op === 2 ? { ...decision, outputLayouts: [heightSharded] } : decision
      ),
      conversions: [{
        id: 0,
        value: idOf(3),
        source: { kind: "value" },
        layout: dram,
        beforeOp: idOf(3),
        reason: "return",
        note: "",
      }],
      results: [{ kind: "conversion", conversion: 0 }],
    })),
    chip,
  );
  assertEquals(text.split("\n").slice(-6).map((line) => line.trim()), [
    `%return_0 = "ttnn.to_memory_config"(%2) : (tensor<64x64xbf16, #ttnn_layout1>) -> tensor<64x64xbf16, #ttnn_layout>`,
    `"ttnn.deallocate"(%2) <{force = true}> : (tensor<64x64xbf16, #ttnn_layout1>) -> ()`,
    "return %return_0 : tensor<64x64xbf16, #ttnn_layout>",
    "}",
    "}",
    "",
  ]);
  assertEquals(read(text).graph.functions[0]?.ops.map((op) => op.name), [
    "ttnn.exp",
    "ttnn.relu",
    "ttnn.add",
    "ttnn.to_memory_config",
  ]);
});

Deno.test("rewriteModule() takes statements out with their lines, whichever way lines end", () => {
  const written = (source: string): string => {
    const binding = read(source);
    const plan = planFor(binding, (same) => ({
      ...same,
      decisions: same.decisions.map((decision) =>
        decision.op === 1 ? { ...decision, operands: [{ kind: "conversion", conversion: 0 }] } : decision
      ),
      conversions: [{
        id: 0,
        value: idOf(1),
        source: { kind: "value" },
        layout: heightSharded,
        beforeOp: idOf(1),
        reason: "reshard",
        note: "",
      }],
      schedule: undefined,
    }));
    return rewriteModule(binding, plan, chip);
  };
  // `add` no longer reads the copy, so the deallocation behind it moves.
  const source = SOURCE.replace('"ttnn.add"(%0, %1)', '"ttnn.add"(%1, %1)');
  const windows = written(source.replaceAll("\n", "\r\n"));
  assertEquals(windows.replaceAll("\r\n", "\n"), written(source));
  assertEquals(windows.split("\n").filter((line) => line.trim() === "").length, 1, "the end of the text");
});

Deno.test("a plan that leaves a function out is refused, not written as if nothing was decided for it", () => {
  const binding = read(SOURCE);
  const plan = { ...planFor(binding, (same) => same), functions: [] };
  assertThrows(() => rewriteModule(binding, plan, chip), RangeError, "@main");
});

Deno.test("a function without deallocate gets one for what a plan puts in L1, behind its last reader", () => {
  const source = SOURCE.split("\n").filter((line) => !line.includes("deallocate")).join("\n");
  const binding = read(source);
  const lines = rewriteModule(binding, planFor(binding, spillPlan), chip).split("\n");
  const freed = lines.flatMap((line, at) => line.includes("ttnn.deallocate") ? [[lines[at - 1], line]] : []);
  // `exp` reads %0 in L1; what is in DRAM stays until the function ends, as in the source.
  assertEquals(freed.map((pair) => pair.map((line) => line?.trim().split(" : ")[0])), [
    ['%1 = "ttnn.exp"(%0)', '"ttnn.deallocate"(%0) <{force = false}>'],
  ]);
  assertEquals(rewriteModule(binding, planFor(binding, (plan) => plan), chip), source);
});

Deno.test("an argument that nothing reads is freed as in the text", () => {
  const source = SOURCE.replace('"ttnn.relu"(%arg0)', '"ttnn.relu"(%arg1)').replace(
    "(%arg0: tensor<64x64xbf16, #ttnn_layout>)",
    "(%arg0: tensor<64x64xbf16, #ttnn_layout>, %arg1: tensor<64x64xbf16, #ttnn_layout>)",
  );
  const binding = read(source);
  const plan = planFor(binding, (same) => ({
    ...same,
    decisions: same.decisions.map((decision) =>
      decision.op === 0 ? { ...decision, outputLayouts: [heightSharded] } : decision
    ),
  }));
  const text = rewriteModule(binding, plan, chip);
  assertEquals(text.match(/deallocate"\(%arg\d\)/g), ['deallocate"(%arg0)']);
});

Deno.test("an activation that its convolution no longer frees is freed behind it", () => {
  const type = "tensor<64x64xbf16, #ttnn_layout>";
  const freeing = SOURCE.split("\n").filter((line) => !line.includes('deallocate"(%0)')).join("\n").replace(
    `"ttnn.add"(%0, %1) : (${type}, ${type})`,
    `"ttnn.conv2d"(%0, %1, %1) <{conv2d_config = #ttnn.conv2d_config<deallocate_activation = true>}> : ` +
      `(${type}, ${type}, ${type})`,
  );
  const binding = read(freeing);
  const freed = (deallocateActivation: boolean): readonly string[] =>
    rewriteModule(
      binding,
      planFor(binding, (plan) => ({
        ...plan,
        decisions: plan.decisions.map((decision) =>
          decision.op === 2
            ? { ...decision, config: { kind: "conv2d", conv2dConfig: { deallocateActivation } } }
            : decision
        ),
      })),
      chip,
    ).split("\n").filter((line) => line.includes('deallocate"(%0)'));
  assertEquals([freed(true).length, freed(false).length], [0, 1]);
});
