// SPDX-License-Identifier: Apache-2.0
import { type OpId, returnPlace } from "../../graph/graph.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { ITSELF } from "../../search/program.ts";
import type { Way } from "../../search/ways.ts";
import { bestFirst, type ImprovementMove, type Proposal } from "../move.ts";
import { carryOut, type Rerouting } from "../readers.ts";
import { type MovedResult, movedResults, reroutedUpTo } from "../results.ts";

/** Most promising candidates that are tried per number of readers that read the new layouts. */
const TRIED = 2;

/** Groups of early readers that are tried: the first one, the first two and so on, then all. */
const MOST_CUTS = 3;

/**
 * An op produces its results in other layouts. Some readers then read these, and one copy in the old layout serves the
 * others. For example, a value that waits in DRAM for a late reader can serve an early one from L1.
 */
export const changeResult: ImprovementMove = {
  name: "change-result",
  stages: ["spilled"],
  propose(program, roles, step) {
    if (step.kind === "copy" || roles.decided[step.op] !== true) return [];
    const { op } = step;
    const nowUs = program.opMicroseconds(op);
    const byCut = new Map<number, Proposal[]>();
    for (const way of program.evaluator.ways(op, program.inputsOf(op))) {
      const moved = movedResults(program, roles, op, way);
      for (const cut of moved.length === 0 ? [] : cutsOf(moved)) {
        const reroutings = reroutedUpTo(program, moved, cut);
        if (reroutings === undefined) continue;
        const proposal = {
          microseconds: reroutings.reduce((sum, each) => sum + each.microseconds, way.microseconds - nowUs),
          apply: (trial: LayoutProgram) => produce(trial, op, way, reroutings),
        };
        byCut.set(cut, [...byCut.get(cut) ?? [], proposal]);
      }
    }
    return bestFirst([...byCut.values()].flatMap((proposals) => bestFirst(proposals).slice(0, TRIED)));
  },
};

/** Positions of the first readers and of the last one. */
function cutsOf(moved: readonly MovedResult[]): readonly number[] {
  const places = moved.flatMap(({ served }) => served.map(({ reader }) => reader.position));
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  return [...new Set([...sorted.slice(0, MOST_CUTS), sorted.at(-1) ?? Infinity])];
}

function produce(program: LayoutProgram, op: OpId, way: Way, reroutings: readonly Rerouting[]): void {
  program.setOutputs(op, way, "its first readers need it there", false);
  for (const rerouting of reroutings) {
    // A copy that takes no L1 is made at once, so that the result need not stay for its readers.
    const isFree = program.evaluator.facts(rerouting.from).l1Bytes === 0;
    const before = program.schedule[program.positionOf(op) + 1] ?? returnPlace(program);
    carryOut(program, rerouting, ITSELF, {
      reason: "reshard",
      note: "its other readers need it there",
      ...(isFree ? { before } : {}),
    });
  }
}
