// SPDX-License-Identifier: Apache-2.0
import { copyAt } from "../../search/program.ts";
import { bestFirst, type ImprovementMove } from "../move.ts";
import { carryOut, readersOfInstance, serve } from "../readers.ts";

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
      .map((reader) => serve(program, roles, change, reader, true));
    const microseconds = direct.reduce(
      (sum, each) => sum + each.microseconds,
      -program.copyMicroseconds(step.copy),
    );
    return bestFirst([{
      microseconds,
      apply: (trial) =>
        carryOut(trial, { ...change, microseconds, direct, copied: [] }, source, { reason, note: "" }),
    }]);
  },
};
