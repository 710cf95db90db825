// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_TILE, isSharded } from "../../layout/ttnn_layout.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt, wantsShards } from "./program.ts";
import { copyBytes, rowMajorCopyBytes } from "./copy_bytes.ts";

function evaluateEmbedding(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const indices = operandAt(query, 0);
  const table = operandAt(query, 1);
  const source = "tt-metal:embedding";
  for (const [index, operand] of [indices, table].entries()) {
    if (isSharded(operand.layout)) {
      return refuseLayout(
        query.op,
        "embedding/sharded",
        `${describeTensor(index, operand)} must be interleaved`,
        source,
      );
    }
  }
  if (wantsShards(query)) {
    return refuseLayout(query.op, "embedding/sharded-output", "the output must be interleaved", source);
  }
  const output = placeOutput(query, context, { whenNull: indices.layout });
  if (isRefusal(output)) return output;
  const inRows = (tensor: Tensor) => {
    if (tensor.layout.bufferType !== "l1") return 0;
    return rowMajorCopyBytes(tensor.shape, "bf16", context);
  };
  const reportsTable = context.ruleSet.embeddingReportsTable && query.hint?.bufferType === "l1";
  const tableLike = { shape: table.shape, dataType: output.layout.dataType, tile: DEFAULT_TILE };
  return accept({
    outputs: [output],
    intermediateL1Bytes: inRows(output) + (table.layout.tile === undefined ? 0 : inRows(table)),
    ...(reportsTable ? { outputL1Bytes: copyBytes(tableLike, "l1", context) } : {}),
  }, context);
}

/** The rules of embeddings. */
export const EMBEDDING_RULES: RulesOf<"embedding" | "embedding_bw"> = {
  /**
   * Rule of `embedding`: row-major table and indices inside, the result tilized. Beside the tiled result the row-major
   * one lives, and a row-major copy of a tiled table in L1 (derived:circular-buffers, fit 4/4).
   */
  embedding: defineRule({
    strategy: { hints: "non_sharded", inputs: ["any"], exploresReshards: true },
    evaluate: evaluateEmbedding,
  }),
  /** Rule of `embedding_bw`: the result lies where the gradient lies. */
  embedding_bw: defineRule({
    strategy: { hints: "non_sharded", inputs: ["any"], exploresReshards: true },
    evaluate: (query, context) => {
      const gradient = operandAt(query, 2);
      const output = placeOutput(query, context, { whenNull: gradient.layout });
      if (isRefusal(output)) return output;
      return accept({ outputs: [output] }, context);
    },
  }),
};
