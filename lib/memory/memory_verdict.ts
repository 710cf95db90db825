// SPDX-License-Identifier: Apache-2.0
import type { L1FailureKind } from "./l1_timeline.ts";

/** What a step lacks to run: in L1 of one core, or in one bank of DRAM. */
export interface Shortage {
  /** Memory that is full. */
  readonly memory: "l1" | "dram";
  /** In DRAM always `no_space`. */
  readonly kind: L1FailureKind;
  /** Bytes per core (L1) or per bank (DRAM) that are missing. */
  readonly shortBytes: number;
}

/** Why it is unknown whether a step fits. */
export interface Unchecked {
  /**
   * Stable name: the rule that refuses the step as it is, `result/other-layouts`, `op/no-rule` or `op/collective`
   * (docs/op-model.md).
   */
  readonly rule: string;
  /** In a sentence. */
  readonly reason: string;
}

/** The op that a finding is about. */
export interface JudgedOp {
  /** Function without `@`. */
  readonly function: string;
  /** Its id; of a copy that a plan inserts, the op that the copy is made for. */
  readonly op: number;
  /** Full name; of a copy, the op that it is written as. */
  readonly name: string;
  /** Text of the op's location, `""` when it has none. */
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

/** The verdict over findings, in the order of the functions and steps. */
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

/** The verdict over several functions. */
export function combineVerdicts(verdicts: readonly MemoryVerdict[]): MemoryVerdict {
  return memoryVerdict(
    verdicts.flatMap(({ misfits }) => misfits),
    verdicts.flatMap(({ uncheckedOps }) => uncheckedOps),
  );
}
