// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { dramInterleavedTiled, GraphBuilder } from "../../testing/graph_builder.ts";
import type { GraphFunction } from "../graph/graph.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { Conversion, FunctionPlan, Plan } from "./plan.ts";
import { parsePlan, planToJson } from "./plan_json.ts";
import { copyInstance, identityPlan, isValue, planExecution } from "./steps.ts";
import { verifyPlan } from "./verify_plan.ts";
import { idOf, idsOf } from "../../testing/ids.ts";

const tensor = { shape: [64, 64], dataType: "bf16" } as const;
const dram: TtnnLayout = dramInterleavedTiled(tensor);
const heightSharded: TtnnLayout = makeLayout(
  { ...tensor, bufferType: "l1", memoryLayout: "height_sharded", grid: [2, 1] },
  { rows: 8, columns: 8 },
);

/** `relu` into L1, a copy back to DRAM before `return`. */
function reluInL1(): { fn: GraphFunction; plan: FunctionPlan } {
  const builder = new GraphBuilder("main");
  const x = builder.argument(tensor);
  builder.return(builder.op("ttnn.relu", [x], tensor));
  const fn = builder.build();
  const plan: FunctionPlan = {
    ...identityPlan(fn),
    decisions: [{
      op: idOf(0),
      outputLayouts: [heightSharded],
      config: { kind: "matmul", computeConfig: { mathFidelity: "hifi4" } },
      operands: [{ kind: "value" }],
      reasons: ["because"],
    }],
    conversions: [{
      id: 0,
      value: idOf(1),
      source: { kind: "value" },
      layout: dram,
      beforeOp: idOf(1),
      reason: "return",
      note: "signature",
    }],
    results: [{ kind: "conversion", conversion: 0 }],
  };
  return { fn, plan };
}

function wrap(plan: FunctionPlan): Plan {
  return { schema: "tilewright.plan/1", policy: "test", device: "n150", functions: [plan] };
}

Deno.test("planExecution() puts conversions directly before their op and knows every layout", () => {
  const { fn, plan } = reluInL1();
  const execution = planExecution(fn, plan);
  assertEquals(execution.steps.map((step) => step.kind), ["op", "conversion"]);
  assertEquals(execution.layouts, [dram, heightSharded, dram]);
  assertEquals(execution.valueOf, idsOf(0, 1, 1));
  assertEquals<readonly number[]>(execution.results, [2]);
});

Deno.test("parsePlan() reads back what planToJson() wrote", () => {
  const plan = wrap(reluInL1().plan);
  assertEquals(parsePlan(planToJson(plan), "plan.json"), plan);
});

Deno.test("parsePlan() names the JSON path of an error", () => {
  const text = planToJson(wrap(reluInL1().plan)).replace('"height_sharded"', '"tall_sharded"');
  const error = assertThrows(() => parsePlan(text, "plan.json"), DiagnosticError);
  assertStringIncludes(error.message, "functions.0.decisions.0.outputLayouts.0.memoryLayout");
  const fidelity = planToJson(wrap(reluInL1().plan)).replace('"hifi4"', '"hifi5"');
  assertThrows(
    () => parsePlan(fidelity, "plan.json"),
    DiagnosticError,
    "functions.0.decisions.0.config.computeConfig.mathFidelity",
  );
  assertThrows(() => parsePlan("{", "plan.json"), DiagnosticError, "Cannot read a plan from plan.json");
});

Deno.test("verifyPlan() accepts a sound plan and the identity", () => {
  const { fn, plan } = reluInL1();
  const graph = { functions: [fn], constEvalL1Bytes: 0 };
  assertEquals(verifyPlan(graph, wrap(plan)), []);
  assertEquals(verifyPlan(graph, wrap(identityPlan(fn))), []);
});

Deno.test("verifyPlan() refuses each way a plan can be unsound", async (t) => {
  const { fn, plan } = reluInL1();
  const graph = { functions: [fn], constEvalL1Bytes: 0 };
  const conversion = plan.conversions[0];
  const broken: Readonly<Record<string, FunctionPlan>> = {
    "plan/missing-function": { ...plan, name: "other" },
    "plan/op-count": { ...plan, decisions: [] },
    "plan/schedule": { ...plan, schedule: idsOf(1) },
    "plan/result-layout": { ...plan, results: [{ kind: "value" }] },
    "plan/conversion": { ...plan, results: [{ kind: "conversion", conversion: 7 }] },
    "plan/order": {
      ...plan,
      conversions: conversion === undefined ? [] : [{ ...conversion, beforeOp: idOf(0) }],
    },
    "plan/no-op": {
      ...plan,
      conversions: conversion === undefined ? [] : [{ ...conversion, layout: heightSharded }],
    },
    "plan/decision": {
      ...plan,
      decisions: plan.decisions.map((decision) => ({ ...decision, operands: [] })),
    },
  };
  for (const [code, functionPlan] of Object.entries(broken)) {
    await t.step(code, () => assertEquals(verifyPlan(graph, wrap(functionPlan))[0]?.code, code));
  }
});

Deno.test("verifyPlan() refuses copies of other values, and copies that read themselves", () => {
  const { fn, plan } = reluInL1();
  const graph = { functions: [fn], constEvalL1Bytes: 0 };
  const codes = (change: Partial<Conversion>): readonly string[] =>
    verifyPlan(
      graph,
      wrap({ ...plan, conversions: plan.conversions.map((conversion) => ({ ...conversion, ...change })) }),
    ).map(({ code }) => code);
  assertEquals(codes({}), []);
  // The argument in the layout of the result; what is returned is the result.
  assertEquals(codes({ value: idOf(0), layout: heightSharded })[0], "plan/conversion");
  assertEquals(codes({ source: { kind: "conversion", conversion: 0 } })[0], "plan/order");
});

Deno.test("instances are values first, then the copies of conversions", () => {
  const builder = new GraphBuilder();
  builder.return(builder.op("ttnn.relu", [builder.argument(tensor)], tensor));
  const fn = builder.build();
  assertEquals(fn.values.map(({ id }) => isValue(fn, id)), [true, true]);
  assertEquals<number>(copyInstance(fn, 0), 2);
  assert(!isValue(fn, copyInstance(fn, 0)));
  for (const conversion of [-1, 0.5]) assertThrows(() => copyInstance(fn, conversion), RangeError, "copy");
});
