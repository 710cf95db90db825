// SPDX-License-Identifier: Apache-2.0
import type { OpId, SchedulePoint, ValueId } from "../../graph/graph.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import type { OpRoles } from "../../search/op_roles.ts";
import { copyAt, decisionFor, ITSELF, type Source } from "../../search/program.ts";
import { bestFirst, type ImprovementMove, type Proposal } from "../move.ts";
import { acceptsAll } from "../readers.ts";
import { otherCandidates } from "../results.ts";

/**
 * Ops and copies read an existing instance (the value itself, or a copy made for another reader) instead of
 * their own copy.
 */
export const changeSource: ImprovementMove = {
  name: "change-source",
  stages: ["placed"],
  propose: (program, roles, step) =>
    bestFirst(
      step.kind === "copy"
        ? sourcesOfCopy(program, step.copy)
        : roles.decided[step.op] === true
        ? [...new Set(program.evaluator.op(step.op).operands)].flatMap((value) =>
          presentAt(program, value, step.op).flatMap((source) =>
            readFrom(program, roles, step.op, value, source)
          )
        )
        : [],
    ),
};

function sourcesOfCopy(program: LayoutProgram, copy: number): readonly Proposal[] {
  const { value, before, layout } = copyAt(program, copy);
  return presentAt(program, value, before).flatMap((source) => {
    const from = program.layoutOf(value, source);
    if (from === undefined || isMadeFrom(program, source, copy)) return [];
    return {
      microseconds: program.evaluator.copyMicroseconds(value, from, layout) - program.copyMicroseconds(copy),
      apply: (trial) => trial.setCopySource(copy, source),
    };
  });
}

/** Whether an instance is a copy, or made from it, directly or through others. */
function isMadeFrom(program: LayoutProgram, start: Source, copy: number): boolean {
  for (let source = start; source !== ITSELF; source = copyAt(program, source).source) {
    if (source === copy) return true;
  }
  return false;
}

/** The value itself and its copies made before an op. */
function presentAt(program: LayoutProgram, value: ValueId, op: SchedulePoint): readonly Source[] {
  const position = program.positionOf(op);
  const copies = [...program.usedCopiesOf(value)].filter((copy) =>
    program.positionOf(copyAt(program, copy).before) <= position
  );
  return [ITSELF, ...copies.sort((a, b) => a - b)];
}

/** Candidates of an op that reads an instance. */
function readFrom(
  program: LayoutProgram,
  roles: OpRoles,
  op: OpId,
  value: ValueId,
  source: Source,
): readonly Proposal[] {
  const layout = program.layoutOf(value, source);
  const { sources } = decisionFor(program, op);
  const moved = program.evaluator.op(op).operands.flatMap((other, operand) =>
    other === value && sources[operand] !== source ? [operand] : []
  );
  if (layout === undefined || moved.length === 0 || !acceptsAll(program, op, moved, layout)) return [];
  const copies = new Set(moved.map((operand) => sources[operand] ?? ITSELF));
  return otherCandidates(program, roles, op, {
    inputs: program.inputsOf(op).map((own, operand) => moved.includes(operand) ? layout : own),
    // Optimistic: assumes that the op is the only reader of its copies.
    nowUs: [...copies].reduce(
      (sum, copy) => copy === ITSELF ? sum : sum + program.copyMicroseconds(copy),
      program.opMicroseconds(op),
    ),
    reason: "reads a copy that exists for another op",
    apply(trial) {
      for (const operand of moved) trial.setSource(op, operand, source);
    },
  });
}
