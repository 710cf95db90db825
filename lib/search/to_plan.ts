// SPDX-License-Identifier: Apache-2.0
import type { Conversion, FunctionPlan, OperandSource } from "../plan/plan.ts";
import type { FunctionModel } from "./function_model.ts";
import { copyAt, madeSource, type Program, type ProgramStep, type Source } from "./program.ts";
import { opId } from "../graph/graph.ts";

/**
 * A program as a plan; copies become conversions, numbered in execution order.
 *
 * @param steps the program in execution order
 */
export function toPlan(model: FunctionModel, program: Program, steps: readonly ProgramStep[]): FunctionPlan {
  const { fn, layouts } = model;
  const number = new Map<number, number>();
  const conversions: Conversion[] = [];
  const sourceOf = (source: Source): OperandSource => {
    const conversion = number.get(madeSource(model, program, source));
    return conversion === undefined ? { kind: "value" } : { kind: "conversion", conversion };
  };
  for (const step of steps) {
    if (step.kind === "op") continue;
    const copy = copyAt(program, step.copy);
    if (madeSource(model, program, step.copy) !== step.copy) continue;
    const source = sourceOf(copy.source);
    number.set(step.copy, conversions.length);
    conversions.push({
      id: conversions.length,
      value: copy.value,
      source,
      layout: layouts.get(copy.layout),
      beforeOp: copy.before,
      reason: copy.reason,
      note: copy.note,
    });
  }
  return {
    name: fn.name,
    decisions: program.ops.map(({ outputs, config, sources, reasons, isSpilled }, op) => ({
      op: opId(fn, op),
      outputLayouts: outputs.map((layout) => layout === undefined ? undefined : layouts.get(layout)),
      config,
      operands: sources.map(sourceOf),
      reasons,
      ...(isSpilled === true ? { spilled: true } : {}),
    })),
    conversions,
    results: program.results.map(sourceOf),
    schedule: program.schedule.every((op, index) => op === index) ? undefined : program.schedule,
  };
}
