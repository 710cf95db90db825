// SPDX-License-Identifier: Apache-2.0
import type { ImprovementMove } from "../move.ts";
import { otherCandidates } from "../results.ts";

/**
 * An op produces its results in other layouts. Example: a value that waits in DRAM for a late reader is
 * produced in L1 for an early reader, and a DRAM copy serves the late one.
 */
export const changeResult: ImprovementMove = {
  name: "change-result",
  stages: ["spilled"],
  propose: (program, roles, step) =>
    step.kind === "copy" || roles.decided[step.op] !== true
      ? []
      : otherCandidates(program, roles, step.op, "its first readers need its result there"),
};
