// SPDX-License-Identifier: Apache-2.0
import type { OpId, Place, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { L1Region } from "../memory/l1_timeline.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, ITSELF, type Source } from "../search/program.ts";
import type { Way } from "../search/ways.ts";
import { readersOfInstance } from "./moves.ts";
import { Trials } from "./restore.ts";

/** How often all ops are visited: one changed op may free a copy that another one can read. */
const SWEEPS = 2;

/** An op that reads another instance of a value, and the way in which it then runs. */
interface Reading {
  readonly op: OpId;
  readonly value: ValueId;
  readonly source: Source;
  readonly way: Way;
  /** Per result: the effect on its readers. */
  readonly behind: readonly Behind[];
}

/** The effect on the readers of a result with a new layout. */
interface Behind {
  readonly microseconds: number;
  /** How they run if they read the new layout directly; `undefined` if the result is copied back to the old one. */
  readonly readers: ReadonlyMap<OpId, Way> | undefined;
}

const AS_BEFORE: Behind = { microseconds: 0, readers: new Map() };

/**
 * Lets ops read instances that exist anyway (the value itself, or a copy made for another reader) instead of
 * their own copy or DRAM, and makes copies from such instances where that is faster. A change is kept if the
 * predicted time falls and everything fits as before.
 *
 * @returns how many ops and copies read something else
 */
export function readPresent(program: LayoutProgram, roles: OpRoles, region: L1Region): number {
  const trials = new Trials(program, roles, region);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const before = trials.kept;
    // Copies first: otherwise an op might drop a copy that another copy could be made from.
    for (const copy of program.copies.keys()) {
      for (const source of cheaperSources(program, copy)) {
        trials.attempt((trial) => {
          trial.setCopySource(copy, source);
          return true;
        });
      }
    }
    for (const op of program.schedule) {
      if (roles.decided[op] === true) tryReadings(trials, program, roles, op);
    }
    if (trials.kept === before) break;
  }
  return trials.kept;
}

/** Tries every existing instance of each operand of an op. */
function tryReadings(trials: Trials, program: LayoutProgram, roles: OpRoles, op: OpId): void {
  for (const value of new Set(program.evaluator.op(op).operands)) {
    for (const source of presentAt(program, value, op)) {
      const reading = readingFrom(program, roles, { op, value, source });
      if (reading !== undefined) trials.attempt((trial) => carryOut(trial, reading));
    }
  }
}

/** Sources from which a copy could be made faster than from its present one: the value itself or an earlier copy. */
function cheaperSources(program: LayoutProgram, copy: number): readonly Source[] {
  if (program.usedCopies()[copy] !== true) return [];
  const { evaluator } = program;
  const { value, before, layout } = copyAt(program, copy);
  const microsecondsFrom = (source: Source): number => {
    const from = program.layoutOf(value, source);
    return from === undefined ? Infinity : evaluator.copyMicroseconds(value, from, layout);
  };
  const now = program.copyMicroseconds(copy);
  return presentAt(program, value, before).filter((source) =>
    source !== copy && !isMadeFrom(program, source, copy) && microsecondsFrom(source) < now
  );
}

/** Whether an instance is made from a copy, directly or through others. */
function isMadeFrom(program: LayoutProgram, start: Source, copy: number): boolean {
  for (let source = start; source !== ITSELF; source = copyAt(program, source).source) {
    if (source === copy) return true;
  }
  return false;
}

/** The value itself and its copies made before an op. */
function presentAt(program: LayoutProgram, value: ValueId, op: Place): readonly Source[] {
  const position = program.positionOf(op);
  const copies = [...program.usedCopiesOf(value)].filter((copy) =>
    program.positionOf(copyAt(program, copy).before) <= position
  );
  return [ITSELF, ...copies.sort((a, b) => a - b)];
}

/** The cheapest way to run an op that reads an instance; `undefined` if that cannot save time. */
function readingFrom(
  program: LayoutProgram,
  roles: OpRoles,
  { op, value, source }: Pick<Reading, "op" | "value" | "source">,
): Reading | undefined {
  const { evaluator } = program;
  const layout = program.layoutOf(value, source);
  const { operands } = evaluator.op(op);
  const { sources, outputs } = decisionFor(program, op);
  const moved = operands.flatMap((other, operand) =>
    other === value && sources[operand] !== source ? [operand] : []
  );
  if (layout === undefined || moved.length === 0 || !acceptsAll(program, op, moved, layout)) return undefined;
  const inputs = program.inputsOf(op).map((own, operand) => moved.includes(operand) ? layout : own);
  let best: Reading | undefined;
  let least = program.opMicroseconds(op);
  for (const copy of new Set(moved.map((operand) => sources[operand] ?? ITSELF))) {
    if (copy !== ITSELF) least += program.copyMicroseconds(copy);
  }
  for (const way of evaluator.ways(op, inputs)) {
    if (way.microseconds >= least) continue;
    const behind = evaluator.op(op).results.map((result, index) =>
      outputs[index] === way.outputs[index]
        ? AS_BEFORE
        : behindResult(program, roles, result, outputs[index], way.outputs[index])
    );
    const us = behind.reduce((sum, { microseconds }) => sum + microseconds, way.microseconds);
    if (us < least) [best, least] = [{ op, value, source, way, behind }, us];
  }
  return best;
}

