// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../../layout/extents.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { acceptOne, refuseConfig, refuseOperand } from "../verdict.ts";
import { operandAt } from "./program.ts";

/** Users that one `sampling` program serves, a core each. */
const MOST_USERS = 32;

/** The first operand whose layout or element type `sampling` refuses. */
function operandFault({ op, operands }: ConstraintQuery): InvalidConstraints | undefined {
  for (const [index, tensor] of operands.entries()) {
    if (tensor === undefined) continue;
    const { layout: { tile, dataType }, layout } = tensor;
    const [isValues, isIndices] = [index === 0, index === 1];
    if ((isValues || isIndices) && isSharded(layout)) {
      return refuseOperand(op, "sampling/sharded", index, tensor, "must be interleaved");
    }
    if ((tile !== undefined) !== isValues) {
      const pages = isValues ? "must be of tiles" : "must be row-major";
      return refuseOperand(op, "sampling/pages", index, tensor, pages);
    }
    if (isIndices ? dataType !== "si32" && dataType !== "u32" : index !== 2 && dataType !== "bf16") {
      const formats = isIndices ? "must be of 32-bit integers" : "must be bf16";
      return refuseOperand(op, "sampling/format", index, tensor, formats);
    }
  }
  return undefined;
}

/** The first shape that `sampling` refuses. */
function shapeFault({ op, operands }: ConstraintQuery): InvalidConstraints | undefined {
  const [values, , ...settings] = operands;
  const { shape = [] } = values ?? {};
  const [batch, channels, users = 0, candidates = 0] = shape;
  if (shape.length !== 4 || batch !== 1 || channels !== 1 || users < 1 || users > MOST_USERS) {
    const fault = `values are 1x1xUSERSxCANDIDATES, of up to ${MOST_USERS} users, not ${shape.join("x")}`;
    return refuseConfig(op, "sampling/users", fault);
  }
  if (candidates % 32 !== 0 || !Number.isInteger(Math.log2(candidates / 32))) {
    const fault = `candidates must fill 1, 2, 4, … tiles, which ${candidates} do not`;
    return refuseConfig(op, "sampling/candidates", fault);
  }
  return settings.every((setting) => setting === undefined || sameExtents(setting.shape, [users]))
    ? undefined
    : refuseConfig(op, "sampling/settings", `k, p and temperature are one number for each of ${users} users`);
}

export const SAMPLING_RULES: RulesOf<"sampling"> = {
  /**
   * Rule of `sampling`: values in bf16 tiles, everything else row-major; indices are 32-bit integers, p and
   * temperature bf16 (`ttnn:backend-0-81-1`).
   */
  sampling: defineRule({
    strategy: { hints: "null", inputs: ["tile_not_sharded", "not_sharded"], exploresReshards: false },
    evaluate: (query, context) => {
      const fault = operandFault(query) ?? shapeFault(query);
      if (fault !== undefined) return fault;
      const output = placeOutput(query, context, { whenNull: operandAt(query, 0).layout, page: "row_major" });
      return acceptOne(output, context);
    },
  }),
};
