// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../graph/graph.ts";
import type { LayoutIds } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";

/** Result layouts and config of an op: they distinguish implementations on the same operands. */
export interface OutputChoice {
  readonly outputs: LayoutIds;
  /**
   * Config of the hint; `undefined` leaves the config of the input. Configs that the backend derives are not
   * decisions, since it derives them again from the layouts.
   */
  readonly config: OpSpecificAttributes | undefined;
}

/** One legal implementation of an op on given operand layouts, with its price. */
export interface OpImpl extends OutputChoice {
  /** Equal for equal `outputs`, over all ops of the function. */
  readonly outputsId: number;
  /** Predicted µs of the op. */
  readonly microseconds: number;
  /** Cores that the op's programs run on; 0 when it launches nothing. */
  readonly cores: number;
  /** Peak bytes per core that the op itself allocates: circular buffers, intermediates and results. */
  readonly l1PeakBytes: number;
  /** L1 bytes per core of all results. */
  readonly outputL1Bytes: number;
  /** Operand whose buffer result 0 shares. */
  readonly aliasedOperand: number | undefined;
}

/** An implementation of an op, with the layouts in which it reads its operands. */
export interface Choice extends OutputChoice {
  readonly inputs: LayoutIds;
  /** Why it was chosen, in words, for the plan; empty where there is nothing to say. */
  readonly reasons: readonly string[];
}

/**
 * A choice for every op of a function, by op id. Where an op reads another layout than was produced, a reshard
 * is implied.
 */
export type Assignment = readonly Choice[];

/** L1 bytes per core while an op runs, operands included; 0 if none of its tensors is in L1. */
export function l1Need(operandBytes: number, impl: Pick<OpImpl, "outputL1Bytes" | "l1PeakBytes">): number {
  return operandBytes + impl.outputL1Bytes === 0 ? 0 : operandBytes + impl.l1PeakBytes;
}

/** Whether an earlier operand is the same value in the same layout. */
export function readsBefore(operands: readonly ValueId[], inputs: LayoutIds, operand: number): boolean {
  for (let earlier = 0; earlier < operand; earlier++) {
    if (operands[earlier] === operands[operand] && inputs[earlier] === inputs[operand]) return true;
  }
  return false;
}
