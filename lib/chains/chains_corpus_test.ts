// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusFiles, corpusName, corpusTest, IS_FULL_SWEEP } from "../../testing/corpus.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import type { Graph } from "../graph/graph.ts";
import { readGraph } from "../graph/read_graph.ts";
import { parseModule } from "../ir/mod.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { simulateMemory } from "../memory/plan_memory.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import { identityPlan } from "../plan/steps.ts";
import { verifyPlan } from "../plan/verify_plan.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { policies } from "../policy/policies.ts";
import { ToyCostModel } from "../propagation/testing/toy_models.ts";
import { unconfirmedChanges } from "./testing/unconfirmed_changes.ts";

/** Every n-th file of the large folders; `TILEWRIGHT_FULL_SWEEP=1` takes all. */
const STRIDE = IS_FULL_SWEEP ? 1 : 9;

function readCorpusGraph(path: string): Graph | undefined {
  try {
    return readGraph(parseModule(Deno.readTextFileSync(path), path), TEST_WORMHOLE.workerGrid).graph;
  } catch (error) {
    // Files with several modules and deliberately wrong files are covered by the parser's tests.
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

function checkFile(path: string): void {
  const graph = readCorpusGraph(path);
  if (graph === undefined) return;
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts, reservedL1Bytes: graph.constEvalL1Bytes });
  const cost = new ToyCostModel(layouts);
  const times = new Map<string, number>();
  for (const policy of policies.filter(({ planKind }) => planKind === "confirmed")) {
    const where = `${policy.name} on ${corpusName(path)}`;
    const plan = policy.decide({ graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS });
    assertEquals(verifyPlan(graph, plan), [], where);
    let time = 0;
    for (const [index, fn] of graph.functions.entries()) {
      const functionPlan = plan.functions[index];
      if (functionPlan === undefined || fn.kind !== "forward_device") continue;
      const l1 = { cap: DEFAULT_POLICY_OPTIONS.tensorL1UsageCap, constEvalL1Bytes: graph.constEvalL1Bytes };
      const { timeline } = simulateMemory(fn, functionPlan, opModel, l1);
      const asInput = simulateMemory(fn, identityPlan(fn), opModel, l1).timeline;
      assert(timeline.withinBudget || !asInput.withinBudget, `${where}: @${fn.name} does not fit`);
      assertEquals(unconfirmedChanges(fn, functionPlan, opModel), [], where);
      time += planMicroseconds(fn, functionPlan, opModel, cost);
    }
    times.set(policy.name, time);
  }
  const [first, second] = [times.get("df-sharding") ?? 0, times.get("df-sharding-2") ?? 0];
  assert(second <= first, `df-sharding-2 takes ${second} µs on ${corpusName(path)}, df-sharding ${first} µs`);
}

for (
  const [folder, stride] of [["dumps/ttnn", Math.min(STRIDE, 4)], ["lowered/models", STRIDE], [
    "lowered/ops",
    STRIDE,
  ]] as const
) {
  corpusTest(`chain policies give sound plans that fit on ${folder}`, () => {
    const files = corpusFiles(folder);
    assert(files.length > 0);
    files.filter((_, index) => index % stride === 0).forEach(checkFile);
  });
}
