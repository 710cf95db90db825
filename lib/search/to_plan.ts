// SPDX-License-Identifier: Apache-2.0
import type { Conversion, FunctionPlan, OperandSource } from "../plan/plan.ts";
import type { FunctionModel } from "./function_model.ts";
import {
  copyAt,
  decisionFor,
  ITSELF,
  layoutOf,
  madeSource,
  type Program,
  type ProgramStep,
  type Source,
} from "./program.ts";
import { type OpId, opId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";

/**
 * A program as a plan; copies become conversions, numbered in execution order.
 *
 * @param steps the program in execution order
 */
export function toPlan(model: FunctionModel, program: Program, steps: readonly ProgramStep[]): FunctionPlan {
  const { fn, layouts, opModel } = model;
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
  const configOf = (op: OpId): OpSpecificAttributes | undefined => {
    const { outputs, config, sources } = decisionFor(program, op);
    const inputs = model.op(op).operands.map((value, operand) =>
      layoutOf(model, program, value, sources[operand] ?? ITSELF)
    );
    return opModel.writtenConfig === undefined
      ? config
      : opModel.writtenConfig(model.signature(op), inputs, outputs[0], config);
  };
  const isOutside = (id: LayoutId | undefined): boolean =>
    id !== undefined && layouts.get(id).bufferType !== "l1";
  return {
    name: fn.name,
    decisions: program.ops.map(({ outputs, sources, reasons, isSpilled }, op) => ({
      op: opId(fn, op),
      outputLayouts: outputs.map((layout) => layout === undefined ? undefined : layouts.get(layout)),
      config: configOf(opId(fn, op)),
      operands: sources.map(sourceOf),
      reasons,
      // A result that a spill only spreads over all cores is still in L1.
      ...(isSpilled === true && outputs.some(isOutside) ? { spilled: true } : {}),
    })),
    conversions,
    results: program.results.map(sourceOf),
    schedule: program.schedule.every((op, index) => op === index) ? undefined : program.schedule,
  };
}
