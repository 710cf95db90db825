// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import type { GraphFunction } from "../lib/graph/graph.ts";
import { parseModule } from "../lib/ir/mod.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import {
  parseMemReconfigOverrides,
  parseOutputLayoutOverrides,
} from "../lib/overrides/output_layout_override.ts";
import { NO_OVERRIDES, type OptimizerOverrides } from "../lib/overrides/overrides.ts";
import type { FunctionPlan } from "../lib/plan/plan.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createWorkbench } from "./load.ts";
import { loadModule } from "./load_module.ts";
import { type Optimized, optimizeModule } from "./optimize.ts";

const TENSOR = "tensor<1024x1024xbf16, #L0>";
const MODULE = `
#dram = #ttnn.buffer_type<dram>
#L0 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @forward(%x: ${TENSOR} {ttcore.argument_type = #ttcore.argument_type<input>}, %w: ${TENSOR} {ttcore.argument_type = #ttcore.argument_type<parameter>}, %y: ${TENSOR} {ttcore.argument_type = #ttcore.argument_type<input>}) -> ${TENSOR} attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (${TENSOR}, ${TENSOR}) -> ${TENSOR} loc("mm_1"("x.py":1:1))
    %1 = "ttnn.relu"(%0) : (${TENSOR}) -> ${TENSOR} loc("relu_1"("x.py":1:1))
    %2 = "ttnn.add"(%1, %y) : (${TENSOR}, ${TENSOR}) -> ${TENSOR} loc("add_1"("x.py":1:1))
    return %2 : ${TENSOR}
  }
}
`;

function optimized(policy: Policy, overrides: Partial<OptimizerOverrides>): Optimized {
  const workbench = createWorkbench(parseModule(MODULE, "overrides.mlir"), getDevice("n150"));
  return optimizeModule(workbench, policy, {
    ...DEFAULT_POLICY_OPTIONS,
    overrides: { ...NO_OVERRIDES, ...overrides },
  });
}

/** The types that the op of a name has in a text: what follows its operands. */
function typeOf(text: string, op: string): string {
  const line = text.split("\n").find((candidate) => candidate.includes(`"ttnn.${op}"`));
  assert(line !== undefined, `no ttnn.${op} in\n${text}`);
  return line.slice(line.lastIndexOf("->"));
}

/** The layout in which an op of a plan reads an operand. */
function layoutRead(
  fn: GraphFunction,
  plan: FunctionPlan,
  op: number,
  operand: number,
): TtnnLayout | undefined {
  const source = plan.decisions[op]?.operands[operand];
  if (source?.kind === "conversion") return plan.conversions[source.conversion]?.layout;
  const value = fn.values[fn.ops[op]?.operands[operand] ?? -1];
  const definition = value?.definition;
  return definition?.kind === "result"
    ? plan.decisions[definition.op]?.outputLayouts[definition.index] ?? value?.layout
    : value?.layout;
}

