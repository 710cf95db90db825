// SPDX-License-Identifier: Apache-2.0
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { defineRule, type RulesOf } from "../rule.ts";
import { volume } from "../../layout/extents.ts";
import { accept, acceptOne, describeTensor, refuse, refuseLayout } from "../verdict.ts";
import { operandAt } from "./program.ts";

/** Users that one `sampling` program serves (tt-metal sampling kernel; recorded: 64 users are refused). */
const SAMPLING_USERS = 32;

/** The rules of ops without a family. */
export const MISCELLANEOUS_RULES: RulesOf<"adamw" | "sampling" | "mesh_partition"> = {
  /** Rule of `adamw`: everything tiled in DRAM; parameters and moments are overwritten (tt-mlir:op-rules). */
  adamw: defineRule({
    strategy: { hints: "null", inputs: ["tile_dram_interleaved"], exploresReshards: true },
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
  /** Rule of `sampling`: values and indices of 32 users, interleaved. */
  sampling: defineRule({
    strategy: { hints: "null", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: (query, context) => {
      const values = operandAt(query, 0);
      const users = volume(values.shape.slice(0, -1));
      if (users > SAMPLING_USERS) {
        return refuse(
          "unsupported_config",
          "sampling/users",
          `${query.op.name} serves ${SAMPLING_USERS} users at a time, not ${users}`,
          "tt-metal sampling device operation",
        );
      }
      const output = placeOutput(query, context, { whenNull: values.layout, page: "row_major" });
      return acceptOne(output, context);
    },
  }),
  /** Rule of `mesh_partition`: a slice of every device's share; results stay in DRAM (tt-mlir:op-rules). */
  mesh_partition: defineRule({
    strategy: { hints: "null_or_dram", inputs: ["any"], exploresReshards: false },
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const page = pagesOf(input.layout);
      const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page });
      return acceptOne(output, context);
    },
  }),
};
