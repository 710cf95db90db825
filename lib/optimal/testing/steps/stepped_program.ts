// SPDX-License-Identifier: Apache-2.0
import { type OpId, returnPlace, type SchedulePoint, type ValueId } from "../../../graph/graph.ts";
import type { LayoutId } from "../../../layout/layout_table.ts";
import { LayoutProgram } from "../../../search/layout_program.ts";
import type { OpEvaluator } from "../../../search/op_evaluator.ts";
import { ITSELF, type ProgramCopy, type Source } from "../../../search/program.ts";
import type { Choice } from "../../../search/impls.ts";

/** One step of a plan: an op, or a copy of a value. */
export type SearchStep =
  | { readonly kind: "op"; readonly op: OpId; readonly choice: Choice }
  | {
    readonly kind: "copy";
    readonly value: ValueId;
    readonly from: LayoutId;
    readonly to: LayoutId;
    /** Whether its source leaves L1 when it is made. */
    readonly leaves: boolean;
  };

/** The program of a plan that was found step by step. */
export function steppedProgram(evaluator: OpEvaluator, steps: readonly SearchStep[]): LayoutProgram {
  const { fn, declared } = evaluator;
  const choices = new Map<number, Choice>();
  for (const step of steps) if (step.kind === "op") choices.set(step.op, step.choice);
  const assignment = fn.ops.map(({ id }) => choices.get(id) ?? evaluator.kept(id));
  const schedule = steps.flatMap((step) => step.kind === "op" ? [step.op] : []);
  const program = LayoutProgram.fromAssignment(evaluator, assignment, schedule);
  const present = new Map<string, Source>();
  const keyOf = (value: ValueId, layout: LayoutId): string => `${value}:${layout}`;
  const sourceOf = (value: ValueId, layout: LayoutId | undefined): Source =>
    layout === undefined ? ITSELF : present.get(keyOf(value, layout)) ?? ITSELF;
  for (const value of fn.arguments) {
    const layout = declared[value];
    if (layout !== undefined) present.set(keyOf(value, layout), ITSELF);
  }
  steps.forEach((step, at) => {
    if (step.kind === "op") {
      const { operands, results } = evaluator.op(step.op);
      operands.forEach((value, operand) =>
        program.setSource(step.op, operand, sourceOf(value, step.choice.inputs[operand]))
      );
      results.forEach((value, index) => {
        const layout = step.choice.outputs[index];
        if (layout !== undefined) present.set(keyOf(value, layout), ITSELF);
      });
      return;
    }
    const { value, from, to } = step;
    const before = nextOp(steps, at) ?? returnPlace(fn);
    const reason = reasonOf(evaluator, step);
    const copy = program.addCopy({
      value,
      source: sourceOf(value, from),
      layout: to,
      before,
      reason,
      note: "exact, placed by address",
    });
    present.set(keyOf(value, to), copy);
  });
  fn.results.forEach((value, index) => program.setResult(index, sourceOf(value, declared[value])));
  return program;
}

function nextOp(steps: readonly SearchStep[], at: number): SchedulePoint | undefined {
  const next = steps.slice(at).find((step) => step.kind === "op");
  return next?.kind === "op" ? next.op : undefined;
}

function reasonOf(
  evaluator: OpEvaluator,
  { from, to, leaves }: Extract<SearchStep, { kind: "copy" }>,
): ProgramCopy["reason"] {
  const isInL1 = (layout: LayoutId): boolean => evaluator.facts(layout).isL1;
  return leaves && isInL1(from) && !isInL1(to) ? "spill" : "reshard";
}