for (const policy of policies) {
  const free = optimized(policy, {});

  Deno.test(`${policy.name} gives a result the element format of its override, and its readers theirs back`, () => {
    const { text, memory, baseline, timeline } = optimized(policy, {
      outputLayouts: parseOutputLayoutOverrides("add_1=f32"),
    });
    assertStringIncludes(typeOf(text, "add"), "tensor<1024x1024xf32");
    assertStringIncludes(typeOf(text, "typecast"), "tensor<1024x1024xbf16");
    assertEquals(verifyModule(parseModule(text, "overrides.mlir")), []);
    assertEquals(memory.verdict.status, "fits");
    assertEquals(baseline.inference.totalUs, free.baseline.inference.totalUs);
    assert(timeline.inference.totalUs > free.timeline.inference.totalUs, "a typecast costs time");
  });

  Deno.test(`${policy.name} gives a result row-major pages behind an op that makes tiles`, () => {
    const { text, memory, baseline, plan, graph } = optimized(policy, {
      outputLayouts: parseOutputLayoutOverrides("relu_1=row_major"),
    });
    const [fn] = graph.functions;
    const names = fn?.ops.map(({ name }) => name) ?? [];
    assertEquals(names, ["matmul", "relu", "to_layout", "to_layout", "add"].map((name) => `ttnn.${name}`));
    const [rows] = plan.functions[0]?.decisions[2]?.outputLayouts ?? [];
    assert(rows !== undefined && rows.tile === undefined, "the first to_layout makes rows");
    assertEquals(verifyModule(parseModule(text, "overrides.mlir")), []);
    assertEquals(memory.verdict.status, "fits");
    assertEquals(baseline.inference.totalUs, free.baseline.inference.totalUs);
  });

  Deno.test(`${policy.name} brings operands of --insert-memreconfig into the memory of the result`, () => {
    // A result on few cores: dearer to read so than in any other way.
    for (const layout of [undefined, "add_1=8x8:l1:block_sharded:tile", "add_1=2x4:l1:block_sharded:tile"]) {
      const { graph, plan, memory } = optimized(policy, {
        ...(layout === undefined ? {} : { outputLayouts: parseOutputLayoutOverrides(layout) }),
        memReconfigs: parseMemReconfigOverrides("add_1=0:1"),
      });
      const [fn] = graph.functions;
      const [decided] = plan.functions;
      const add = fn?.ops.findIndex(({ name }) => name === "ttnn.add") ?? -1;
      assert(fn !== undefined && decided !== undefined);
      const result = decided.decisions[add]?.outputLayouts[0];
      const memoryOf = (layout: typeof result) =>
        layout === undefined
          ? ""
          : [layout.bufferType, layout.memoryLayout, layout.gridShape.join("x")].join();
      if (layout !== undefined) assertEquals(layout.includes(result?.gridShape.join("x") ?? "-"), true);
      for (const operand of [0, 1]) {
        assertEquals(memoryOf(layoutRead(fn, decided, add, operand)), memoryOf(result), `operand ${operand}`);
      }
      assertEquals(memory.verdict.status, "fits");
    }
  });
}

const ROWS = MODULE.replaceAll(
  "memref<32x32x!ttcore.tile<32x32, bf16>, #dram>",
  "memref<1024x1024xbf16, #dram>",
);

for (const policy of policies) {
  const decideOn = (text: string, given: string) =>
    optimizeModule(
      createWorkbench(parseModule(text, "overrides.mlir"), getDevice("n150")),
      policy,
      {
        ...DEFAULT_POLICY_OPTIONS,
        overrides: { ...NO_OVERRIDES, outputLayouts: parseOutputLayoutOverrides(given) },
      },
    );

  Deno.test(`${policy.name} moves a result in rows to L1 and leaves it in rows`, () => {
    const { plan, graph, memory } = decideOn(
      ROWS.replace(/^.*mm_1.*$/m, "").replaceAll("%0", "%x"),
      "relu_1=l1",
    );
    const relu = graph.functions[0]?.ops.findIndex(({ name }) => name === "ttnn.relu") ?? -1;
    const [layout] = plan.functions[0]?.decisions[relu]?.outputLayouts ?? [];
    assertEquals([layout?.bufferType, layout?.tile], ["l1", undefined]);
    assertEquals(memory.verdict.status, "fits");
  });

  Deno.test(`${policy.name} refuses an override that no plan can carry out, by name`, () => {
    const rotary = MODULE.replace(
      `"ttnn.relu"(%0) : (${TENSOR})`,
      `"ttnn.rotary_embedding"(%0, %y, %y) : (${TENSOR}, ${TENSOR}, ${TENSOR})`,
    );
    assertThrows(() => decideOn(rotary, "relu_1=1x32:l1:width_sharded:tile"), DiagnosticError, "override");
  });
}

