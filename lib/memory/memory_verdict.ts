// SPDX-License-Identifier: Apache-2.0
import type { L1FailureKind } from "./l1_timeline.ts";

/** The memory that a step lacks: L1 of a core, or a DRAM bank. */
export interface Shortage {
  /** The memory that is full. */
  readonly memory: "l1" | "dram";
  /** Always `no_space` for DRAM. */
  readonly kind: L1FailureKind;
  /** Bytes per core (L1) or per bank (DRAM) that are missing. */
  readonly shortBytes: number;
}

/** Why it is unknown whether a step fits. */
export interface Unchecked {
  /**
   * Stable name: the rule that refuses the step as it is, `result/other-layouts`, `op/no-rule` or
   * `op/collective` (docs/op-model.md).
   */
  readonly rule: string;
  /** The reason as a sentence. */
  readonly reason: string;
}

/** The op that a finding is about. */
export interface JudgedOp {
  /** Function without `@`. */
  readonly function: string;
  /** Its id; for a copy inserted by a plan, the op that the copy is made for. */
  readonly op: number;
  /** Full name; for a copy, the op that performs it. */
  readonly name: string;
  /** Text of the op's location, `""` if it has none. */
  readonly location: string;
}

/** An op that does not fit. */
export interface Misfit extends JudgedOp, Shortage {}

/** An op whose buffers are not known. */
export interface UncheckedOp extends JudgedOp, Unchecked {}

/**
 * Whether a program fits the memory of a chip, by address: `fits`, `does_not_fit` (which ops, by how many bytes) or
 * `unchecked` (nothing is known not to fit, but buffers of some ops are unknown). A program that does not fit may
 * have unchecked ops as well.
 */
export type MemoryVerdict =
  | { readonly status: "fits"; readonly misfits: readonly []; readonly uncheckedOps: readonly [] }
  | {
    readonly status: "does_not_fit";
    readonly misfits: readonly [Misfit, ...Misfit[]];
    readonly uncheckedOps: readonly UncheckedOp[];
  }
  | {
    readonly status: "unchecked";
    readonly misfits: readonly [];
    readonly uncheckedOps: readonly [UncheckedOp, ...UncheckedOp[]];
  };

/** The verdict for some findings, which are in the order of functions and steps. */
export function memoryVerdict(
  misfits: readonly Misfit[],
  uncheckedOps: readonly UncheckedOp[],
): MemoryVerdict {
  const [misfit, ...misfitsAfter] = misfits;
  const [unchecked, ...uncheckedAfter] = uncheckedOps;
  if (misfit !== undefined) {
    return { status: "does_not_fit", misfits: [misfit, ...misfitsAfter], uncheckedOps };
  }
  if (unchecked !== undefined) {
    return { status: "unchecked", misfits: [], uncheckedOps: [unchecked, ...uncheckedAfter] };
  }
  return { status: "fits", misfits: [], uncheckedOps: [] };
}

/** The combined verdict for several functions. */
export function combineVerdicts(verdicts: readonly MemoryVerdict[]): MemoryVerdict {
  return memoryVerdict(
    verdicts.flatMap(({ misfits }) => misfits),
    verdicts.flatMap(({ uncheckedOps }) => uncheckedOps),
  );
}
