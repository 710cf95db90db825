// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { diffSides } from "./diff.ts";
import { changedFields } from "./diff_fields.ts";
import { type DiffOp, type DiffSide, sideOfTimeline } from "./diff_side.ts";
import { createWorkbench } from "./load.ts";
import { matchOps } from "./match_ops.ts";
import { decidePlan } from "./optimize.ts";

const T = "tensor<1024x1024xbf16, #L0>";
const B = `(${T}, ${T}) -> ${T}`;
const U = `(${T}) -> ${T}`;

function moduleOf(body: string): string {
  return `#dram = #ttnn.buffer_type<dram>
#L0 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @forward(%x: ${T}, %y: ${T}) -> ${T} attributes {tt.function_type = "forward_device"} {
${body}
  }
}
`;
}

function sideOf(text: string, policyName?: string): DiffSide {
  const workbench = createWorkbench(parseModule(text, "side.mlir"), getDevice("n150"));
  const { graph } = workbench.binding;
  const policy = policyName === undefined ? undefined : getPolicy(policyName);
  const plan = policy === undefined ? undefined : decidePlan(workbench, policy, DEFAULT_POLICY_OPTIONS);
  return sideOfTimeline(policyName ?? "written", graph, plan, simulateGraph(graph, plan, workbench));
}

function matmul(properties = ""): string {
  return `"ttnn.matmul"(%x, %y) <{transpose_a = false, ${properties}transpose_b = false}> : ${B}`;
}

Deno.test("an op that runs elsewhere is the same op", () => {
  // Depth first, gelu and neg run after silu.
  const text = moduleOf(`    %0 = "ttnn.relu"(%x) : ${U}
    %1 = "ttnn.gelu"(%y) : ${U}
    %2 = "ttnn.silu"(%0) : ${U}
    %3 = "ttnn.neg"(%1) : ${U}
    %4 = "ttnn.add"(%2, %3) : ${B}
    return %4 : ${T}`);
  const report = diffSides(sideOf(text, "dram"), sideOf(text, "df-sharding"));
  assertEquals([report.matched, report.reordered], [5, 1]);
  assertEquals(report.changes.filter(({ kinds }) => kinds.some((kind) => kind.startsWith("only"))), []);
});

Deno.test("an activation that one side fused is matched by the attributes of its predecessor", () => {
  const apart = sideOf(moduleOf(`    %0 = ${matmul()}
    %1 = "ttnn.relu"(%0) : ${U}
    %2 = "ttnn.gelu"(%1) : ${U}
    return %2 : ${T}`));
  const fused = sideOf(moduleOf(`    %0 = ${matmul('activation = "relu", ')}
    %1 = "ttnn.gelu"(%0) : ${U}
    return %1 : ${T}`));
  const told = (a: DiffSide, b: DiffSide) =>
    diffSides(a, b).changes.map(({ kinds, group }) => [
      kinds,
      group?.a.map(({ name }) => name),
      group?.b.map(({ name }) => name),
    ]);
  const [one, two] = [["ttnn.matmul"], ["ttnn.matmul", "ttnn.relu"]];
  assertEquals(told(apart, fused), [[["fused", "attributes"], two, one]]);
  assertEquals(told(fused, apart), [[["split", "attributes"], one, two]]);
});

Deno.test("a fused activation that changes is a field of that name, and text with a bar is one value", () => {
  const sideWith = (properties: string) =>
    sideOf(moduleOf(`    %0 = ${matmul(properties)}
    return %0 : ${T}`));
  const [gelu] = sideWith('activation = "gelu", note = "a|b=c", ').ops;
  const [relu] = sideWith('activation = "relu", note = "a|d=c", ').ops;
  assert(gelu !== undefined && relu !== undefined);
  assertEquals(changedFields(gelu, relu).map(({ field }) => field).toSorted(), ["activation", "note"]);
});

Deno.test("an op that one side fused is matched by its name in the other's location", () => {
  const apart = sideOf(moduleOf(`    %0 = ${matmul()} loc("mm")
    %1 = "ttnn.add"(%0, %y) : ${B} loc("bias")
    return %1 : ${T}`));
  const fused = sideOf(moduleOf(
    `    %0 = "ttnn.linear"(%x, %y) <{transpose_a = false, transpose_b = false}> : ${B} loc(fused["mm", "bias"])
    return %0 : ${T}`,
  ));
  const { changes } = diffSides(apart, fused);
  assertEquals(
    changes.map((
      { kinds, group },
    ) => [kinds, group?.a.map(({ name }) => name), group?.b.map(({ name }) => name)]),
    [[["fused"], ["ttnn.matmul", "ttnn.add"], ["ttnn.linear"]]],
  );
});

Deno.test("any order of ops under names of their own matches whole, each with itself", () => {
  const op = (name: string, at: number): DiffOp => ({
    key: `ttnn.${name}|32x32`,
    function: "forward",
    name: `ttnn.${name}`,
    shape: "32x32",
    location: `loc("${name}_${at}")`,
    layouts: [],
    config: "",
    us: 1,
    id: at,
    conversions: [],
    readers: undefined,
  });
  const ops = ["relu", "relu", "exp", "exp", "exp", "add", "relu"].map(op);
  fc.assert(
    fc.property(fc.shuffledSubarray(ops, { minLength: ops.length }), (shuffled) => {
      const { pairs, groups } = matchOps(ops, shuffled);
      assertEquals(groups, []);
      assertEquals(pairs.length, ops.length);
      assert(pairs.every(([a, b]) => a !== undefined && a === b));
    }),
  );
});
