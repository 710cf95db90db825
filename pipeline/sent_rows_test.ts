// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { prepareModule } from "./load_module.ts";
import { decidePlan } from "./optimize.ts";
import { gapOfPlan } from "./plan_gap.ts";
import { readModule } from "./read_module.ts";

const PARAMETER = "{ttcore.argument_type = #ttcore.argument_type<parameter>}";

/** Bags of three embeddings each, as recommendation models have them: rows of ops that nothing joins before the end. */
function embeddingBags(rows: number): string {
  const each = Array.from({ length: rows }, (_, row) => row);
  const [ids, table, bag] = ["tensor<128x3xi32>", "tensor<1000x64xbf16>", "tensor<128x1x64xbf16>"];
  const made = `tensor<128x${rows}x64xbf16>`;
  const body = each.map((row) => `
  %e${row} = "ttir.embedding"(%i${row}, %t${row}) : (${ids}, ${table}) -> tensor<128x3x64xbf16>
  %s${row} = "ttir.sum"(%e${row}) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<128x3x64xbf16>) -> ${bag}`);
  return `func.func @main(${
    each.map((row) => `%i${row}: ${ids}, %t${row}: ${table} ${PARAMETER}`).join(", ")
  }) -> ${made} {${body.join("")}
  %joined = "ttir.concat"(${each.map((row) => `%s${row}`).join(", ")}) <{dim = 1 : si32}> : (${
    each.map(() => bag).join(", ")
  }) -> ${made}
  return %joined : ${made}
}`;
}

Deno.test("rows that wait to be sent are spread between rows that run: 26 bags of embeddings come near their bound", () => {
  const { module } = readModule(embeddingBags(26), "bags.mlir");
  const workbench = prepareModule(module, getDevice("p150"), { passes: DEFAULT_PASS_OPTIONS });
  const plan = decidePlan(workbench, getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
  const timeline = simulateGraph(workbench.binding.graph, plan, workbench);
  const { lowerBoundUs } = gapOfPlan(plan, timeline);
  const { totalUs } = timeline.inference;
  assert(lowerBoundUs !== undefined && lowerBoundUs <= totalUs);
  assert(totalUs <= 1.03 * lowerBoundUs, `${totalUs} µs, the bound is ${lowerBoundUs}`);
});
