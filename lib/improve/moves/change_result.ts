// SPDX-License-Identifier: Apache-2.0
import { type OpId, returnPlace } from "../../graph/graph.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { ITSELF } from "../../search/program.ts";
import type { Way } from "../../search/ways.ts";
import { bestFirst, type ImprovementMove, type Proposal } from "../move.ts";
import { carryOut, reroute } from "../readers.ts";
import { type MovedResult, movedResults } from "../results.ts";

/** Most promising ways that are tried per op and per number of readers that read the new layout. */
const TRIED_WAYS = 2;

/** Groups of early readers that are tried: the first one, the first two and so on, then all. */
const MOST_CUTS = 3;

/**
 * An op produces its results in other layouts. Some readers then read these, and one copy in the old layout serves the
 * others. For example, a value that waits in DRAM for a late reader can serve an early one from L1.
 */
export const changeResult: ImprovementMove = {
  name: "change-result",
  stages: ["spilled", "best"],
  propose(program, roles, step) {
    if (step.kind === "copy" || roles.decided[step.op] !== true) return [];
    const { op } = step;
    const byCut = new Map<number, Proposal[]>();
    for (const way of program.evaluator.ways(op, program.inputsOf(op))) {
      const moved = movedResults(program, roles, op, way);
      if (moved.length === 0) continue;
      for (const cut of cutsOf(moved)) {
        const proposal = produce(program, op, way, moved, cut);
        if (proposal !== undefined) byCut.set(cut, [...byCut.get(cut) ?? [], proposal]);
      }
    }
    return bestFirst([...byCut.values()].flatMap((proposals) => bestFirst(proposals).slice(0, TRIED_WAYS)));
  },
};

/** Positions of the first readers and of the last one. */
function cutsOf(moved: readonly MovedResult[]): readonly number[] {
  const places = moved.flatMap(({ served }) => served.map(({ reader }) => reader.position));
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  return [...new Set([...sorted.slice(0, MOST_CUTS), sorted.at(-1) ?? Infinity])];
}

/** @param cut position of the last reader that may read a new layout directly */
function produce(
  program: LayoutProgram,
  op: OpId,
  way: Way,
  moved: readonly MovedResult[],
  cut: number,
): Proposal | undefined {
  const reroutings = moved.map(({ change, served }) =>
    reroute(
      program,
      change,
      served.map((each) => each.reader.position > cut ? { ...each, microseconds: Infinity } : each),
    )
  );
  if (!reroutings.every((each) => each !== undefined)) return undefined;
  const change = reroutings.reduce((sum, { microseconds }) => sum + microseconds, way.microseconds);
  return {
    microseconds: change - program.opMicroseconds(op),
    apply(trial) {
      trial.setOutputs(op, way, "its first readers need it there", false);
      for (const each of reroutings) {
        // A copy that takes no L1 is made at once, so that the result need not stay for its readers.
        const isFree = trial.evaluator.facts(each.from).l1Bytes === 0;
        const before = trial.schedule[trial.positionOf(op) + 1] ?? returnPlace(trial);
        carryOut(trial, each, ITSELF, {
          reason: "reshard",
          note: "its other readers need it there",
          ...(isFree ? { before } : {}),
        });
      }
    },
  };
}
