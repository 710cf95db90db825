// SPDX-License-Identifier: Apache-2.0
import { INTERMEDIATES_TRIED } from "../../search/limits.ts";
import { copyAt } from "../../search/program.ts";
import { bestFirst, type ImprovementMove } from "../move.ts";

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
