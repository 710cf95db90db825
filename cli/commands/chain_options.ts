// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "../command.ts";

/** Options that only the chain policies read: overrides, switches of the original, traces. */
export const CHAIN_OPTIONS: readonly OptionSpec[] = [
  {
    name: "override-output-layout",
    kind: "string",
    value: "TEXT",
    description: "Fix result layouts by location name, for example add_1=8x8:l1:block_sharded:tile",
  },
  {
    name: "insert-memreconfig",
    kind: "string",
    value: "TEXT",
    description: "Chain policies: convert operands to the op's own layout, for example add_1=0,add_2=0:1",
  },
  {
    name: "override-conv2d-config",
    kind: "string",
    value: "TEXT",
    description: "Fix conv2d fields, for example conv_1=act_block_h_override#64",
  },
  {
    name: "override-conv3d-config",
    kind: "string",
    value: "TEXT",
    description: "Fix conv3d block sizes, for example conv_1=c_in_block#32",
  },
  {
    name: "memreconfig-enabled",
    kind: "boolean",
    default: true,
    description: "Chain policies: convert operands where nothing else goes together",
  },
  {
    name: "l1-interleaved-fallback-analysis-enabled",
    kind: "boolean",
    description: "Chain policies: move what is left in DRAM to L1 interleaved where its reader comes next",
  },
  {
    name: "solve-for-optimal-first-op-input",
    kind: "boolean",
    description: "Chain policies: the shard solver picks the layout that a chain reads its input in",
  },
  {
    name: "legacy-quirks",
    kind: "boolean",
    description: "Chain policies: repeat the faults of the original where they change decisions",
  },
  {
    name: "trace-solver",
    kind: "boolean",
    description:
      "Chain policies: print bitsets and paths after each phase of the shard solver, on standard error",
  },
  {
    name: "print-analysis",
    kind: "choice",
    value: "NAME",
    choices: [
      "ScalarDataTypeAnalysis",
      "LegalTensorLayoutAnalysis",
      "LegalOpLayoutAnalysis",
      "LegalOpConfigAnalysis",
      "OpConfigAnalysis",
    ],
    description: "Print what an analysis finds, and decide nothing",
  },
];
