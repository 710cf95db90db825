// SPDX-License-Identifier: Apache-2.0
import { type Command, option, options } from "../command.ts";
import { DECISION_OPTIONS, POLICY_NAMES } from "./policy_options.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `bench`: quality of the policies. */
export const bench: Command = {
  name: "bench",
  load: () => import("../run/bench.ts" satisfies string),
  summary: "Compare policies on several models: predicted time, reshards, spills, L1 residency, queries",
  positionals: "FILE|FOLDER|PATTERN…",
  options: options(
    option("policies NAME,…", "Policies to compare, or all", {
      default: "dram,greedy,beam,beam-cost,df-sharding-2,auto",
      suggestions: POLICY_NAMES,
    }),
    ...RUN_OPTIONS,
    "without NAME,… (repeatable) — Steps that the search of auto and optimal leaves out (explain --search lists them), and patterns of graph passes",
    "save FILE — Write the results to FILE as JSON without wall times: the same decisions give the same bytes",
    "against FILE — Compare with results that --save wrote before, and say what became worse",
    "threshold PERCENT — With --against: a plan is worse when it takes longer by more than this; default: by more than the error bands",
    "fail-on FINDING,… (one of worse|lost-sharding|unfit, repeatable) — With --against: exit with 1 only for these; default: all of them",
    "shard I/N — Only every N-th model, from the I-th on: N runs with --save cover all models",
    "merge — The files are results that --save wrote: combine them instead of running anything",
    "resume — Skip models that the file of --save already has, with the same policies and device, whatever other options they were decided with; the file is written after every model",
    "jobs N (from 1, default 1) — Models to decide in parallel, each on a thread with its own memory; the results are the same bytes",
    "format FORM (one of table|md|github|svg, default table) — Form of the report; github prints what became worse as annotations, svg draws the predicted times",
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
  ),
  examples: [
    "bench testdata/models/mnist.mlir testdata/models/segformer_block.mlir — One row per model and policy, geometric means below",
    "bench testdata/models/mnist.mlir --policies all --device p150 --json — Every policy, as data",
    "bench 'testdata/models/*.mlir' --policies greedy --shard 1/8 --save shard-1.json — One of eight shards; 'bench --merge shard-*.json --save all.json' combines them",
  ],
  notes: [
    "Means are of predicted time relative to the first policy. Wall time is how long deciding took; everything else is the same on every run. 'deno task bench' measures how long deciding takes.",
  ],
};
