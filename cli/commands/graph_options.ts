// SPDX-License-Identifier: Apache-2.0
import { grouped, type OptionSpec } from "../command.ts";

function passSwitch(name: string, description: string): OptionSpec {
  return { name, kind: "boolean", default: true, description };
}

/**
 * Options of commands that change the graph before layouts are decided, under upstream's names except the
 * first.
 */
export const GRAPH_OPTIONS: readonly OptionSpec[] = grouped("graph", [
  {
    name: "keep-graph",
    kind: "boolean",
    description: "Run no graph passes: keep the ops as written (TTIR is lowered)",
  },
  {
    name: "graph-passes",
    kind: "choice",
    value: "NAME",
    choices: ["all", "upstream", "upstream-level-0"],
    default: "all",
    description: "Graph passes to run: all, or those that upstream runs with its optimizer, or at level 0",
  },
  {
    name: "strict",
    kind: "boolean",
    description: "Refuse TTIR ops without a lowering; otherwise they stay, with unknown time",
  },
  passSwitch("enable-fusing-pass", "Fuse groups of ops into one"),
  passSwitch(
    "enable-fusing-conv2d-with-multiply-pattern",
    "Fold constant factors into weights of convolutions",
  ),
  passSwitch("enable-erase-inverse-ops-pass", "Cancel permutes and reshapes with their inverses"),
  passSwitch("enable-const-eval", "Compute once, at load, what depends only on parameters and constants"),
  passSwitch(
    "enable-const-eval-inputs-to-system-memory",
    "Leave arguments that only const-eval reads on the host (TTIR input)",
  ),
  {
    name: "experimental-weight-dtype",
    kind: "choice",
    value: "NAME",
    choices: ["none", "bfp_bf8", "bfp_bf4"],
    default: "none",
    description: "Store weights of matmuls and convolutions in this format",
  },
  {
    name: "compute-cfg-math-fidelity",
    kind: "choice",
    value: "NAME",
    choices: ["lofi", "hifi2", "hifi3", "hifi4", "undefined"],
    description:
      "Fidelity of all ops that have one; default: as in the input, ignoring what level 0 writes everywhere",
  },
  {
    name: "compute-cfg-fp32-dest-acc-en",
    kind: "choice",
    value: "true|false",
    choices: ["true", "false"],
    description: "Accumulate in f32; default: as in the input, ignoring what level 0 writes everywhere",
  },
]);