Deno.test("auto follows overrides that only some of its policies support", () => {
  const { plan } = optimizeModule(
    createWorkbench(
      parseModule(MODULE.replace('"ttnn.relu"(%0)', '"ttnn.rms_norm"(%0)'), "overrides.mlir"),
      getDevice("n150"),
    ),
    getPolicy("auto"),
    {
      ...DEFAULT_POLICY_OPTIONS,
      overrides: {
        ...NO_OVERRIDES,
        outputLayouts: parseOutputLayoutOverrides("relu_1=8x8:l1:block_sharded:tile"),
      },
    },
  );
  assertEquals(plan.functions[0]?.decisions[1]?.outputLayouts[0]?.memoryLayout, "block_sharded");
});

Deno.test("a full override gives rows, shards and grid to the conversion behind the op", () => {
  const beam = getPolicy("beam");
  const { plan } = optimized(beam, {
    outputLayouts: parseOutputLayoutOverrides("relu_1=32x1:l1:height_sharded:row_major"),
  });
  const made = plan.functions[0]?.decisions.slice(2, -1).flatMap(({ outputLayouts }) => outputLayouts) ?? [];
  assert(
    made.some((layout) =>
      layout?.tile === undefined && layout?.memoryLayout === "height_sharded" &&
      layout.gridShape.join("x") === "32x1"
    ),
    JSON.stringify(made),
  );
});

Deno.test("several overrides go together, although conversions stand under the name of their reader", () => {
  const beam = getPolicy("beam");
  const { plan, graph } = optimized(beam, {
    outputLayouts: parseOutputLayoutOverrides("relu_1=row_major,add_1=8x8:block_sharded"),
  });
  const add = graph.functions[0]?.ops.findIndex(({ name }) => name === "ttnn.add") ?? -1;
  const [layout] = plan.functions[0]?.decisions[add]?.outputLayouts ?? [];
  assertEquals([layout?.memoryLayout, layout?.gridShape], ["block_sharded", [8, 8]]);
});

Deno.test("an op that takes shards alone follows an override under dram too", () => {
  // In a decode step heads are put side by side from shards alone, and everything else here is in DRAM.
  const heads = "tensor<1x32x32x64xbf16, #heads>";
  const rows = "tensor<1x1x32x2048xbf16, #rows>";
  const layout = (map: string, memref: string) =>
    `#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (${map}, d3), <1x1>, memref<${memref}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>`;
  const text = `
#heads = ${layout("d0 * 1024 + d1 * 32 + d2", "32x2")}
#rows = ${layout("d0 * 32 + d1 * 32 + d2", "1x64")}
func.func @main(%x: ${heads}) -> ${rows} {
  %0 = "ttnn.relu"(%x) : (${heads}) -> ${heads}
  %1 = "ttnn.nlp_concat_heads_decode"(%0) <{num_heads = 32 : ui32}> : (${heads}) -> ${rows} loc("heads_1")
  return %1 : ${rows}
}
`;
  const overrides = {
    ...NO_OVERRIDES,
    outputLayouts: parseOutputLayoutOverrides("heads_1=l1:width_sharded"),
  };
  for (const policy of ["dram", "auto"]) {
    const decided = optimizeModule(loadModule(text, { device: "n150" }), getPolicy(policy), {
      ...DEFAULT_POLICY_OPTIONS,
      overrides,
    });
    assert(decided.text.includes("<width_sharded>"), policy);
  }
});

Deno.test("a policy that cannot follow an override names the op", () => {
  const text = `func.func @main(%x: tensor<256x256xbf16>) -> (tensor<256x32xbf16>, tensor<256x32xi32>) {
  %0, %1 = "ttir.topk"(%x) <{k = 32 : i32, dim = 1 : i32}> : (tensor<256x256xbf16>) -> (tensor<256x32xbf16>, tensor<256x32xi32>) loc("topk_1")
  return %0, %1 : tensor<256x32xbf16>, tensor<256x32xi32>
}
`;
  const overrides = {
    ...NO_OVERRIDES,
    outputLayouts: parseOutputLayoutOverrides("topk_1=l1:height_sharded"),
  };
  assertThrows(
    () =>
      optimizeModule(loadModule(text, { device: "n150" }), getPolicy("dram"), {
        ...DEFAULT_POLICY_OPTIONS,
        overrides,
      }),
    DiagnosticError,
    `Cannot give ttnn.topk (op 0, "topk_1") the layout of its override: 'dram' reads no operands from which the op makes it`,
  );
});

