// SPDX-License-Identifier: Apache-2.0
import { grouped, type OptionSpec } from "../command.ts";

function passSwitch(name: string, description: string): OptionSpec {
  return { name, kind: "boolean", default: true, description };
}

/**
 * An option that sets one field in every compute config of the graph, under the name of upstream's pipeline;
 * `unset` has the effect of no option.
 */
function computeFlag(field: string, description: string): OptionSpec {
  return {
    name: `compute-cfg-${field}`,
    kind: "choice",
    value: "true|false|unset",
    choices: ["true", "false", "unset"],
    description: `${description}; default: as in the input, ignoring what level 0 writes everywhere`,
  };
}

/**
 * Options of commands that change the graph before layouts are decided. From `enable-fusing-pass` on they have
 * upstream's names; `keep-graph`, `graph-passes` and `strict` are Tilewright's own.
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
  passSwitch("enable-permute-matmul-fusion", "Let matmuls read permuted operands transposed"),
  passSwitch("enable-eltwise-activation-fusion", "Fuse functions of one operand into sums and products"),
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
    pipeline: [{
      name: "experimental-bfp8-weights",
      values: { "": "bfp_bf8", "true": "bfp_bf8", "1": "bfp_bf8", "false": "none", "0": "none" },
      takesOurs: false,
    }],
  },
  {
    name: "compute-cfg-math-fidelity",
    kind: "choice",
    value: "NAME",
    choices: ["lofi", "hifi2", "hifi3", "hifi4", "undefined"],
    description:
      "Fidelity of all ops that have one; default: as in the input, ignoring what level 0 writes everywhere",
  },
  computeFlag("fp32-dest-acc-en", "Accumulate in f32"),
  computeFlag("math-approx-mode", "Approximate vector functions; times are the same"),
  computeFlag("packer-l1-acc", "Add up partial results in L1"),
  computeFlag("dst-full-sync-en", "Use the whole destination register at once"),
]);
