// SPDX-License-Identifier: Apache-2.0
import { MOST_CUTS, RESULTS_TRIED } from "../search/limits.ts";
import { type OpId, returnPlace } from "../graph/graph.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { decisionFor, ITSELF } from "../search/program.ts";
import type { OutputChoice } from "../search/impls.ts";
import { bestFirst, type Proposal } from "./move.ts";
import {
  carryOut,
  type LayoutChange,
  readersOfInstance,
  reroute,
  type Rerouting,
  serve,
  type Served,
} from "./readers.ts";

/** A result that an op produces in another layout, with the cost of every reader on it. */
interface MovedResult {
  readonly change: LayoutChange;
  readonly served: readonly Served[];
}

/**
 * Candidates of an op on its operands that save time. Some readers of its results then read the new layouts,
 * and one copy in the old layout serves the others.
 */
export function otherCandidates(
  program: LayoutProgram,
  roles: OpRoles,
  op: OpId,
): readonly Proposal[] {
  const nowUs = program.opMicroseconds(op);
  const byCut = new Map<number, Proposal[]>();
  for (const impl of program.evaluator.impls(op, program.inputsOf(op))) {
    const moved = movedResults(program, roles, op, impl);
    if (moved.length === 0 && impl.microseconds >= nowUs) continue;
    for (const cut of cutsOf(moved)) {
      const reroutings = reroutedUpTo(program, moved, cut);
      const microseconds = reroutings?.reduce(
        (sum, each) => sum + each.microseconds,
        impl.microseconds - nowUs,
      );
      if (reroutings === undefined || microseconds === undefined || microseconds >= 0) continue;
      const proposal: Proposal = {
        microseconds,
        apply(trial) {
          trial.setOutputs(op, impl, "its first readers need its result there", false);
          for (const each of reroutings) carryOutBehind(trial, op, each);
        },
      };
      byCut.set(cut, [...byCut.get(cut) ?? [], proposal]);
    }
  }
  return bestFirst([...byCut.values()].flatMap((proposals) => bestFirst(proposals).slice(0, RESULTS_TRIED)));
}

/** The cheapest way to serve all readers of an op's results; `undefined` if one of them cannot be served. */
export function rerouteResults(
  program: LayoutProgram,
  roles: OpRoles,
  op: OpId,
  choice: OutputChoice,
): readonly Rerouting[] | undefined {
  return reroutedUpTo(program, movedResults(program, roles, op, choice), Infinity);
}

/** The results of an op that another choice produces in other layouts. */
function movedResults(
  program: LayoutProgram,
  roles: OpRoles,
  op: OpId,
  { outputs }: OutputChoice,
): readonly MovedResult[] {
  const before = decisionFor(program, op).outputs;
  return program.evaluator.op(op).results.flatMap((value, index) => {
    const [from, to] = [before[index], outputs[index]];
    if (from === undefined || to === undefined || from === to) return [];
    const change = { value, from, to };
    const readers = readersOfInstance(program, value, ITSELF);
    return { change, served: readers.map((reader) => serve(program, roles, change, reader, true)) };
  });
}

/** Positions after which readers are split into early and late ones. */
function cutsOf(moved: readonly MovedResult[]): readonly number[] {
  const places = moved.flatMap(({ served }) => served.map(({ reader }) => reader.position));
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  return [...new Set([...sorted.slice(0, MOST_CUTS), sorted.at(-1) ?? Infinity])];
}

/** @param cut position of the last reader that may read a new layout directly */
function reroutedUpTo(
  program: LayoutProgram,
  moved: readonly MovedResult[],
  cut: number,
): readonly Rerouting[] | undefined {
  const reroutings = moved.map(({ change, served }) =>
    reroute(
      program,
      change,
      served.map((each) => each.reader.position > cut ? { ...each, microseconds: Infinity } : each),
    )
  );
  return reroutings.every((each) => each !== undefined) ? reroutings : undefined;
}

/**
 * Applies a rerouting after an op. A copy outside L1 is made at once, so that the result need not stay in L1
 * until its readers.
 */
function carryOutBehind(program: LayoutProgram, op: OpId, rerouting: Rerouting): void {
  const isFree = program.evaluator.facts(rerouting.from).l1Bytes === 0;
  const before = program.schedule[program.positionOf(op) + 1] ?? returnPlace(program);
  carryOut(program, rerouting, ITSELF, {
    reason: "reshard",
    note: "its other readers need it there",
    ...(isFree ? { before } : {}),
  });
}
