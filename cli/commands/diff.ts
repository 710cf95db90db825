// SPDX-License-Identifier: Apache-2.0
import { type Command, option, options } from "../command.ts";
import { DECISION_OPTIONS, POLICY_NAMES } from "./policy_options.ts";
import { topOption } from "./row_options.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `diff`: differences between two sets of decisions, and their cost. */
export const diff: Command = {
  name: "diff",
  load: () => import("../run/diff.ts" satisfies string),
  summary:
    "Compare two files, plans or decision traces, two policies or devices, or a file with a measured run",
  positionals: "A [B]",
  options: options(
    option("policy-a NAME", "Optimize A with this policy first", { suggestions: POLICY_NAMES }),
    option("policy-b NAME", "Optimize B (or A again) with this policy first", { suggestions: POLICY_NAMES }),
    "device-a NAME — Device of the first side",
    "device-b NAME — Device of the second side",
    ...RUN_OPTIONS,
    "threshold PERCENT — Report a finding only if B is predicted to take longer by more than this, for example 2%",
    "fail-on FINDING,… (one of worse|lost-sharding|unfit, repeatable) — Exit with 1 only when one of these holds: B takes longer (by more than the threshold or the error bands), an op lost its sharding, B does not fit where A does; against a measured run each of them means 'worse'",
    topOption("Changes to list, largest effect first", 20),
    "format FORM (one of table|md, default table) — Form of the report",
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
  ),
  examples: [
    "diff testdata/models/mnist.mlir --policy-a dram --policy-b greedy (exit code 1) — What greedy decides differently from the DRAM baseline, and what it gains",
    "diff testdata/models/mnist.mlir testdata/models/mnist.mlir — No difference: exit code 0",
    "diff testdata/models/mnist.mlir --policy-a dram --policy-b beam-cost --fail-on worse,lost-sharding,unfit — A CI gate: different decisions are fine, worse ones are not",
    "diff testdata/models/mnist.mlir --policy-a greedy --policy-b greedy --device-a n150 --device-b p150 --threshold 2% — One policy on two chips; a finding if the second takes more than 2 % longer",
    "diff testdata/models/mnist.mlir testdata/profiles/mnist.csv (exit code 1) — Measured and predicted times op by op, and ops that only one side has",
  ],
  notes: [
    "A and B are .mlir files, plans that 'optimize --json' printed, or decision traces (version 3). Ops are matched by meaning, so renamed values and inserted memory ops do not matter. Ops that a graph pass turned into others are one row with the summed times of both sides: fused (10 ops → 2), split or replaced; .mlir files are matched by dataflow, plans and traces by name only.",
    "A file without a policy is taken as written; with one, graph passes run first, as in 'optimize', unless --keep-graph.",
    "B may also be a profile of a run on hardware (the profiler's ops_perf_results.csv or tt-perf-report's CSV): then ops are paired with those predicted for A, as 'audit run' does, and 'worse' means measured beyond the band, or slower than predicted by more than the threshold.",
    "Exit code 0 when nothing differs, 1 when something does; with --threshold, 1 only when B is predicted to take longer by more than that. Without --fail-on, B not running or fitting where A does is always 1; with it, only the named findings count. Differences inside the error bands are called too close to call; measured noise of the boards is 1.3 % (n150) and 1.5 % (p150), so thresholds below 2% find noise.",
  ],
};
