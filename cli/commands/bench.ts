// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { DECISION_OPTIONS, POLICY_NAMES } from "./policy_options.ts";
import { DEVICE_OPTIONS, JSON_OUTPUT } from "./shared_options.ts";

/** `bench`: how good the policies are. */
export const bench: Command = {
  name: "bench",
  summary: "Compare policies on several models: predicted time, reshards, spills, L1 residency, queries",
  positionals: "FILE…",
  arity: [1, 1000],
  options: [
    {
      name: "policies",
      kind: "string",
      value: "NAME,…",
      default: "dram,greedy,beam,beam-cost,df-sharding-2",
      suggestions: POLICY_NAMES,
      description: "Policies to compare; all takes every one",
    },
    ...DEVICE_OPTIONS,
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
  ],
  examples: [
    {
      command: "bench testdata/models/mnist.mlir testdata/models/segformer_block.mlir",
      description: "One row per model and policy, geometric means below",
    },
    {
      command: "bench testdata/models/mnist.mlir --policies all --device p150 --json",
      description: "Every policy, as data",
    },
  ],
  notes: [
    "Means are of predicted time over that of the first policy. Wall time is what deciding took here; everything else is the same on every run. 'deno task bench' measures how long deciding takes.",
  ],
};
