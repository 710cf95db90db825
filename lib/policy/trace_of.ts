// SPDX-License-Identifier: Apache-2.0
import { valueAt } from "../graph/graph.ts";
import type { DecisionTrace, EdgeTrace } from "../propagation/decision_trace.ts";
import { bareOpTrace, spellLayout } from "../propagation/trace_recorder.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { ITSELF } from "../search/program.ts";
import type { FunctionContext } from "./function_context.ts";
import type { FinishedProgram } from "./pass_pipeline.ts";

export function traceOf(policy: string, context: FunctionContext, finished: FinishedProgram): DecisionTrace {
  const { program, search, spill } = finished;
  const { fn, region } = context;
  const { layouts } = program.evaluator;
  return {
    source: "tilewright",
    function: fn.name,
    policy,
    origin: finished.origin,
    score: search?.score,
    beamWidth: search?.beamWidth,
    ops: fn.ops.map((op) => ({
      ...bareOpTrace(fn, op),
      ...search?.recorder.searched(op.id),
      finalLayouts: program.ops[op.id]?.outputs.map((layout) => spellLayout(layouts, layout)) ?? [],
      reasons: program.ops[op.id]?.reasons ?? [],
    })),
    edges: edgesOf(program),
    forks: search?.recorder.forks() ?? [],
    spills: spill.events.map(({ position, op, kind, victim, bytes, description, failure }) => ({
      position,
      opName: fn.ops[op]?.name ?? "return",
      op,
      action: kind,
      victim,
      bytes,
      description,
      pressure: failure.kind,
      usedBytes: failure.usage.bytes,
    })),
    restoredSpills: spill.restored,
    l1BudgetBytes: region.budget,
  };
}

function edgesOf(program: LayoutProgram): readonly EdgeTrace[] {
  const { fn, layouts } = program.evaluator;
  return fn.ops.flatMap((op) =>
    op.operands.flatMap((value, operand): readonly EdgeTrace[] => {
      const definition = valueAt(fn, value).definition;
      if (definition.kind !== "result") return [];
      const source = program.ops[op.id]?.sources[operand] ?? ITSELF;
      return [{
        producer: definition.op,
        consumer: op.id,
        operand,
        result: definition.index,
        reshard: source === ITSELF ? undefined : spellLayout(layouts, program.layoutOf(value, source)),
      }];
    })
  );
}
