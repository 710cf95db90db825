// SPDX-License-Identifier: Apache-2.0
import { type Command, options, type OptionSpec } from "../command.ts";
import { ownOptions } from "./policy_options.ts";
import { ROW_OPTIONS } from "./row_options.ts";
import { emitOption, JSON_OUTPUT, PROFILE, RUN_OPTIONS, SIMULATE_EMITS } from "./shared_options.ts";

/** The L1 budget. */
export const SIMULATE_OPTIONS: readonly OptionSpec[] = ownOptions("tensor-l1-usage-cap");

/** `simulate`: the cost of a file as written. */
export const simulate: Command = {
  name: "simulate",
  load: () => import("../run/simulate.ts" satisfies string),
  summary: "Predict time, L1 and traffic of every op with the layouts as written",
  positionals: "[FILE]",
  options: options(
    ...RUN_OPTIONS,
    "trace — Simulate a captured trace; --no-trace: the host issues every op. Default: as the program says, else traced",
    "network LEVEL (one of flow|analytic, default flow) — flow routes reshards on the NoC and adds congestion; analytic is what searches use",
    ...ROW_OPTIONS,
    "function NAME — Show this function in full, for example a const-eval function",
    "advice (default true) — Print advice",
    emitOption(SIMULATE_EMITS),
    PROFILE,
    "detail-op ID (from 0) — Show one op in detail: time, L1 by address, NoC; core by core in the Chrome trace",
    ...SIMULATE_OPTIONS,
    "strict — Exit with 1 unless everything is known to fit, with 3 if an op cannot run",
    JSON_OUTPUT,
  ),
  examples: [
    "simulate testdata/models/mnist.mlir — The per-op table with the columns of tt-perf-report, L1 over the schedule, totals with their error band",
    "simulate testdata/models/resnet50.mlir --device p150 --group-by category — Where the time goes on a Blackhole chip",
    "simulate testdata/models/mnist.mlir --detail-op 1 — One op close up: parts of its time, L1 address by address, the busiest links",
    "simulate testdata/models/mnist.mlir --emit chrome-trace=trace.json --detail-op 2 — A trace for ui.perfetto.dev with the cores of op 2",
    "simulate testdata/models/mnist.mlir --profile testdata/profiles/mnist.csv --emit chrome-trace=trace.json — A measured run in its own columns, and as a second track of the trace",
    "simulate testdata/models/bert_base.mlir --emit model-explorer=graph.json — The graph with layouts and times, for Google's Model Explorer",
    "simulate testdata/models/mnist.mlir --no-trace --no-advice — Untraced: the host issues every op",
  ],
  notes: [
    "Every time is a prediction: ± and 90 % are the intervals that hold 68 and 90 of 100 true times, whole graphs included (docs/simulate.md).",
    "Const-eval functions run once and are listed separately; what they leave in L1 stays resident for the others.",
  ],
};