/**
 * The cheapest continuation after a result gets a new layout: copy it back once, or let its readers read it
 * there.
 */
function behindResult(
  program: LayoutProgram,
  roles: OpRoles,
  value: ValueId,
  from: LayoutId | undefined,
  to: LayoutId | undefined,
): Behind {
  if (from === undefined || to === undefined) return AS_BEFORE;
  const readers = readersOfInstance(program, value, ITSELF);
  if (readers.length === 0) return AS_BEFORE;
  const back: Behind = {
    microseconds: program.evaluator.copyMicroseconds(value, to, from),
    readers: undefined,
  };
  const ways = new Map<OpId, Way>();
  let microseconds = 0;
  for (const reader of readers) {
    if (reader.kind !== "operand" || roles.decided[reader.op] !== true) return back;
    if (ways.has(reader.op)) continue;
    const way = wayReading(program, reader.op, value, to);
    if (way === undefined) return back;
    ways.set(reader.op, way);
    microseconds += way.microseconds - program.opMicroseconds(reader.op);
  }
  return microseconds < back.microseconds ? { microseconds, readers: ways } : back;
}

/** The cheapest way for an op to produce its present results from a value in a new layout. */
export function wayReading(
  program: LayoutProgram,
  op: OpId,
  value: ValueId,
  layout: LayoutId,
): Way | undefined {
  const { evaluator } = program;
  const { sources, outputs } = decisionFor(program, op);
  const moved = evaluator.op(op).operands.flatMap((other, operand) =>
    other === value && sources[operand] === ITSELF ? [operand] : []
  );
  if (!acceptsAll(program, op, moved, layout)) return undefined;
  const inputs = program.inputsOf(op).map((own, operand) => moved.includes(operand) ? layout : own);
  let best: Way | undefined;
  for (const way of evaluator.ways(op, inputs)) {
    if (way.outputs.some((made, index) => made !== outputs[index])) continue;
    if (best === undefined || way.microseconds < best.microseconds) best = way;
  }
  return best;
}

/** Whether the input filter of an op accepts a layout for all of the given operands. */
function acceptsAll(
  { evaluator }: LayoutProgram,
  op: OpId,
  operands: readonly number[],
  layout: LayoutId,
): boolean {
  const signature = evaluator.signature(op);
  return operands.every((operand) => evaluator.opModel.acceptsInput(signature, operand, layout));
}

function carryOut(program: LayoutProgram, { op, value, source, way, behind }: Reading): boolean {
  const { evaluator } = program;
  const { operands, results } = evaluator.op(op);
  const before = decisionFor(program, op).outputs;
  operands.forEach((other, operand) => {
    if (other === value) program.setSource(op, operand, source);
  });
  program.setOutputs(op, way, "reads a copy that exists for another op", false);
  results.forEach((result, index) => {
    const readers = behind[index]?.readers;
    if (readers === undefined) bringBack(program, result, before[index]);
    for (const [reader, readerWay] of readers ?? []) {
      program.setOutputs(reader, readerWay, "reads its operand where it is", false);
    }
  });
  return true;
}

/** Copies a result back to the layout that its readers expect. */
function bringBack(program: LayoutProgram, value: ValueId, layout: LayoutId | undefined): void {
  const [first, ...others] = readersOfInstance(program, value, ITSELF);
  if (layout === undefined || first === undefined) return;
  // The result also has readers that are not operands (copies, `return`); such a change is not supported.
  if (first.kind !== "operand" || others.some(({ kind }) => kind !== "operand")) return;
  const back = program.addCopy({
    value,
    source: ITSELF,
    layout,
    before: first.op,
    reason: "reshard",
    note: "its readers need it there",
  });
  for (const reader of [first, ...others]) {
    if (reader.kind === "operand") program.setSource(reader.op, reader.operand, back);
  }
}
