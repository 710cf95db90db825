// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";

/** Layout per operand or result; `undefined` where there is not a tensor or no layout that we understand. */
export type LayoutIds = readonly (LayoutId | undefined)[];

/** What an op makes and with which config: what tells two ways to run it on the same operands apart. */
export interface OutputChoice {
  readonly outputs: LayoutIds;
  /**
   * Config that the hint carried; `undefined` leaves the op's config as the input has it. What the backend derives by
   * itself is no decision: it derives it again from the layouts.
   */
  readonly config: OpSpecificAttributes | undefined;
}

/** One legal way to run an op on given operand layouts, with its price. */
export interface Way extends OutputChoice {
  /** Equal for equal `outputs`, over all ops of the function. */
  readonly outputsId: number;
  /** Predicted µs of the op. */
  readonly microseconds: number;
  /** Cores that the op's programs run on. */
  readonly cores: number;
  /** Peak bytes per core of what the op allocates itself: circular buffers, intermediates and results. */
  readonly l1PeakBytes: number;
  /** L1 bytes per core of all results. */
  readonly outputL1Bytes: number;
  /** Operand whose buffer result 0 shares. */
  readonly aliasedOperand: number | undefined;
}

/** A way to run an op together with the layouts in which it reads its operands. */
export interface Choice extends OutputChoice {
  readonly inputs: LayoutIds;
  readonly reasons: readonly string[];
}

/** A choice for every op of a function, by op id. Where an op reads another layout than was made stands a reshard. */
export type Assignment = readonly Choice[];

/** L1 bytes per core while an op runs, its operands counted; 0 when no tensor of it is in L1. */
export function l1Need(operandBytes: number, way: Pick<Way, "outputL1Bytes" | "l1PeakBytes">): number {
  return operandBytes + way.outputL1Bytes === 0 ? 0 : operandBytes + way.l1PeakBytes;
}

/** Whether an operand is a value that the op reads in the same layout before. */
export function readsBefore(operands: readonly ValueId[], inputs: LayoutIds, operand: number): boolean {
  for (let earlier = 0; earlier < operand; earlier++) {
    if (operands[earlier] === operands[operand] && inputs[earlier] === inputs[operand]) return true;
  }
  return false;
}
