// SPDX-License-Identifier: Apache-2.0
import { grouped, type OptionSpec } from "../command.ts";

function passSwitch(name: string, description: string): OptionSpec {
  return { name, kind: "boolean", default: true, description };
}

/** What commands take that change the graph before layouts are decided; names as upstream's but for the first. */
export const GRAPH_OPTIONS: readonly OptionSpec[] = grouped("graph", [
  {
    name: "keep-graph",
    kind: "boolean",
    description: "Run no graph pass: decide on the ops as they stand, lowered where they are TTIR",
  },
  {
    name: "graph-passes",
    kind: "choice",
    value: "NAME",
    choices: ["all", "upstream", "upstream-level-0"],
    default: "all",
    description:
      "Graph passes to run: all, or those that upstream runs with its optimizer, or on its level 0",
  },
  {
    name: "strict",
    kind: "boolean",
    description: "Refuse TTIR ops that have no lowering; otherwise they stay as they are, their time unknown",
  },
  passSwitch("enable-fusing-pass", "Fuse groups of ops into one"),
  passSwitch(
    "enable-fusing-conv2d-with-multiply-pattern",
    "Fold constant factors into weights of convolutions",
  ),
  passSwitch("enable-erase-inverse-ops-pass", "Let permutes and reshapes meet their inverse"),
  passSwitch("enable-const-eval", "Compute what depends on parameters and constants only once, at load"),
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
      "Fidelity of all ops that have one; default: as the input has it, without what level 0 writes everywhere",
  },
  {
    name: "compute-cfg-fp32-dest-acc-en",
    kind: "choice",
    value: "true|false",
    choices: ["true", "false"],
    description: "Accumulate in f32; default: as the input has it, without what level 0 writes everywhere",
  },
]);
