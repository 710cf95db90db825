// SPDX-License-Identifier: Apache-2.0
import type { ValidConstraints } from "./op_model.ts";

/** Whether an op's first result is an operand's buffer as it is: a pad that fills padding in place runs a program. */
export function isView(
  { aliasedOperand, programs }: Pick<ValidConstraints, "aliasedOperand" | "programs">,
): boolean {
  return aliasedOperand !== undefined && programs.length === 0;
}
