// SPDX-License-Identifier: Apache-2.0
import { valueAt } from "../graph/graph.ts";
import type { DecisionTrace, EdgeTrace, SpillTrace } from "../propagation/decision_trace.ts";
import { spellLayout } from "../propagation/trace_recorder.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { ITSELF } from "../search/program.ts";
import type { SpillEvent } from "../spill/shortage.ts";
import type { FunctionContext } from "./function_context.ts";
import type { FinishedProgram } from "./pass_pipeline.ts";

export function traceOf(policy: string, context: FunctionContext, finished: FinishedProgram): DecisionTrace {
  const { program, search, spill } = finished;
  const { fn, region } = context;
  const timeline = program.l1Failures(region);
  const { layouts } = program.evaluator;
  return {
    function: fn.name,
    policy,
    origin: finished.origin,
    score: search?.score,
    beamWidth: search?.beamWidth,
    ops: search?.recorder.ops() ?? [],
    forks: search?.recorder.forks() ?? [],
    spills: spill.events.map((event) => spillTrace(program, event)),
    restoredSpills: spill.restored,
    edges: edgesOf(program),
    finalLayouts: program.ops.map((op) => op.outputs.map((layout) => spellLayout(layouts, layout))),
    reasons: program.ops.map((op) => op.reasons),
    l1BudgetBytes: region.budget,
    peakL1Bytes: timeline.peakBytes,
    microseconds: finished.microseconds,
  };
}

function spillTrace(program: LayoutProgram, event: SpillEvent): SpillTrace {
  return {
    position: event.position,
    op: event.op,
    opName: program.evaluator.fn.ops[event.op]?.name ?? "return",
    pressure: event.failure.kind,
    shortBytes: event.failure.shortBytes,
    usedBytes: event.failure.usage.bytes,
    victim: event.victim,
    bytes: event.bytes,
    kind: event.kind,
    microseconds: event.microseconds,
    description: event.description,
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
        value,
        reshard: source === ITSELF ? undefined : spellLayout(layouts, program.layoutOf(value, source)),
      }];
    })
  );
}
