// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `audit`: agreement of the models with recorded facts. */
export const audit: Command = {
  name: "audit",
  summary: "Compare the op model with the real backend's answers, or predictions with measurements",
  positionals: "op-model|cost-model|decisions|layers|run [MODEL…]",
  arity: [1, 1000],
  options: [
    {
      name: "data",
      kind: "string",
      value: "FILE",
      repeatable: true,
      description:
        "Rows in the schema of op-model-expectations.json, measured-perf.json, measured-ops-2.json, measured-ops-3.json or measured-pairs.json; cost-model and decisions take several; op-model: also recorded answers of the backend (*.jsonl, *.jsonl.gz), several; layers: a folder of profiles (*.jsonl) or one of them",
    },
    {
      name: "against",
      kind: "choice",
      value: "ttnn",
      choices: ["ttnn"],
      description: "op-model: ask the real backend about the ops of the files that are named (see confirm)",
    },
    {
      name: "family",
      kind: "string",
      value: "NAME",
      repeatable: true,
      description: "op-model with recorded answers: only this family of ops, such as softmax or matmul_1d",
    },
    {
      name: "misses",
      kind: "boolean",
      description: "op-model with recorded answers: list every question that is answered otherwise",
    },
    ...RUN_OPTIONS,
    {
      name: "profile",
      kind: "string",
      value: "FILE",
      description: "run: the profiler's ops_perf_results.csv of the program, or tt-perf-report's CSV",
    },
    {
      name: "folds",
      kind: "number",
      value: "N",
      from: 0,
      description:
        "cost-model: also fit the constants N times without one fold and predict that fold; default 0: no",
    },
    {
      name: "report",
      kind: "string",
      value: "FOLDER",
      description:
        "cost-model: write accuracy.md and its plots there; decisions and layers: their sections of it",
    },
    JSON_OUTPUT,
  ],
  examples: [
    {
      command: "audit op-model --data op-model-expectations.json",
      description: "Agreement per op family, and every miss",
    },
    {
      command: "audit op-model --data op-model-expectations.json --json",
      description: "The same as one JSON object",
    },
    {
      command: "audit op-model --data testdata/backend/softmax.jsonl --misses",
      description: "Agreement with ttnn 0.81.1, and the questions of softmax on which we differ",
    },
    {
      command: "audit op-model --against ttnn testdata/models/mnist.mlir --misses",
      description: "The same for the ops of a file, asked now: needs the environment of 'confirm --setup'",
    },
    {
      command: "audit cost-model --data measured-perf.json",
      description: "Errors of the simulator per group and device, next to those of public models",
    },
    {
      command:
        "audit cost-model --data measured-perf.json --data measured-ops-2.json --data layers --folds 5 --report docs",
      description: "With errors on held-out rows; writes docs/accuracy.md",
    },
    {
      command: "audit decisions --data measured-ops-2.json",
      description: "How often the faster of two measured runs is predicted to be faster",
    },
    {
      command: "audit layers --data layers",
      description: "Whole profiles priced op by op, per op, per class and in total",
    },
    {
      command: "audit run testdata/models/mnist.mlir --profile testdata/profiles/mnist.csv",
      description: "Your own run, op by op next to the prediction",
    },
  ],
  notes: [
    "op-model takes --device for the chip that the rows were recorded on, n150 by default; run, for the chip that predicts.",
    "Recorded answers of the backend name their chip; their figures are compared where both accept.",
    "Validity is compared with the newest backend where that is on record; byte figures with the backend of November " +
    "2025 that they were recorded on. docs/op-model.md explains every miss on the known rows.",
  ],
};
