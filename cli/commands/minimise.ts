// SPDX-License-Identifier: Apache-2.0
import { type Command, option, options } from "../command.ts";
import { DECISION_OPTIONS, POLICY } from "./policy_options.ts";
import { JSON_OUTPUT, OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/**
 * `minimise`: removes ops of a function while a condition holds, until the removal of any single op breaks it or
 * `tries` candidates were tried.
 */
export const minimise: Command = {
  name: "minimise",
  load: () => import("../run/minimise.ts" satisfies string),
  summary: "Reduce a function to the smallest part that still shows a condition, for a bug report",
  positionals: "[FILE]",
  options: options(
    option("keeps CONDITION", "What the result must still show", {
      suggestions: ["doctor finds a clash", "diff greedy beam-cost > 10%", "fails with "],
    }),
    "tries N (from 1, default 2000) — Candidates to try at most",
    OUTPUT,
    POLICY,
    ...RUN_OPTIONS,
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
  ),
  examples: [
    "minimise testdata/models/segformer_block.mlir --keeps 'diff dram beam-cost > 30%' — The fewest ops on which two policies differ by more than 30 %",
    "minimise testdata/models/mnist.mlir --keeps 'doctor finds a misfit' --tensor-l1-usage-cap 0.01 -o small.mlir — The op that does not fit, and what it needs",
  ],
  notes: [
    "Conditions: 'doctor finds a clash' (or 'a full bank', 'an op that is too large', 'a misfit'), of the program as written; 'diff A B > 10%', when the predicted times of two policies differ by more than that share of A's; 'fails with TEXT', when reading, lowering or deciding with --policy ends in an error whose message holds TEXT.",
    "Values that left-out ops made become arguments, results that nobody reads are returned; the text is IR that mlir-opt reads with 'print --generic'. Without any single one of its ops the condition no longer holds. Exit code 1 when the input does not show the condition.",
  ],
};
