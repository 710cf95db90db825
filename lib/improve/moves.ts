// SPDX-License-Identifier: Apache-2.0
import { INTERMEDIATES_TRIED } from "../search/limits.ts";
import { copyAt } from "../search/program.ts";
import { bestFirst, type ImprovementMove } from "./move.ts";
import { applyRerouting, readerCost, readersOfInstance } from "./readers.ts";
import { otherCandidates } from "./results.ts";

/**
 * Makes a copy in two steps through an intermediate layout if that is faster. Example: two cores read the
 * pages of their large shards from DRAM one by one; a copy to many small shards uses more cores, and the
 * large shards are then filled from L1.
 */
export const splitCopy: ImprovementMove = {
  name: "split-copy",
  stages: ["offered", "leading"],
  propose(program, _roles, step) {
    if (step.kind === "op") return [];
    const { evaluator } = program;
    const { value, source, layout } = copyAt(program, step.copy);
    const { tensor } = evaluator.value(value);
    const from = program.layoutOf(value, source);
    if (tensor === undefined || from === undefined) return [];
    const between = new Set([from, layout].flatMap((end) => [
      evaluator.interleaved(tensor, end, "dram"),
      evaluator.interleaved(tensor, end, "l1"),
      ...evaluator.catalog.reshardTargets(tensor, end),
    ]));
    const nowUs = program.copyMicroseconds(step.copy);
    return bestFirst(
      [...between].filter((each) => each !== from && each !== layout).map((each) => ({
        microseconds: evaluator.copyMicroseconds(value, from, each) +
          evaluator.copyMicroseconds(value, each, layout) - nowUs,
        apply: (trial) =>
          trial.setCopySource(step.copy, trial.addCopy({ ...copyAt(trial, step.copy), layout: each })),
      })),
    ).slice(0, INTERMEDIATES_TRIED);
  },
};

/**
 * All readers of a copy read its source instead, for example a tensor in L1 instead of its copy in DRAM. One
 * op at a time gains nothing, because the others still need the copy.
 */
export const dropCopy: ImprovementMove = {
  name: "drop-copy",
  stages: ["spilled", "leading"],
  propose(program, roles, step) {
    if (step.kind === "op") return [];
    const { value, source, layout: from, reason } = copyAt(program, step.copy);
    const to = program.layoutOf(value, source);
    if (to === undefined || reason === "override" || reason === "return") return [];
    const change = { value, from, to };
    const direct = readersOfInstance(program, value, step.copy)
      .map((reader) => readerCost(program, roles, change, reader, true));
    const microseconds = direct.reduce(
      (sum, each) => sum + each.microseconds,
      -program.copyMicroseconds(step.copy),
    );
    return bestFirst([{
      microseconds,
      apply: (trial) =>
        applyRerouting(trial, { ...change, microseconds, direct, copied: [] }, source, { reason, note: "" }),
    }]);
  },
};

/**
 * An op produces its results in other layouts. Example: a spilled result is produced in L1 again for the readers that gain by
 * it, and a copy in DRAM serves the others.
 */
export const changeResult: ImprovementMove = {
  name: "change-result",
  stages: ["spilled"],
  propose: (program, roles, step) =>
    step.kind === "copy" || roles.decided[step.op] !== true ? [] : otherCandidates(program, roles, step.op),
};

/** All moves, in the order in which they are tried. */
export const IMPROVEMENT_MOVES: readonly ImprovementMove[] = [
  splitCopy,
  dropCopy,
  changeResult,
];
