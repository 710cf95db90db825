// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../../layout/extents.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { refuseConfig } from "../verdict.ts";
import { demand, demandFormat, operandAt } from "./program.ts";

/** Users that one `sampling` program serves, a core each. */
const MOST_USERS = 32;

/** Layouts and element types of the operands. */
function checkOperands(query: ConstraintQuery): void {
  demand(query, 0, "interleaved", "sampling/sharded");
  demand(query, 1, "interleaved", "sampling/sharded");
  for (const index of query.operands.keys()) {
    demand(query, index, index === 0 ? "tiled" : "row-major", "sampling/pages");
    if (index !== 2) demandFormat(query, index, index === 1 ? ["si32", "u32"] : ["bf16"], "sampling/format");
  }
}

function checkShapes(query: ConstraintQuery): void {
  const [values, , ...settings] = query.operands;
  const { shape = [] } = values ?? {};
  const [batch, channels, users = 0, candidates = 0] = shape;
  if (shape.length !== 4 || batch !== 1 || channels !== 1 || users < 1 || users > MOST_USERS) {
    const fault = `values are 1x1xUSERSxCANDIDATES, of up to ${MOST_USERS} users, not ${shape.join("x")}`;
    refuseConfig(query, "sampling/users", fault);
  }
  if (candidates % 32 !== 0 || !Number.isInteger(Math.log2(candidates / 32))) {
    const fault = `candidates must fill 1, 2, 4, … tiles, which ${candidates} do not`;
    refuseConfig(query, "sampling/candidates", fault);
  }
  if (!settings.every((setting) => setting === undefined || sameExtents(setting.shape, [users]))) {
    const fault = `k, p and temperature are one number for each of ${users} users`;
    refuseConfig(query, "sampling/settings", fault);
  }
}

export const SAMPLING_RULES: RulesOf<"sampling"> = {
  /**
   * Rule of `sampling`: values in bf16 tiles, everything else row-major; indices are 32-bit integers, p and
   * temperature bf16 (`ttnn:backend-0-81-1`).
   */
  sampling: defineRule({
    strategy: { hints: "null", inputs: ["tile_not_sharded", "not_sharded"], exploresReshards: false },
    evaluate: (query) => {
      checkOperands(query);
      checkShapes(query);
      return { outputs: [placeOutput(query, { whenNull: operandAt(query, 0).layout, page: "row_major" })] };
    },
  }),
};
