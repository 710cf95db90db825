// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { DECISION_OPTIONS, POLICY } from "./policy_options.ts";
import { topOption } from "./row_options.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `explain`: reasons for the decision of one op. */
export const explain: Command = {
  name: "explain",
  load: () => import("../run/explain.ts" satisfies string),
  summary: "Explain one op: candidates, scores, refusals, forks, spills, what would make the runner-up win",
  positionals: "[FILE]",
  options: options(
    "op ID|LOC — Which op: an id of the table, an SSA name such as %12, a location or part of one, an op name; @FUNCTION: before it where several functions have one",
    "gap — Show where the plan loses time against its lower bound, what limits it there, and what would help",
    "search — Show the steps of the search: their work, and how they changed the best plan so far and the lower bound",
    "trace FILE — Read a decision trace (tt-mlir's version 3) instead of deciding",
    topOption("Candidates and refusals, or regions of the gap, to list", 6),
    POLICY,
    ...RUN_OPTIONS,
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
  ),
  examples: [
    "explain testdata/models/mnist.mlir --op 1 — Why the first linear runs like this, and what the runner-up lacks",
    "explain testdata/models/mnist.mlir --op softmax — Why the softmax ends up in DRAM",
    "explain testdata/models/mnist.mlir --op %3 --json — The same as data",
    "explain testdata/models/segformer_block.mlir --gap — Where the plan loses time against the lower bound, and what would help",
    "explain testdata/models/mnist.mlir --search — What every step of the search added, and what it cost",
  ],
  notes: [
    "FILE may itself be a decision trace, as 'optimize --enable-decision-trace' and tt-mlir write it. Policies without a candidate search (the chain policies) give the reasons in their plan.",
  ],
};
