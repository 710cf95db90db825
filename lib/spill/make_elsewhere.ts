// SPDX-License-Identifier: Apache-2.0
import { type OpId, type Place, returnPlace, type ValueId } from "../graph/graph.ts";
import type { L1Region } from "../memory/l1_timeline.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, ITSELF, type Source } from "../search/program.ts";
import type { Way } from "../search/ways.ts";
import { type Reader, readersOfInstance } from "./moves.ts";
import { wayReading } from "./read_present.ts";
import { Trials } from "./restore.ts";

/** How often all ops are visited: one changed op may free what another one lacked. */
const SWEEPS = 2;

/** Most promising ways that are tried per op and per number of readers that read the new layout. */
const TRIED_WAYS = 2;

/** Groups of early readers that are tried: the first one, the first two and so on, then all. */
const MOST_CUTS = 3;

/** How one reader is served once the result has another layout. */
interface Served {
  readonly reader: Reader;
  /** Change of the predicted time in µs if it reads the result itself; `Infinity` if it cannot. */
  readonly microseconds: number;
  /** How the reader then runs, if it is an op. */
  readonly way: Way | undefined;
}

/** The effect on the readers of a result with a new layout. */
interface Rerouting {
  readonly value: ValueId;
  /** Change of the predicted time in µs. */
  readonly microseconds: number;
  readonly direct: readonly Served[];
  /** Readers of a copy in the old layout. */
  readonly others: readonly Reader[];
  readonly before: LayoutId;
}

/** Another way to run an op, and its effect on the readers of its results. */
interface Making {
  readonly op: OpId;
  readonly way: Way;
  readonly microseconds: number;
  readonly reroutings: readonly Rerouting[];
}

/**
 * Lets ops produce results in another layout: some readers then read that layout directly, and one copy in the
 * old layout serves the others. For example, a value that waits in DRAM for a late reader can serve an early
 * one from L1. A change is kept if the predicted time falls and everything fits as before.
 *
 * @returns how many ops produce another layout
 */
export function makeElsewhere(program: LayoutProgram, roles: OpRoles, region: L1Region): number {
  const trials = new Trials(program, roles, region);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const before = trials.kept;
    for (const op of program.schedule) {
      if (roles.decided[op] !== true) continue;
      for (const making of makingsOf(program, roles, op)) {
        const kept = trials.kept;
        trials.attempt((trial) => carryOut(trial, making));
        if (trials.kept > kept) break;
      }
    }
    if (trials.kept === before) break;
  }
  return trials.kept;
}

/** The most promising other ways to run an op: those that save time, its readers included. */
function makingsOf(program: LayoutProgram, roles: OpRoles, op: OpId): readonly Making[] {
  const { evaluator } = program;
  const { outputs } = decisionFor(program, op);
  const { results } = evaluator.op(op);
  const now = program.opMicroseconds(op);
  const byCut = new Map<number, Making[]>();
  for (const way of evaluator.ways(op, program.inputsOf(op))) {
    const moved = results.flatMap((value, index) => {
      const [before, after] = [outputs[index], way.outputs[index]];
      if (before === undefined || after === undefined || before === after) return [];
      return [{ value, before, after, served: servedBy(program, roles, value, after) }];
    });
    if (moved.length === 0) continue;
    const places = moved.flatMap(({ served }) => served.map(({ reader }) => reader.position));
    for (const cut of cutsOf(places)) {
      const reroutings = moved.map((each) => reroutingOf(program, each, cut));
      const microseconds = reroutings.reduce((sum, each) => sum + each.microseconds, way.microseconds - now);
      if (microseconds >= 0) continue;
      byCut.set(cut, [...byCut.get(cut) ?? [], { op, way, microseconds, reroutings }]);
    }
  }
  const gain = (a: Making, b: Making): number => a.microseconds - b.microseconds;
  return [...byCut.values()].flatMap((makings) => makings.sort(gain).slice(0, TRIED_WAYS)).sort(gain);
}

/** Positions of the first readers and of the last one. */
function cutsOf(places: readonly number[]): readonly number[] {
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  return [...new Set([...sorted.slice(0, MOST_CUTS), sorted.at(-1) ?? Infinity])];
}

/** A result with a new layout, and how its readers would be served. */
interface Moved {
  readonly value: ValueId;
  readonly before: LayoutId;
  readonly after: LayoutId;
  readonly served: readonly Served[];
}