/** Rows of a tensor of other extents than what is made of it. */
const PADDED = `func.func @main(%x: tensor<2x1x64xbf16>) -> tensor<3x1x64xbf16> {
  %0 = "ttir.pad"(%x) <{padding = array<i32: 0, 1, 0, 0, 0, 0>, value = 0.000000e+00 : f32}> : (tensor<2x1x64xbf16>) -> tensor<3x1x64xbf16> loc("pad_1")
  return %0 : tensor<3x1x64xbf16>
}`;

for (const policy of policies) {
  Deno.test(`${policy.name} converts an operand to a layout of the operand's own extents, and refuses a grid that is not filled`, () => {
    const decide = (overrides: Partial<OptimizerOverrides>) =>
      optimizeModule(loadModule(PADDED, { device: "n150" }), policy, {
        ...DEFAULT_POLICY_OPTIONS,
        overrides: { ...NO_OVERRIDES, ...overrides },
      });
    const { text } = decide({ memReconfigs: parseMemReconfigOverrides("pad_1=0") });
    const after = parseModule(text, "padded.mlir");
    assertEquals(verifyModule(after, { isCreated: () => true }), []);
    const outputLayouts = parseOutputLayoutOverrides("pad_1=1x3:l1:width_sharded:tile");
    const error = assertThrows(() => decide({ outputLayouts }), DiagnosticError);
    assertStringIncludes(error.message, "3x2 tiles leave cores of the grid without any");
  });
}

Deno.test("the load of a const-eval result keeps the type that its function returns; a conversion follows it", () => {
  const text =
    `func.func @main(%x: tensor<2x21x33xf32> {ttcore.argument_type = #ttcore.argument_type<constant>}) -> tensor<2x21x33xf32> {
    %0 = "ttir.exp"(%x) : (tensor<2x21x33xf32>) -> tensor<2x21x33xf32> loc("raise")
    return %0 : tensor<2x21x33xf32>
  }`;
  const { text: written } = optimizeModule(
    loadModule(text, { device: "n150" }),
    getPolicy("df-sharding"),
    {
      ...DEFAULT_POLICY_OPTIONS,
      overrides: { ...NO_OVERRIDES, outputLayouts: parseOutputLayoutOverrides("raise=dram:bf16") },
    },
  );
  assertStringIncludes(written, "load_cached");
  assertEquals(verifyModule(parseModule(written, "loaded.mlir")), []);
});

Deno.test("the pages that an override states are not given to weights on the host that have its name", () => {
  const text =
    `func.func @main(%x: tensor<1x65x48xbf16>, %w: tensor<48x1x4xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x62x48xbf16> {
    %0 = "ttir.conv1d"(%x, %w) <{stride = 1 : i32, padding = array<i32: 0, 0>, dilation = 1 : i32, groups = 48 : i32}> : (tensor<1x65x48xbf16>, tensor<48x1x4xbf16>) -> tensor<1x62x48xbf16> loc("line")
    return %0 : tensor<1x62x48xbf16>
  }`;
  const overrides = {
    ...NO_OVERRIDES,
    outputLayouts: parseOutputLayoutOverrides("line=dram:interleaved:tile"),
  };
  const { text: written } = optimizeModule(loadModule(text, { device: "n150" }), getPolicy("dram"), {
    ...DEFAULT_POLICY_OPTIONS,
    overrides,
  });
  assertStringIncludes(written, "#system_memory");
  assertEquals(written.match(/!ttcore\.tile<[^>]*>, #system_memory/g), null);
});
