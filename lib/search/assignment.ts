// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { FunctionModel } from "./function_model.ts";
import type { OpEvaluator } from "./op_evaluator.ts";
import type { Assignment, Choice } from "./impls.ts";

/**
 * The choice for an op.
 *
 * @throws {RangeError} when the assignment has none
 */
export function choiceFor(assignment: Assignment, op: number): Choice {
  const choice = assignment[op];
  if (choice === undefined) throw new RangeError(`Cannot look up op ${op}: it is not assigned`);
  return choice;
}

/** Layout in which a value is produced under an assignment; `undefined` for one that is no tensor. */
export function producedLayout(
  model: FunctionModel,
  assignment: Assignment,
  value: ValueId,
): LayoutId | undefined {
  const { definition } = model.value(value);
  if (definition.kind === "argument") return model.declared[value];
  return choiceFor(assignment, definition.op).outputs[definition.index];
}

/** Layouts in which a value is read or returned, in schedule order, each once. */
export function readLayouts(
  model: FunctionModel,
  assignment: Assignment,
  value: ValueId,
): ReadonlySet<LayoutId> {
  const wanted = new Set<LayoutId>();
  for (const { op, operand } of model.value(value).uses) {
    const layout = choiceFor(assignment, op).inputs[operand];
    if (layout !== undefined) wanted.add(layout);
  }
  const returned = model.returnedIn(value);
  if (returned !== undefined) wanted.add(returned);
  return wanted;
}

/** Predicted µs of an assignment: every op, and every distinct reshard of every value once. */
export function assignmentMicroseconds(evaluator: OpEvaluator, assignment: Assignment): number {
  let microseconds = 0;
  for (const { id } of evaluator.fn.ops) {
    microseconds += evaluator.choiceRuntime(id, choiceFor(assignment, id));
  }
  for (const { id, tensor } of evaluator.fn.values) {
    const producedIn = producedLayout(evaluator, assignment, id);
    if (producedIn === undefined || tensor === undefined) continue;
    for (const layout of readLayouts(evaluator, assignment, id)) {
      microseconds += evaluator.reshardMicroseconds(tensor, producedIn, layout);
    }
  }
  return microseconds;
}

/** Equal for assignments with the same layouts and configs for every op. */
export function assignmentKey(evaluator: OpEvaluator, assignment: Assignment): string {
  return assignment.map((choice) => evaluator.choiceId(choice)).join();
}
