// SPDX-License-Identifier: Apache-2.0
import { pagesOf } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { defineRule, type RulesOf } from "../rule.ts";
import { accept, isRefusal } from "../verdict.ts";
import { isL1Sharded, missingOperand, operandAt } from "./program.ts";
import { rowMajorCopyBytes } from "./copy_bytes.ts";

/** The rules of gather and scatter. */
export const GATHER_RULES: RulesOf<"gather" | "scatter"> = {
  /** Rule of `gather`: the result is interleaved. */
  gather: defineRule({
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const output = placeOutput(query, context, {
        whenNull: isL1Sharded(input) ? DRAM_INTERLEAVED : input.layout,
      });
      if (isRefusal(output)) return output;
      return accept({ outputs: [output] }, context);
    },
  }),
  /**
   * Rule of `scatter`: everything goes through rows; the row-major copies of all four tensors set the tensor peak
   * (derived:circular-buffers; lower bounds on record are met). The result has the pages of the input, as upstream's
   * level 0 has it.
   */
  scatter: defineRule({
    evaluate: (query, context) => {
      const tensors = query.operands.filter((operand) => operand !== undefined);
      const input = tensors[0];
      if (input === undefined) return missingOperand(query.op, 0);
      const output = placeOutput(query, context, {
        whenNull: input.layout,
        page: pagesOf(input.layout),
      });
      if (isRefusal(output)) return output;
      const rows = [...tensors, output].filter((tensor) => tensor.layout.bufferType === "l1").reduce(
        (sum, { shape, layout }) => sum + rowMajorCopyBytes(shape, layout.dataType, context),
        0,
      );
      return accept({
        outputs: [output],
        intermediateL1Bytes: rows,
      }, context);
    },
  }),
};
