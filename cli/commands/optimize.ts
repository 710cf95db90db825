// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { GRAPH_OPTIONS } from "./graph_options.ts";
import { DECISION_OPTIONS, POLICY } from "./policy_options.ts";
import { ROW_OPTIONS } from "./row_options.ts";
import { emitOption, JSON_OUTPUT, OPTIMIZE_EMITS, OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `optimize`: chooses layouts, reports them, writes the IR. */
export const optimize: Command = {
  name: "optimize",
  summary: "Choose layouts for every op, print the per-op table, write the optimized IR",
  positionals: "[FILE]",
  arity: [0, 1],
  options: [
    POLICY,
    ...RUN_OPTIONS,
    OUTPUT,
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
    ...GRAPH_OPTIONS,
    {
      name: "print-analysis",
      kind: "choice",
      value: "NAME",
      choices: [
        "ScalarDataTypeAnalysis",
        "LegalTensorLayoutAnalysis",
        "LegalOpLayoutAnalysis",
        "LegalOpConfigAnalysis",
        "MemoryLayoutAnalysis",
        "OpConfigAnalysis",
      ],
      description:
        "Print the result of an analysis and stop; the last two use the chain policy of --policy (else df-sharding-2), before its plan is fitted to L1",
    },
    emitOption(OPTIMIZE_EMITS),
    {
      name: "pin",
      kind: "string",
      value: "PLAN",
      description:
        "Keep a plan that --json printed: as it is for the graph that it was made for, else the result layouts of ops matched by name or meaning, and say which no longer apply",
    },
    {
      name: "confirm",
      kind: "boolean",
      description:
        "Run the plan on the real backend, forbid what it refuses and decide again, until a plan runs (see confirm)",
    },
    {
      name: "op-model",
      kind: "choice",
      value: "MODEL",
      choices: ["rules", "ttnn"],
      default: "rules",
      description:
        "Who says whether an op runs with layouts and what comes out: our rules, or the installed ttnn on a mock device as well; what it said is kept in the cache folder (see confirm)",
    },
    ...ROW_OPTIONS,
    {
      name: "gap",
      kind: "boolean",
      description:
        "Also report the gap between the plan and a lower bound; always on with --policy auto and optimal",
    },
    {
      name: "enable-decision-trace",
      kind: "boolean",
      description:
        "Also write FUNCTION_decision_trace.json, version 3 as tt-mlir writes it, per decided function",
    },
    {
      name: "decision-trace-dir",
      kind: "string",
      value: "DIR",
      default: ".",
      description: "Folder for decision traces; giving one enables them",
    },
    {
      name: "ttnn-profile",
      kind: "choice",
      value: "NAME",
      choices: ["g1", "g2", "g3", "memory-config", "dtype", "layout", "head"],
      description: "Spell the written text as compilers of this age do; default: like the input",
    },
    {
      name: "ttir-to-ttnn-runtime-pipeline",
      kind: "string",
      value: "OPTIONS",
      description:
        "Options pasted from a ttmlir-opt command line; unknown ones, and those that no policy of the run reads, are warnings",
    },
    {
      name: "ttir-to-ttnn-backend-pipeline",
      kind: "string",
      value: "OPTIONS",
      description: "Deprecated name of the same",
    },
  ],
  examples: [
    {
      command: "optimize testdata/models/resnet50.mlir",
      description: "The per-op table: layout before and after, cores, microseconds, what limits each op",
    },
    {
      command: "optimize testdata/models/resnet50.mlir --policy dram",
      description: "The baseline that every total is compared with",
    },
    {
      command: "optimize testdata/models/mnist.mlir -o -",
      description: "The optimized IR on standard output, the table on standard error",
    },
    {
      command: "optimize testdata/models/segformer_block.mlir --policy optimal",
      description: "Exact search, with the gap to the best possible plan",
    },
    { command: "optimize testdata/models/mnist.mlir --json", description: "The plan as tilewright.plan/1" },
    {
      command: "optimize testdata/models/mnist.mlir --emit ttnn-python=mnist.py",
      description: "The plan as a Python program that needs nothing but pip install ttnn",
    },
    {
      command: "optimize testdata/models/mnist.mlir --optimization-level 1",
      description: "Without sharding",
    },
    {
      command: "optimize testdata/models/mnist.mlir --policy beam --score runtime --spill exact",
      description: "Choosing the parts of a policy",
    },
    {
      command:
        'optimize testdata/models/mnist.mlir --ttir-to-ttnn-runtime-pipeline="optimization-level=2 max-legal-layouts=16"',
      description: "Options pasted from a ttmlir-opt command line",
    },
    {
      command: "optimize testdata/models/mnist.mlir --enable-decision-trace",
      description: "Decision traces, for 'explain', 'diff' and upstream's tools",
    },
    {
      command: "optimize testdata/models/mnist.mlir --device n150,n300,p150",
      description: "One column per device",
    },
  ],
};
