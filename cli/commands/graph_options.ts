// SPDX-License-Identifier: Apache-2.0
import { grouped, option, type OptionSpec } from "../command.ts";

/**
 * An option that sets one field in every compute config of the graph, under the name of upstream's pipeline;
 * `unset` has the effect of no option.
 */
function computeFlag(field: string, what: string): string {
  return `compute-cfg-${field} true|false|unset (one of true|false|unset) — ${what}; default: as in the input, ignoring what level 0 writes everywhere`;
}

/**
 * Options of commands that change the graph before layouts are decided. From `enable-fusing-pass` on they have
 * upstream's names; `keep-graph`, `graph-passes` and `strict` are Tilewright's own.
 */
export const GRAPH_OPTIONS: readonly OptionSpec[] = grouped("graph", [
  "keep-graph — Run no graph passes: keep the ops as written (TTIR is lowered)",
  "graph-passes NAME (one of all|upstream|upstream-level-0, default all) — Graph passes to run: all, or those that upstream runs with its optimizer, or at level 0",
  "strict — Refuse TTIR ops without a lowering; otherwise they stay, with unknown time",
  "enable-fusing-pass (default true) — Fuse groups of ops into one",
  "enable-fusing-conv2d-with-multiply-pattern (default true) — Fold constant factors into weights of convolutions",
  "enable-permute-matmul-fusion (default true) — Let matmuls read permuted operands transposed",
  "enable-eltwise-activation-fusion (default true) — Fuse functions of one operand into sums and products",
  "enable-erase-inverse-ops-pass (default true) — Cancel permutes and reshapes with their inverses",
  "enable-const-eval (default true) — Compute once, at load, what depends only on parameters and constants",
  "enable-const-eval-inputs-to-system-memory (default true) — Leave arguments that only const-eval reads on the host (TTIR input)",
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
