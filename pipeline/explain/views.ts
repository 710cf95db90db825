// SPDX-License-Identifier: Apache-2.0
import { roleOf } from "../../lib/graph/function_role.ts";
import { type GraphFunction, valueAt } from "../../lib/graph/graph.ts";
import { describeLayoutOr } from "../../lib/layout/describe.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import { planExecution } from "../../lib/plan/steps.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { DecisionTrace, EdgeTrace } from "../../lib/propagation/decision_trace.ts";
import { bareOpTrace } from "../../lib/propagation/trace_recorder.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import type { Optimized } from "../optimize.ts";

/**
 * The explanation of a decided program: for each function of an inference the trace of its policy, or the
 * reasons in the plan if there is none.
 */
export function viewsOf(
  { graph, plan }: Pick<Optimized, "graph" | "plan">,
  traces: readonly DecisionTrace[],
): readonly DecisionTrace[] {
  // Policies that try several plans record several traces; the last belongs to the plan.
  const last = new Map(traces.map((trace) => [trace.function, trace]));
  return graph.functions.filter((fn) => roleOf(fn.kind) === "inference").flatMap((fn) => {
    const decided = plan.functions.find((candidate) => candidate.name === fn.name);
    return last.get(fn.name) ?? (decided === undefined ? [] : [traceOfPlan(fn, decided, plan.policy)]);
  });
}

/** The trace of a plan that no search made: layouts, copies and reasons. */
function traceOfPlan(fn: GraphFunction, plan: FunctionPlan, policy: string): DecisionTrace {
  const { layouts } = planExecution(fn, plan);
  const spell = (instance: number | undefined): string =>
    describeLayoutOr(instance === undefined ? undefined : layouts[instance], "");
  return {
    source: "plan",
    function: fn.name,
    policy,
    origin: "",
    score: undefined,
    beamWidth: undefined,
    ops: fn.ops.map((op) => ({
      ...bareOpTrace(fn, op),
      decided: true,
      finalLayouts: op.results.map(spell),
      reasons: plan.decisions[op.id]?.reasons ?? [],
    })),
    edges: fn.ops.flatMap((op) =>
      op.operands.flatMap((value, operand): EdgeTrace[] => {
        const definition = valueAt(fn, value).definition;
        const source = plan.decisions[op.id]?.operands[operand];
        if (definition.kind !== "result" || source?.kind !== "conversion") return [];
        const reshard = spell(fn.values.length + source.conversion);
        return [{ producer: definition.op, consumer: op.id, operand, result: definition.index, reshard }];
      })
    ),
    forks: [],
    spills: plan.conversions.filter((conversion) => conversion.reason === "spill").map((conversion) => ({
      position: conversion.beforeOp,
      opName: fn.ops[conversion.beforeOp]?.name ?? "return",
      op: conversion.beforeOp,
      action: "spill",
      victim: valueAt(fn, conversion.value).name,
      bytes: undefined,
      description: conversion.note,
    })),
  };
}

/** Device programs of an op of a function; empty if it does not run. */
export function programsOf(timeline: Timeline, functionName: string, op: number): readonly DeviceProgram[] {
  const fn = timeline.functions.find(({ name }) => name === functionName);
  const step = fn?.steps.find((candidate) => candidate.kind === "op" && candidate.op === op);
  return step?.estimate.programs ?? [];
}