/**
 * The effect on the readers of a result with a new layout.
 *
 * @param cut position of the last reader that may read the new layout directly
 */
function reroutingOf(
  program: LayoutProgram,
  { value, before, after, served }: Moved,
  cut: number,
): Rerouting {
  const early = served.filter(({ reader }) => reader.position <= cut);
  const all = served.reduce((sum, { microseconds }) => sum + microseconds, 0);
  // All operands of an op that read the value are served in the same way; the first of them carries the price.
  const direct = early.filter(({ reader }) =>
    early.some((other) => other.microseconds < 0 && isSame(other.reader, reader))
  );
  const back = program.evaluator.copyMicroseconds(value, after, before);
  const some = direct.reduce((sum, { microseconds }) => sum + microseconds, back);
  if (early.length === served.length && all <= some) {
    return { value, microseconds: all, direct: served, others: [], before };
  }
  const others = served.flatMap((each) => direct.includes(each) ? [] : [each.reader]);
  return { value, microseconds: others.length > 0 ? some : some - back, direct, others, before };
}

function servedBy(
  program: LayoutProgram,
  roles: OpRoles,
  value: ValueId,
  layout: LayoutId,
): readonly Served[] {
  return readersOfInstance(program, value, ITSELF).map((reader) =>
    servedFrom(program, roles, value, layout, reader)
  );
}

function isSame(a: Reader, b: Reader): boolean {
  return a === b || (a.kind === "operand" && b.kind === "operand" && a.op === b.op);
}

function servedFrom(
  program: LayoutProgram,
  roles: OpRoles,
  value: ValueId,
  layout: LayoutId,
  reader: Reader,
): Served {
  const never = { reader, microseconds: Infinity, way: undefined };
  if (reader.kind === "result") return never;
  if (reader.kind === "copy") {
    const { layout: to } = copyAt(program, reader.copy);
    const us = to === layout ? 0 : program.evaluator.copyMicroseconds(value, layout, to);
    return { reader, microseconds: us - program.copyMicroseconds(reader.copy), way: undefined };
  }
  if (roles.decided[reader.op] !== true) return never;
  const way = wayReading(program, reader.op, value, layout);
  if (way === undefined) return never;
  // An op that reads the value several times pays for it once.
  const first = decisionFor(program, reader.op).sources.findIndex((source, operand) =>
    source === ITSELF && program.evaluator.op(reader.op).operands[operand] === value
  );
  const us = reader.operand === first ? way.microseconds - program.opMicroseconds(reader.op) : 0;
  return { reader, microseconds: us, way };
}

function carryOut(program: LayoutProgram, { op, way, reroutings }: Making): boolean {
  program.setOutputs(op, way, "its first readers need it there", false);
  for (const { value, direct, others, before } of reroutings) {
    for (const { reader, way: reading } of direct) {
      if (reader.kind === "operand" && reading !== undefined) {
        program.setOutputs(reader.op, reading, "reads its operand where it is", false);
      }
      if (reader.kind === "copy") dropIdle(program, value, reader.copy);
    }
    const [first] = others;
    if (first === undefined) continue;
    const back = program.addCopy({
      ...{
        value,
        source: ITSELF,
        layout: before,
        reason: "reshard",
        note: "its other readers need it there",
      },
      before: placeOfCopy(program, op, before, first),
    });
    for (const reader of others) redirect(program, reader, back);
  }
  return true;
}

/** Where a copy is made. One that takes no L1 is made at once, so that the result need not stay for its readers. */
function placeOfCopy(program: LayoutProgram, maker: OpId, layout: LayoutId, first: Reader): Place {
  const { evaluator, schedule } = program;
  const position = evaluator.facts(layout).l1Bytes === 0 ? program.positionOf(maker) + 1 : first.position;
  return schedule[position] ?? returnPlace(evaluator.fn);
}

/** Lets the readers of a copy read the value itself, if both have the same layout. */
function dropIdle(program: LayoutProgram, value: ValueId, copy: number): void {
  if (program.layoutOf(value, copy) !== program.layoutOf(value, ITSELF)) return;
  for (const reader of readersOfInstance(program, value, copy)) redirect(program, reader, ITSELF);
}

function redirect(program: LayoutProgram, reader: Reader, source: Source): void {
  if (reader.kind === "operand") program.setSource(reader.op, reader.operand, source);
  else if (reader.kind === "copy") program.setCopySource(reader.copy, source);
  else program.setResult(reader.index, source);
}
