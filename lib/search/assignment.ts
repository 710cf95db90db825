// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { LayoutIds, OpEvaluator } from "./op_evaluator.ts";

/** Layouts chosen for one op: what it reads, what it makes, and with which config. */
export interface OpAssignment {
  /** Layout in which each operand is read. */
  readonly inputs: LayoutIds;
  readonly outputs: LayoutIds;
  /** `undefined` leaves the config as the input has it. */
  readonly config: OpSpecificAttributes | undefined;
  readonly reasons: readonly string[];
}

/** Layouts for all ops of a function, by op id. Where an op reads another layout than was made stands a reshard. */
export type Assignment = readonly OpAssignment[];

/** The assignment of an op that runs as the input has it. */
export function keepAsInput(evaluator: OpEvaluator, id: number, reason: string): OpAssignment {
  const { fn, layouts } = evaluator;
  const op = fn.ops[id];
  const layoutOf = (value: number): LayoutId | undefined => {
    const layout = fn.values[value]?.layout;
    return layout === undefined ? undefined : layouts.intern(layout);
  };
  return {
    inputs: op?.operands.map(layoutOf) ?? [],
    outputs: op?.results.map(layoutOf) ?? [],
    config: undefined,
    reasons: [reason],
  };
}

/** Layout in which a value is born under an assignment. */
export function bornLayout(
  evaluator: OpEvaluator,
  assignment: Assignment,
  value: number,
): LayoutId | undefined {
  const graphValue = evaluator.fn.values[value];
  if (graphValue === undefined) return undefined;
  const { definition } = graphValue;
  if (definition.kind === "result") return assignment[definition.op]?.outputs[definition.index];
  return graphValue.layout === undefined ? undefined : evaluator.layouts.intern(graphValue.layout);
}

/** Layouts other than its own in which a value is read or returned, in schedule order, each once. */
export function wantedCopies(
  evaluator: OpEvaluator,
  assignment: Assignment,
  value: number,
): readonly LayoutId[] {
  const born = bornLayout(evaluator, assignment, value);
  const graphValue = evaluator.fn.values[value];
  const wanted: LayoutId[] = [];
  if (graphValue === undefined || born === undefined) return wanted;
  for (const use of graphValue.uses) {
    const layout = assignment[use.op]?.inputs[use.operand];
    if (layout !== undefined && layout !== born && !wanted.includes(layout)) wanted.push(layout);
  }
  if (graphValue.returned > 0 && graphValue.layout !== undefined) {
    const layout = evaluator.layouts.intern(graphValue.layout);
    if (layout !== born && !wanted.includes(layout)) wanted.push(layout);
  }
  return wanted;
}

/** Predicted µs of a whole assignment: every op, and every distinct copy of every value once. */
export function assignmentMicroseconds(evaluator: OpEvaluator, assignment: Assignment): number {
  let microseconds = 0;
  for (const op of evaluator.fn.ops) {
    const chosen = assignment[op.id];
    if (chosen !== undefined) microseconds += evaluator.runtime(op.id, chosen.inputs, chosen);
  }
  for (const value of evaluator.fn.values) {
    const born = bornLayout(evaluator, assignment, value.id);
    if (born === undefined || value.tensor === undefined) continue;
    for (const layout of wantedCopies(evaluator, assignment, value.id)) {
      microseconds += evaluator.reshard(value.tensor, born, layout)?.microseconds ?? Infinity;
    }
  }
  return microseconds;
}

/** Equal for assignments that choose the same layouts and configs for every op. */
export function assignmentKey(evaluator: OpEvaluator, assignment: Assignment): string {
  return assignment.map((op) => evaluator.runKey(op.inputs, op)).join(";");
}
