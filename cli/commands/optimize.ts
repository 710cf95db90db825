// SPDX-License-Identifier: Apache-2.0
import { type Command, option, options } from "../command.ts";
import { DECISION_OPTIONS, POLICY } from "./policy_options.ts";
import { ROW_OPTIONS } from "./row_options.ts";
import { emitOption, JSON_OUTPUT, OPTIMIZE_EMITS, OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `optimize`: chooses layouts, reports them, writes the IR. */
export const optimize: Command = {
  name: "optimize",
  load: () => import("../run/optimize.ts" satisfies string),
  summary: "Choose layouts for every op, print the per-op table, write the optimized IR",
  positionals: "[FILE]",
  options: options(
    POLICY,
    ...RUN_OPTIONS,
    OUTPUT,
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
    "print-analysis NAME (one of ScalarDataTypeAnalysis|LegalTensorLayoutAnalysis|LegalOpLayoutAnalysis|LegalOpConfigAnalysis|MemoryLayoutAnalysis|OpConfigAnalysis) — Print the result of an analysis and stop; the last two use the chain policy of --policy (else df-sharding-2), before its plan is fitted to L1",
    emitOption(OPTIMIZE_EMITS),
    "pin PLAN — Keep a plan that --json printed: as it is for the graph that it was made for, else the result layouts of ops matched by name or meaning, and say which no longer apply",
    "confirm — Run the plan on the real backend, forbid what it refuses and decide again, until a plan runs (see confirm)",
    "op-model MODEL (one of rules|ttnn, default rules) — Who says whether an op runs with layouts and what comes out: our rules, or the installed ttnn on a mock device as well; what it said is kept in the cache folder (see confirm)",
    ...ROW_OPTIONS,
    "gap — Also report the gap between the plan and a lower bound; always on with --policy auto and optimal",
    "enable-decision-trace — Also write FUNCTION_decision_trace.json, version 3 as tt-mlir writes it, per decided function",
    "decision-trace-dir DIR (default .) — Folder for decision traces; giving one enables them",
    "ttnn-profile NAME (one of g1|g2|g3|memory-config|dtype|layout|head) — Spell the written text as compilers of this age do; default: like the input",
    option(
      "ttir-to-ttnn-runtime-pipeline OPTIONS",
      "Options pasted from a ttmlir-opt command line; unknown ones, and those that no policy of the run reads, are warnings",
    ),
    option("ttir-to-ttnn-backend-pipeline OPTIONS", "Deprecated name of the same"),
  ),
  examples: [
    "optimize testdata/models/resnet50.mlir — The per-op table: layout before and after, cores, microseconds, what limits each op",
    "optimize testdata/models/resnet50.mlir --policy dram — The baseline that every total is compared with",
    "optimize testdata/models/mnist.mlir -o - — The optimized IR on standard output, the table on standard error",
    "optimize testdata/models/segformer_block.mlir --policy optimal — Exact search, with the gap to the best possible plan",
    "optimize testdata/models/mnist.mlir --json — The plan as tilewright.plan/1",
    "optimize testdata/models/mnist.mlir --emit ttnn-python=mnist.py — The plan as a Python program that needs nothing but pip install ttnn",
    "optimize testdata/models/mnist.mlir --optimization-level 1 — Without sharding",
    "optimize testdata/models/mnist.mlir --policy beam --score runtime --spill exact — Choosing the parts of a policy",
    'optimize testdata/models/mnist.mlir --ttir-to-ttnn-runtime-pipeline="optimization-level=2 max-legal-layouts=16" — Options pasted from a ttmlir-opt command line',
    "optimize testdata/models/mnist.mlir --enable-decision-trace — Decision traces, for 'explain', 'diff' and upstream's tools",
    "optimize testdata/models/mnist.mlir --device n150,n300,p150 — One column per device",
  ],
};
