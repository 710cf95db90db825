// SPDX-License-Identifier: Apache-2.0
import { integersIn } from "../measured_ops/texts.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import type { OpQuestion, PlacedTensor } from "../op_question.ts";
import type { ProfiledOp } from "./profiled_op.ts";

/** A profiled op with its tensors placed. */
export interface Placed {
  readonly op: ProfiledOp;
  readonly inputs: readonly PlacedTensor[];
  readonly outputs: readonly PlacedTensor[];
  readonly chip: MeasuredChip;
}

/** The op that a device op implements; `undefined` if unknown. */
export type Reader = (
  placed: Placed,
) => Omit<OpQuestion, "inputs" | "outputs"> & Partial<OpQuestion> | undefined;

/** `8x8`, `[8, 8]` or a list of two. */
export function pairIn(value: unknown): readonly number[] | undefined {
  const list = typeof value === "string" ? value.split("x").map(Number) : integersIn(value);
  return list?.length === 2 && list.every(Number.isFinite) ? list : undefined;
}
