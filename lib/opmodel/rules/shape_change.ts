// SPDX-License-Identifier: Apache-2.0
import { pagesOf } from "../../layout/ttnn_layout.ts";
import { permuteSharesBuffer, reshapeSharesBuffer } from "../../programs/view.ts";
import { permutationOf, permuteIsView, reshapeIsView } from "../../ops/view_shapes.ts";
import { placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  defineRule,
  type LayoutStrategy,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import { asProgramTensor, reportedL1Bytes } from "../tensor.ts";
import { volume } from "../../layout/extents.ts";
import { accept, acceptView, describeTensor, isRefusal, refuseConfig, type RuleAnswer } from "../verdict.ts";
import { onHost } from "./memory_move.ts";
import { isL1Sharded, operandAt } from "./program.ts";

const RESHAPE = "tt-metal:reshape";
const PERMUTE = "tt-metal:permute";

function evaluateReshape(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const result = query.op.results[0]?.shape;
  if (result === undefined || volume(result) !== volume(input.shape)) {
    return refuseConfig(
      query.op,
      "reshape/volume",
      `${input.shape.join("x")} does not have as many elements as ${result?.join("x") ?? "its result"}`,
      RESHAPE,
    );
  }
  if (input.layout.bufferType === "system_memory") return onHost(query, input, context);
  const page = pagesOf(input.layout);
  const output = placeOutput(query, context, { whenNull: input.layout, page });
  if (isRefusal(output)) return output;
  if (reshapeSharesBuffer(asProgramTensor(input), asProgramTensor(output))) {
    return acceptView(output, context);
  }
  let intermediateL1Bytes = 0;
  for (const side of [input, output]) {
    if (isL1Sharded(side)) intermediateL1Bytes += reportedL1Bytes(side, context.chip);
  }
  return accept({ outputs: [output], intermediateL1Bytes }, context);
}

function evaluatePermute(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const permutation = permutationOf(query.op.attributes, input.shape.length);
  if (permutation === undefined) {
    return refuseConfig(
      query.op,
      "permute/permutation",
      `its dimensions are not a permutation of the ${input.shape.length} of ${describeTensor(0, input)}`,
      PERMUTE,
    );
  }
  const page = pagesOf(input.layout);
  const output = placeOutput(query, context, { whenNull: input.layout, page });
  if (isRefusal(output)) return output;
  return permuteSharesBuffer(asProgramTensor(input), asProgramTensor(output), permutation)
    ? acceptView(output, context)
    : accept({ outputs: [output] }, context);
}

/** The rules of shape changes. */
export const SHAPE_CHANGE_RULES: RulesOf<"reshape" | "permute" | "transpose"> = {
  /** Rule of `reshape`. */
  reshape: defineRule({
    strategy: (op): LayoutStrategy => ({
      hints: reshapeIsView(op, true) ? "null" : "non_sharded",
      inputs: ["not_width_sharded"],
      exploresReshards: false,
    }),
    evaluate: evaluateReshape,
  }),
  /** Rule of `permute`. */
  permute: defineRule({
    strategy: (op): LayoutStrategy => ({
      hints: permuteIsView(op, true) ? "null" : "non_sharded",
      inputs: ["not_width_sharded"],
      exploresReshards: false,
    }),
    evaluate: evaluatePermute,
  }),
  /** Rule of `transpose`, a permute that swaps two dimensions. */
  transpose: defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_width_sharded"], exploresReshards: false },
    evaluate: evaluatePermute,
  }),
};
