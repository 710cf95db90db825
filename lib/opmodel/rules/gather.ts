// SPDX-License-Identifier: Apache-2.0
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { defineRule, type OpRule } from "../rule.ts";
import { tileSize } from "../tensor.ts";
import { accept, isRefusal } from "../verdict.ts";
import { circularBufferPage, isL1Sharded, missingOperand } from "./program.ts";
import { rowMajorCopyBytes, tilizeBytes } from "./tilize_program.ts";

/** Rule of `gather`: tiled, two tiles of each tensor in flight. */
export function gatherRule(): OpRule {
  return defineRule({
    evaluate: (query, context) => {
      const [input, index] = query.operands;
      if (input === undefined) return missingOperand(query.op, 0);
      if (index === undefined) return missingOperand(query.op, 1);
      const output = placeOutput(query, context, {
        whenNull: isL1Sharded(input) ? DRAM_INTERLEAVED : input.layout,
      });
      if (isRefusal(output)) return output;
      const cbBytes = 2 *
        (circularBufferPage(input) + circularBufferPage(index) + circularBufferPage(output));
      return accept({ outputs: [output], cbBytes }, context);
    },
  });
}

/**
 * Rule of `scatter`: everything goes through rows; a row of tiles in and out of the widest format sets the circular
 * buffers, the row-major copies of all four tensors the tensor peak (derived:circular-buffers; lower bounds on record are met).
 */
export function scatterRule(): OpRule {
  return defineRule({
    evaluate: (query, context) => {
      const tensors = query.operands.filter((operand) => operand !== undefined);
      const input = tensors[0];
      if (input === undefined) return missingOperand(query.op, 0);
      const output = placeOutput(query, context, { whenNull: input.layout });
      if (isRefusal(output)) return output;
      const cbBytes = tensors.reduce(
        (most, tensor) => Math.max(most, tilizeBytes(tensor.shape, 2 * tileSize(tensor.layout), context)),
        0,
      );
      const rows = [...tensors, output].filter((tensor) => tensor.layout.bufferType === "l1").reduce(
        (sum, { shape, layout }) => sum + rowMajorCopyBytes(shape, layout.dataType, context),
        0,
      );
      return accept({
        outputs: [output],
        cbBytes,
        intermediateL1Bytes: rows,
      }, context);
    },
  });
}
