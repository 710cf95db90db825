// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `audit`: agreement of the models with recorded facts. */
export const audit: Command = {
  name: "audit",
  load: () => import("../run/audit.ts" satisfies string),
  summary: "Compare the op model with the real backend's answers, or predictions with measurements",
  positionals: "op-model|cost-model|decisions|layers|run [MODEL…]",
  options: options(
    "data FILE (repeatable) — Rows in the schema of op-model-expectations.json, measured-perf.json, measured-ops-2.json, measured-ops-3.json or measured-pairs.json; cost-model and decisions take several; op-model: several, also recorded answers of the backend (*.jsonl, *.jsonl.gz); layers: a folder of profiles (*.jsonl) or one of them",
    "against ttnn (one of ttnn) — op-model: ask the real backend about the ops of the files that are named (see confirm)",
    "family NAME (repeatable) — op-model: only this family of ops, such as softmax or matmul_1d",
    "misses — op-model: list every question that is answered otherwise",
    ...RUN_OPTIONS,
    "profile FILE — run: the profiler's ops_perf_results.csv of the program, or tt-perf-report's CSV",
    "folds N (from 0) — cost-model: also fit the constants N times without one fold and predict that fold; default 0: no",
    "report FOLDER — cost-model: write accuracy.md and its plots there; decisions and layers: their sections of it",
    JSON_OUTPUT,
  ),
  examples: [
    "audit op-model --data op-model-expectations.json --misses — Agreement per op family, and every miss",
    "audit op-model --data op-model-expectations.json --json — The same as one JSON object",
    "audit op-model --data testdata/backend/softmax.jsonl --misses — Agreement with ttnn 0.81.1, and the questions of softmax on which we differ",
    "audit op-model --against ttnn testdata/models/mnist.mlir --misses — The same for the ops of a file, asked now: needs the environment of 'confirm --setup'",
    "audit cost-model --data measured-perf.json — Errors of the simulator per group and device, next to those of public models",
    "audit cost-model --data measured-perf.json --data measured-ops-2.json --data layers --folds 5 --report docs — With errors on held-out rows; writes docs/accuracy.md",
    "audit decisions --data measured-ops-2.json — How often the faster of two measured runs is predicted to be faster",
    "audit layers --data layers — Whole profiles priced op by op, per op, per class and in total",
    "audit run testdata/models/mnist.mlir --profile testdata/profiles/mnist.csv — Your own run, op by op next to the prediction",
  ],
  notes: [
    "op-model takes --device for the chip of rows that do not name theirs, n150 by default; run, for the chip that predicts.",
    "op-model compares figures in bytes where backend and op model both accept.",
    "Of op-model-expectations.json, validity is the newest backend's where that is on record, figures are those of November 2025. docs/op-model.md explains every miss.",
  ],
};
