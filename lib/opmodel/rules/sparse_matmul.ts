// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { defineRule, type RulesOf } from "../rule.ts";
import { acceptOne, describeTensor, refuseConfig, refuseLayout } from "../verdict.ts";

const SOURCE = "tt-metal:sparse-matmul";

/** Rule of `sparse_matmul`: tiles in interleaved memory, a 1D program that multicasts operand 0. */
export const SPARSE_MATMUL_RULES: RulesOf<"sparse_matmul"> = {
  sparse_matmul: defineRule({
    strategy: { hints: "null", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: (query, context) => {
      const { op, operands } = query;
      for (const [index, operand] of operands.slice(0, 2).entries()) {
        if (operand === undefined || (operand.layout.tile !== undefined && !isSharded(operand.layout))) {
          continue;
        }
        return refuseLayout(
          op,
          "sparse-matmul/interleaved",
          `${describeTensor(index, operand)} must be tiled and interleaved`,
          SOURCE,
        );
      }
      const config = query.config?.kind === "matmul" ? query.config.programConfig : undefined;
      if (
        config !== undefined && (config.kind !== "matmul_multi_core_reuse_multi_cast_1d" || !config.mcastIn0)
      ) {
        return refuseConfig(
          op,
          "sparse-matmul/config",
          "the program spreads the columns of an expert over cores in one dimension and multicasts operand 0",
          SOURCE,
        );
      }
      const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
      return acceptOne(output, context);
    },
  }),
};
