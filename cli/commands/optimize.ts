// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { POLICY_NAMES } from "../policy_names.ts";
import { CHAIN_OPTIONS } from "./chain_options.ts";
import { DEVICE_OPTIONS, JSON_OUTPUT, OUTPUT } from "./shared_options.ts";

/** `optimize`: choose layouts, show what was chosen, write the IR. */
export const optimize: Command = {
  name: "optimize",
  summary: "Choose layouts for every op, print the per-op table, write the optimized IR",
  positionals: "[FILE]",
  arity: [0, 1],
  options: [
    {
      name: "policy",
      kind: "string",
      value: "NAME",
      default: "beam-cost",
      description: "How to decide: " + POLICY_NAMES.join(", "),
    },
    ...DEVICE_OPTIONS,
    OUTPUT,
    JSON_OUTPUT,
    {
      name: "optimization-level",
      kind: "choice",
      value: "0|1|2",
      choices: ["0", "1", "2"],
      default: "2",
      description: "0 keeps DRAM interleaved, 1 allows L1 interleaved, 2 allows sharding",
    },
    {
      name: "beam-width",
      kind: "number",
      value: "K",
      default: 8,
      description: "Candidates kept per op by the beam policies; 1 is greedy",
    },
    {
      name: "max-legal-layouts",
      kind: "number",
      value: "N",
      default: 64,
      description: "Sharded layouts considered per op",
    },
    {
      name: "max-input-candidates-per-operand",
      kind: "number",
      value: "N",
      default: 64,
      description: "Ways considered to feed one operand",
    },
    {
      name: "max-reshard-candidates-per-type",
      kind: "number",
      value: "N",
      default: 4,
      description: "Reshard targets considered per sharding type",
    },
    {
      name: "enable-l1-sharding-layouts",
      kind: "boolean",
      default: true,
      description: "Consider sharded layouts",
    },
    { name: "row-major-enabled", kind: "boolean", description: "Consider row-major layouts" },
    {
      name: "tensor-l1-usage-cap",
      kind: "number",
      value: "SHARE",
      default: 0.95,
      description: "Share of L1 that tensors and circular buffers may use",
    },
    ...CHAIN_OPTIONS,
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
    { command: "optimize testdata/models/mnist.mlir --json", description: "The plan as tilewright.plan/1" },
  ],
  load: () => import("../run/optimize.ts"),
};
