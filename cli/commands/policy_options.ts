// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "../command.ts";
import { POLICY_NAMES } from "../policy_names.ts";

/** `--policy`. */
export const POLICY: OptionSpec = {
  name: "policy",
  kind: "string",
  value: "NAME",
  suggestions: POLICY_NAMES,
  default: "beam-cost",
  description: "How to decide: " + POLICY_NAMES.join(", "),
};

/** What policies read, named as ttmlir-opt names it; every command that decides layouts takes them. */
export const POLICY_OPTIONS: readonly OptionSpec[] = [
  {
    name: "optimization-level",
    kind: "choice",
    value: "0|1|2",
    choices: ["0", "1", "2"],
    default: "2",
    description: "0 keeps everything DRAM interleaved, 1 decides without sharding, 2 with",
  },
  {
    name: "enable-optimizer",
    kind: "boolean",
    default: true,
    description: "Off is --optimization-level 0",
  },
  {
    name: "memory-layout-analysis-enabled",
    kind: "boolean",
    default: true,
    description: "Off is at most --optimization-level 1",
  },
  {
    name: "beam-width",
    kind: "number",
    value: "K",
    default: 8,
    description: "Candidates kept per op by the beam policies; 1 is greedy",
  },
  {
    name: "score",
    kind: "choice",
    value: "NAME",
    choices: ["bottleneck", "local", "runtime"],
    description: "What pass 1 ranks candidates by; default: the policy's own",
  },
  {
    name: "spill",
    kind: "choice",
    value: "NAME",
    choices: ["farthest-next-use", "farthest-last-use", "cost-aware", "exact"],
    description: "What pass 2 takes out of L1 first; default: the policy's own",
  },
  {
    name: "schedule",
    kind: "choice",
    value: "NAME",
    choices: ["input", "memory"],
    default: "input",
    description: "Order of the ops: the input's, or reordered where that removes spills",
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
];
