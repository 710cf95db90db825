// SPDX-License-Identifier: Apache-2.0
import { type Command, option, options } from "../command.ts";
import { DECISION_OPTIONS, POLICY, POLICY_NAMES } from "./policy_options.ts";
import { PROFILE, RUN_OPTIONS } from "./shared_options.ts";

/** `report`: one page about one program. */
export const report: Command = {
  name: "report",
  load: () => import("../run/report.ts" satisfies string),
  summary: "Write one self-contained HTML page: graph, ops, L1 by address, timeline, network, what changed",
  positionals: "[FILE]",
  options: options(
    "output FILE (short o, default report.html) — Where to write the page; - is standard output",
    POLICY,
    "as-written — Show the graph and the layouts of the file instead of deciding new ones",
    option("policies NAME,…", "Policies to compare on the page", {
      default: "dram",
      suggestions: POLICY_NAMES,
    }),
    option(
      "baseline POLICY|FILE",
      "What changes are listed against: a policy, another .mlir file, a plan, or as-written",
      { default: "dram", suggestions: POLICY_NAMES },
    ),
    "visualizer FOLDER — Write a memory report (db.sqlite, with the chips of the machine) and a performance report (perf) that ttnn-visualizer opens; without --output no page",
    "serve — Show the page in a browser of this machine instead of writing it, and make it anew when the file changes",
    "port N (from 0, default 0) — Port of --serve; 0 takes any that is free",
    PROFILE,
    ...RUN_OPTIONS,
    ...DECISION_OPTIONS,
  ),
  examples: [
    "report testdata/models/mnist.mlir -o report.html — One page to open in a browser or to share; it loads nothing from the network",
    "report testdata/models/mnist.mlir --as-written --baseline beam-cost -o as_written.html — The file as written, and what a policy would change",
    "report testdata/models/mnist.mlir --as-written --profile testdata/profiles/mnist.csv -o measured.html — The file as written, with measured times beside the predicted ones",
    "report testdata/models/mnist.mlir --policy greedy --visualizer mnist_report — L1 by address, tensors and times in ttnn-visualizer: --profiler-path mnist_report --performance-path mnist_report/perf",
  ],
};
