// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { GRAPH_OPTIONS } from "./graph_options.ts";
import { DECISION_OPTIONS, POLICY, POLICY_NAMES } from "./policy_options.ts";
import { PROFILE, RUN_OPTIONS } from "./shared_options.ts";

/** `report`: one page about one program. */
export const report: Command = {
  name: "report",
  summary: "Write one self-contained HTML page: graph, ops, L1 by address, timeline, network, what changed",
  positionals: "[FILE]",
  arity: [0, 1],
  options: [
    {
      name: "output",
      short: "o",
      kind: "string",
      value: "FILE",
      default: "report.html",
      description: "Where to write the page; - is standard output",
    },
    POLICY,
    {
      name: "as-written",
      kind: "boolean",
      description: "Show the graph and the layouts of the file instead of deciding new ones",
    },
    {
      name: "policies",
      kind: "string",
      value: "NAME,…",
      default: "dram",
      suggestions: POLICY_NAMES,
      description: "Policies to compare on the page",
    },
    {
      name: "baseline",
      kind: "string",
      value: "POLICY|FILE",
      default: "dram",
      suggestions: POLICY_NAMES,
      description: "What changes are listed against: a policy, another .mlir file, a plan, or as-written",
    },
    {
      name: "visualizer",
      kind: "string",
      value: "FOLDER",
      description:
        "Write a memory report (db.sqlite, with the chips of the machine) and a performance report (perf) that ttnn-visualizer opens; without --output no page",
    },
    {
      name: "serve",
      kind: "boolean",
      description:
        "Show the page in a browser of this machine instead of writing it, and make it anew when the file changes",
    },
    {
      name: "port",
      kind: "number",
      value: "N",
      from: 0,
      default: 0,
      description: "Port of --serve; 0 takes any that is free",
    },
    PROFILE,
    ...RUN_OPTIONS,
    ...DECISION_OPTIONS,
    ...GRAPH_OPTIONS,
  ],
  examples: [
    {
      command: "report testdata/models/mnist.mlir -o report.html",
      description: "One page to open in a browser or to share; it loads nothing from the network",
    },
    {
      command: "report testdata/models/mnist.mlir --as-written --baseline beam-cost -o as_written.html",
      description: "The file as written, and what a policy would change",
    },
    {
      command:
        "report testdata/models/mnist.mlir --as-written --profile testdata/profiles/mnist.csv -o measured.html",
      description: "The file as written, with measured times beside the predicted ones",
    },
    {
      command: "report testdata/models/mnist.mlir --policy greedy --visualizer mnist_report",
      description:
        "L1 by address, tensors and times in ttnn-visualizer: --profiler-path mnist_report --performance-path mnist_report/perf",
    },
  ],
};
