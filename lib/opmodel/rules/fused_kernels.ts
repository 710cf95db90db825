// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { defineRule, type LayoutStrategy, type OpRule, type RulesOf } from "../rule.ts";
import { refuseLayout } from "../verdict.ts";
import { demandOfAll } from "./program.ts";

/** Rule of kernels that take all operands tiled and interleaved and make interleaved results, by default in DRAM. */
function interleavedRule(rule: string, source: string, inputs: LayoutStrategy["inputs"]): OpRule {
  return defineRule({
    strategy: { hints: "non_sharded", inputs },
    evaluate: (query) => {
      demandOfAll(query, "tiled and interleaved", rule, source);
      const outputs = query.op.results.map((_, result) =>
        placeOutput(query, { result, whenNull: DRAM_INTERLEAVED })
      );
      if (outputs.some(({ layout }) => isSharded(layout))) {
        refuseLayout(query, rule, "the result must be interleaved", source);
      }
      return { outputs };
    },
  });
}

/** Rule of kernels for diffusion transformers. */
const DIT_RULE = interleavedRule("dit/interleaved", "tt-mlir:dit-ops", ["tile_not_sharded"]);

export const FUSED_KERNEL_RULES: RulesOf<"gated_product" | "dit_rms_norm" | "fused_collective" | "adamw"> = {
  gated_product: DIT_RULE,
  dit_rms_norm: DIT_RULE,
  /** Rule of matmuls fused with a collective. */
  fused_collective: interleavedRule("collective/fused", "tt-mlir:fused-collectives", ["not_sharded"]),
  /** Rule of `adamw`: everything tiled in DRAM; parameters and moments are overwritten (tt-mlir:op-rules). */
  adamw: defineRule({
    strategy: { hints: "null", inputs: ["tile_dram_interleaved"] },
    evaluate: (query) => {
      demandOfAll(query, "interleaved in DRAM", "adamw/dram", "tt-mlir:op-rules adamw");
      demandOfAll(query, "tiled", "adamw/dram", "tt-mlir:op-rules adamw");
      return {
        outputs: query.op.results.map((result, index) => result && query.operands[index]),
        aliasedOperand: 0,
      };
    },
  }),
};
