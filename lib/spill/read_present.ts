// SPDX-License-Identifier: Apache-2.0
import type { OpId, Place, ValueId } from "../graph/graph.ts";
import type { L1Region } from "../memory/l1_timeline.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, ITSELF, type Source } from "../search/program.ts";
import type { LayoutIds, Way } from "../search/ways.ts";
import { readersOfInstance } from "./moves.ts";
import { Trials } from "./restore.ts";

/** How often all ops are gone through: one that reads something else may leave a copy that another one can read. */
const SWEEPS = 2;

/** An op that reads another instance of a value, and the way in which it then runs. */
interface Reading {
  readonly op: OpId;
  readonly value: ValueId;
  readonly source: Source;
  readonly way: Way;
}

/**
 * Lets ops read what exists anyway: the value itself, or a copy that was made for somebody else, in place of a copy of their
 * own or of DRAM; copies are made from it where that takes less time. Kept where the predicted time falls and everything fits as before.
 *
 * @returns how many ops and copies read something else
 */
export function readPresent(program: LayoutProgram, roles: OpRoles, region: L1Region): number {
  const trials = new Trials(program, roles, region);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const before = trials.kept;
    for (const op of program.schedule) {
      if (roles.decided[op] !== true) continue;
      for (const value of new Set(program.evaluator.op(op).operands)) {
        for (const source of presentAt(program, value, op)) {
          const reading = readingFrom(program, op, value, source);
          if (reading !== undefined) trials.attempt((trial) => carryOut(trial, reading));
        }
      }
    }
    for (const copy of program.copies.keys()) {
      for (const source of cheaperSources(program, copy)) {
        trials.attempt((trial) => {
          trial.setCopySource(copy, source);
          return true;
        });
      }
    }
    if (trials.kept === before) break;
  }
  return trials.kept;
}

/** What a copy could be made from in less time than from what it is made from, the value itself or an earlier copy of it. */
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

/** The value and its copies, as far as they are made before an op. */
function presentAt(program: LayoutProgram, value: ValueId, op: Place): readonly Source[] {
  const position = program.positionOf(op);
  const copies = [...program.usedCopiesOf(value)].filter((copy) =>
    program.positionOf(copyAt(program, copy).before) <= position
  );
  return [ITSELF, ...copies.sort((a, b) => a - b)];
}

/** The cheapest way to run an op that reads an instance; `undefined` where it could not gain anything. */
function readingFrom(
  program: LayoutProgram,
  op: OpId,
  value: ValueId,
  source: Source,
): Reading | undefined {
  const { evaluator } = program;
  const layout = program.layoutOf(value, source);
  const { operands } = evaluator.op(op);
  const { sources, outputs } = decisionFor(program, op);
  const moved = operands.flatMap((other, operand) =>
    other === value && sources[operand] !== source ? [operand] : []
  );
  const signature = evaluator.signature(op);
  if (layout === undefined || moved.length === 0) return undefined;
  if (!moved.every((operand) => evaluator.opModel.acceptsInput(signature, operand, layout))) return undefined;
  const inputs = program.inputsOf(op).map((own, operand) => moved.includes(operand) ? layout : own);
  let best: Way | undefined;
  let least = program.opMicroseconds(op);
  for (const copy of new Set(moved.map((operand) => sources[operand] ?? ITSELF))) {
    if (copy !== ITSELF) least += program.copyMicroseconds(copy);
  }
  for (const way of evaluator.ways(op, inputs)) {
    const us = way.microseconds + backMicroseconds(program, op, outputs, way.outputs);
    if (us < least) [best, least] = [way, us];
  }
  return best === undefined ? undefined : { op, value, source, way: best };
}

/** µs of bringing results to where their readers read them. */
function backMicroseconds(program: LayoutProgram, op: OpId, from: LayoutIds, to: LayoutIds): number {
  const { evaluator } = program;
  return evaluator.op(op).results.reduce((us, value, index) => {
    const [old, made] = [from[index], to[index]];
    if (old === undefined || made === undefined || old === made) return us;
    return readersOfInstance(program, value, ITSELF).length === 0
      ? us
      : us + evaluator.copyMicroseconds(value, made, old);
  }, 0);
}

function carryOut(program: LayoutProgram, { op, value, source, way }: Reading): boolean {
  const { evaluator } = program;
  const { operands, results } = evaluator.op(op);
  const before = decisionFor(program, op).outputs;
  operands.forEach((other, operand) => {
    if (other === value) program.setSource(op, operand, source);
  });
  program.setOutputs(op, way, "reads what exists for another op anyway", false);
  results.forEach((result, index) => {
    const old = before[index];
    const [first, ...others] = readersOfInstance(program, result, ITSELF);
    if (old === undefined || old === way.outputs[index] || first === undefined) return;
    // Where one result goes to several places, another one stays as it was.
    if (first.kind !== "operand" || others.some(({ kind }) => kind !== "operand")) return;
    const back = program.addCopy({
      value: result,
      source: ITSELF,
      layout: old,
      before: first.op,
      reason: "reshard",
      note: "as its readers want it",
    });
    for (const reader of [first, ...others]) {
      if (reader.kind === "operand") program.setSource(reader.op, reader.operand, back);
    }
  });
  return true;
}
