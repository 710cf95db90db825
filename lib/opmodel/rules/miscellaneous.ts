// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../../layout/extents.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { MESH_PARTITION } from "../../ops/attributes/collective.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  describeTensor,
  isRefusal,
  type OrRefusal,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt } from "./program.ts";

export const MISCELLANEOUS_RULES: RulesOf<"adamw" | "mesh_partition"> = {
  /** Rule of `adamw`: everything tiled in DRAM; parameters and moments are overwritten (tt-mlir:op-rules). */
  adamw: defineRule({
    strategy: { hints: "null", inputs: ["tile_dram_interleaved"] },
    evaluate: (query, context) => {
      for (const [index, operand] of query.operands.entries()) {
        if (operand === undefined) continue;
        const inDram = operand.layout.bufferType === "dram" && !isSharded(operand.layout);
        if (!inDram || operand.layout.tile === undefined) {
          return refuseLayout(
            query.op,
            "adamw/dram",
            `${describeTensor(index, operand)} must be tiled and interleaved in DRAM`,
            "tt-mlir:op-rules adamw",
          );
        }
      }
      return accept({
        outputs: query.op.results.map((result, index) =>
          result === undefined ? undefined : query.operands[index]
        ),
        aliasedOperand: 0,
      }, context);
    },
  }),
  /**
   * Rule of `mesh_partition`: a slice of every device's share, in equal parts, of whole tiles of rows
   * (`ttnn:backend-0-81-1`); results stay in DRAM (tt-mlir:op-rules).
   */
  mesh_partition: defineRule({
    strategy: { hints: "null_or_dram", exploresReshards: false },
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const page = pagesOf(input.layout);
      const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page });
      if (isRefusal(output)) return output;
      const rank = input.shape.length;
      const dim = normalDim(readAttributes(query.op, MESH_PARTITION).dim ?? 0, rank);
      const [whole = 1, part = 1] = [input.shape[dim], output.shape[dim]];
      return whole % part !== 0 || (page === "tile" && dim === rank - 2 && part % 32 !== 0)
        ? refuseLayout(
          query.op,
          "mesh-partition/parts",
          `parts of ${part} of ${whole} are unequal or cut tiles`,
        )
        : accept({ outputs: [output] }, context);
    },
  }),
};

const SOURCE = "tt-mlir:dit-ops";

/** Rule of kernels for diffusion transformers: tiles, interleaved on both sides. */
const DIT_RULE: OpRule = defineRule({
  strategy: { hints: "non_sharded", inputs: ["tile_not_sharded"] },
  evaluate,
});

function evaluate(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined || (tensor.layout.tile !== undefined && !isSharded(tensor.layout))) continue;
    const message = `${describeTensor(index, tensor)} must be of tiles and interleaved`;
    return refuseLayout(query.op, "dit/interleaved", message, SOURCE);
  }
  const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
  if (isRefusal(output)) return output;
  return isSharded(output.layout)
    ? refuseLayout(query.op, "dit/interleaved", "the result must be interleaved", SOURCE)
    : accept({ outputs: [output] }, context);
}

export const DIT_RULES: RulesOf<"gated_product" | "dit_rms_norm"> = {
  gated_product: DIT_RULE,
  dit_rms_norm: DIT_RULE,
};

/** Rule of ops that make a tensor from attributes: the hint's memory, DRAM interleaved for NULL. */
const CREATION_RULE: OpRule = defineRule({
  evaluate: (query, context) => acceptOne(created(query, context), context),
});

function created(query: ConstraintQuery, context: RuleContext): OrRefusal<Tensor> {
  const { hint, hintId } = query;
  const type = query.op.results[0];
  if (hint?.bufferType === "system_memory" && hintId !== undefined && type !== undefined) {
    return { shape: type.shape, layout: hint, layoutId: hintId };
  }
  const page = query.hint === undefined || query.hint.tile !== undefined ? "tile" : "row_major";
  const resultType = query.op.results[0]?.dataType;
  return placeOutput(query, context, {
    whenNull: DRAM_INTERLEAVED,
    page,
    ...(resultType === undefined ? {} : { dataType: resultType }),
  });
}

export const CREATION_RULES: RulesOf<"creation" | "empty" | "rand"> = {
  creation: CREATION_RULE,
  empty: CREATION_RULE,
  rand: CREATION_RULE,
};
