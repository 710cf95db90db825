// SPDX-License-Identifier: Apache-2.0
import { type Place, returnPlace, type ValueId } from "../graph/graph.ts";
import type { FunctionModel } from "./function_model.ts";
import { copyAt, decisionFor, ITSELF, type Program, type ProgramStep, type Source } from "./program.ts";

/** Steps by id, which all programs share: pass 2 arranges a program anew for every spill. */
const OP_STEPS: ProgramStep[] = [];
const COPY_STEPS: ProgramStep[] = [];

/** What follows from all copies and sources of a program together. */
export interface Arrangement {
  /** By copy: whether something reads it, directly or through another copy. */
  readonly used: readonly boolean[];
  /** In execution order, without copies that nothing reads. */
  readonly steps: readonly ProgramStep[];
}

/**
 * Brings a program into execution order. Copies made before one op: those that others are made from first, then spills,
 * which make the room that the others need, then in the order in which they were added.
 */
export function arrange(program: Program): Arrangement {
  const used: boolean[] = program.copies.map(() => false);
  const mark = (sources: readonly Source[]): void => {
    for (const start of sources) {
      let source = start;
      while (source !== ITSELF && used[source] !== true) {
        used[source] = true;
        source = copyAt(program, source).source;
      }
    }
  };
  for (const op of program.ops) mark(op.sources);
  mark(program.results);
  const copies = program.copies.flatMap(({ before, reason }, copy) =>
    used[copy] === true
      ? [{ copy, before, depth: depthOf(program, copy, before), rank: reason === "spill" ? 0 : 1 }]
      : []
  );
  const steps = stepsWith(
    program,
    copies.sort((a, b) => a.depth - b.depth || a.rank - b.rank || a.copy - b.copy),
  );
  return { used, steps };
}

/** The steps of a program whose copies stand in the order in which they are made. */
export function stepsAsMade(program: Program): readonly ProgramStep[] {
  return stepsWith(program, program.copies.map(({ before }, copy) => ({ copy, before })));
}

function stepsWith(
  { schedule, ops }: Program,
  copies: readonly { readonly copy: number; readonly before: Place }[],
): readonly ProgramStep[] {
  const copiesBefore = new Map<Place, number[]>();
  for (const { copy, before } of copies) {
    const others = copiesBefore.get(before);
    if (others === undefined) copiesBefore.set(before, [copy]);
    else others.push(copy);
  }
  const steps: ProgramStep[] = [];
  const addCopies = (before: Place): void => {
    for (const copy of copiesBefore.get(before) ?? []) {
      steps.push(COPY_STEPS[copy] ??= { kind: "copy", copy });
    }
  };
  for (const op of schedule) {
    addCopies(op);
    steps.push(OP_STEPS[op] ??= { kind: "op", op });
  }
  addCopies(returnPlace({ ops }));
  return steps;
}

/** How many copies made before the same op a copy waits for. */
function depthOf(program: Program, copy: number, before: Place): number {
  let depth = 0;
  for (let source = copyAt(program, copy).source; source !== ITSELF;) {
    const earlier = copyAt(program, source);
    if (earlier.before === before) depth++;
    source = earlier.source;
  }
  return depth;
}

/** Copies of one value that something reads, directly or through another copy. */
export function usedCopiesOf(model: FunctionModel, program: Program, value: ValueId): ReadonlySet<number> {
  const used = new Set<number>();
  const mark = (start: Source | undefined): void => {
    for (let source = start ?? ITSELF; source !== ITSELF && !used.has(source);) {
      used.add(source);
      source = copyAt(program, source).source;
    }
  };
  const { uses, returned } = model.value(value);
  for (const { op, operand } of uses) mark(decisionFor(program, op).sources[operand]);
  if (returned > 0) {
    model.fn.results.forEach((result, index) => {
      if (result === value) mark(program.results[index]);
    });
  }
  return used;
}
