// SPDX-License-Identifier: Apache-2.0
import type { Operation } from "../ir/mod.ts";
import type { FunctionLowering } from "./function_lowering.ts";
import type { Properties } from "../ttnn/op.ts";
import type { TtirOp } from "./ttir_op.ts";

/** Writes the TTNN ops of one TTIR op and defines its results. */
export type LowerOp = (op: TtirOp, f: FunctionLowering) => void;

/** How one TTIR op is lowered. */
export interface LoweringRule {
  readonly lower: LowerOp;
  /**
   * Operands without destination, where the number is fixed: older generations pass the tensor to write to as one
   * operand more. Ops that do the same to each of several tensors have as many as results.
   */
  readonly operands?: number | "as results";
}

/** Operands that an op must have by its rule, destinations not counted; `undefined` where their number is not fixed. */
export function operandsByRule(
  rule: LoweringRule | undefined,
  { results }: Pick<Operation, "results">,
): number | undefined {
  return rule?.operands === "as results" ? results.length : rule?.operands;
}

/** Rules by op name. */
export type LoweringRules = Readonly<Record<string, LoweringRule>>;

/** The rule of an op that becomes one TTNN op over the same operands, see {@linkcode FunctionLowering.replace}. */
export function becomes(
  name: string,
  operands: number,
  properties: (op: TtirOp) => Properties = () => ({}),
): LoweringRule {
  return { operands, lower: (op, f) => f.replace(op, name, f.operandsFrom(op, 0), properties(op)) };
}
