// SPDX-License-Identifier: Apache-2.0
import { grouped, option, type OptionSpec } from "../command.ts";

function passSwitch(name: string, description: string): OptionSpec {
  return option(name, description, { default: true });
}

/**
 * An option that sets one field in every compute config of the graph, under the name of upstream's pipeline;
 * `unset` has the effect of no option.
 */
function computeFlag(field: string, description: string): OptionSpec {
  return option(
    `compute-cfg-${field} true|false|unset`,
    `${description}; default: as in the input, ignoring what level 0 writes everywhere`,
    { choices: ["true", "false", "unset"] },
  );
}

/**
 * Options of commands that change the graph before layouts are decided. From `enable-fusing-pass` on they have
 * upstream's names; `keep-graph`, `graph-passes` and `strict` are Tilewright's own.
 */
export const GRAPH_OPTIONS: readonly OptionSpec[] = grouped("graph", [
  "keep-graph — Run no graph passes: keep the ops as written (TTIR is lowered)",
  "graph-passes NAME (one of all|upstream|upstream-level-0, default all) — Graph passes to run: all, or those that upstream runs with its optimizer, or at level 0",
  "strict — Refuse TTIR ops without a lowering; otherwise they stay, with unknown time",
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
  option("experimental-weight-dtype NAME", "Store weights of matmuls and convolutions in this format", {
    choices: ["none", "bfp_bf8", "bfp_bf4"],
    default: "none",
    pipeline: [{
      name: "experimental-bfp8-weights",
      values: { "": "bfp_bf8", "true": "bfp_bf8", "1": "bfp_bf8", "false": "none", "0": "none" },
      takesOurs: false,
    }],
  }),
  "compute-cfg-math-fidelity NAME (one of lofi|hifi2|hifi3|hifi4|undefined) — Fidelity of all ops that have one; default: as in the input, ignoring what level 0 writes everywhere",
  computeFlag("fp32-dest-acc-en", "Accumulate in f32"),
  computeFlag("math-approx-mode", "Approximate vector functions; times are the same"),
  computeFlag("packer-l1-acc", "Add up partial results in L1"),
  computeFlag("dst-full-sync-en", "Use the whole destination register at once"),
]);
