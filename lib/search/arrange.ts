// SPDX-License-Identifier: Apache-2.0
import { returnPlace, type SchedulePoint, type ValueId } from "../graph/graph.ts";
import type { FunctionModel } from "./function_model.ts";
import {
  copyAt,
  decisionFor,
  ITSELF,
  madeSource,
  type Program,
  type ProgramStep,
  type Source,
} from "./program.ts";

/** Step objects by id, shared by all programs, because pass 2 arranges a program again after every spill. */
const OP_STEPS: ProgramStep[] = [];
const COPY_STEPS: ProgramStep[] = [];

/**
 * The steps of a program in execution order, without copies that nothing reads or that are not made
 * ({@linkcode madeSource}). Copies before the same op: sources before the copies made from them, then spills (they free
 * L1), then in the order of addition.
 */
export function arrange(model: FunctionModel, program: Program): readonly ProgramStep[] {
  const { copies, ops, results } = program;
  const used: boolean[] = new Array(copies.length).fill(false);
  const mark = (start: Source): void => {
    let source = start;
    while (source !== ITSELF && used[source] !== true) {
      used[source] = true;
      source = copyAt(program, source).source;
    }
  };
  for (let op = 0; op < ops.length; op++) {
    const sources = ops[op]?.sources ?? [];
    for (let operand = 0; operand < sources.length; operand++) mark(sources[operand] ?? ITSELF);
  }
  for (const source of results) mark(source);
  const isStep = (copy: number): boolean => used[copy] === true && madeSource(model, program, copy) === copy;
  return stepsWith(program, isStep, asArranged);
}

/** Copies before one op, given by index, in the order of {@linkcode arrange}. */
function asArranged(program: Program, before: SchedulePoint, copies: number[]): readonly number[] {
  if (copies.length < 2) return copies;
  const depths = new Map(copies.map((copy) => [copy, depthOf(program, copy, before)]));
  const depth = (copy: number): number => depths.get(copy) ?? 0;
  const rank = (copy: number): number => copyAt(program, copy).reason === "spill" ? 0 : 1;
  return copies.sort((a, b) => depth(a) - depth(b) || rank(a) - rank(b) || a - b);
}

/** The steps of a program whose copies are listed in the order in which they are made. */
export function stepsAsMade(program: Program): readonly ProgramStep[] {
  return stepsWith(program, () => true, (_program, _before, copies) => copies);
}

/**
 * @param isStep whether a copy is a step
 * @param inOrder orders the copies before one op, given by index
 */
function stepsWith(
  program: Program,
  isStep: (copy: number) => boolean,
  inOrder: (program: Program, before: SchedulePoint, copies: number[]) => readonly number[],
): readonly ProgramStep[] {
  const { schedule, ops, copies } = program;
  // Linked lists of copies by the op that they precede, ascending.
  const first = new Int32Array(ops.length + 1).fill(-1);
  const next = new Int32Array(copies.length);
  for (let copy = copies.length - 1; copy >= 0; copy--) {
    const before = copies[copy]?.before;
    if (before === undefined || !isStep(copy)) continue;
    next[copy] = first[before] ?? -1;
    first[before] = copy;
  }
  const steps: ProgramStep[] = [];
  const addCopies = (before: SchedulePoint): void => {
    const own: number[] = [];
    for (let copy = first[before] ?? -1; copy >= 0; copy = next[copy] ?? -1) own.push(copy);
    for (const copy of inOrder(program, before, own)) steps.push(COPY_STEPS[copy] ??= { kind: "copy", copy });
  };
  for (let index = 0; index < schedule.length; index++) {
    const op = schedule[index];
    if (op === undefined) continue;
    if ((first[op] ?? -1) >= 0) addCopies(op);
    steps.push(OP_STEPS[op] ??= { kind: "op", op });
  }
  addCopies(returnPlace({ ops }));
  return steps;
}

/** How many copies before the same op a copy depends on. */
function depthOf(program: Program, copy: number, before: SchedulePoint): number {
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
  for (const { op, operand } of model.value(value).uses) mark(decisionFor(program, op).sources[operand]);
  for (const index of model.returnsOf(value)) mark(program.results[index]);
  return used;
}
