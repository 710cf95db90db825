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

/** Why the backend does not run a step. */
export interface BackendRefusal {
  /** Stable name of the rule that it breaks, for example `output/shard-does-not-fit`. */
  readonly rule: string;
  /** The reason as a sentence. */
  readonly reason: string;
}

/** What keeps a step from running, or from being known to run. */
export interface StepFindings {
  /** The memory that it lacks; L1, if it fits neither memory. */
  readonly shortage: Shortage | undefined;
  /** Why its circular buffers and intermediates, which count as 0, are unknown. */
  readonly unchecked: Unchecked | undefined;
  /** The backend's refusal; nothing else than its shortage is known then. */
  readonly refused: BackendRefusal | undefined;
}

/** The findings about a step that runs. */
export const NO_FINDINGS: StepFindings = { shortage: undefined, unchecked: undefined, refused: undefined };

/** The op that a finding is about. */
export interface LocatedOp {
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
export interface Misfit extends LocatedOp, Shortage {}

/** An op whose buffers are not known. */
export interface UncheckedOp extends LocatedOp, Unchecked {}

/** An op that the backend refuses. */
export interface RefusedOp extends LocatedOp, BackendRefusal {}

/** Findings about the ops of a program, in the order of functions and steps. */
export interface MemoryFindings {
  /** Ops that the backend refuses. */
  readonly refusedOps?: readonly RefusedOp[];
  /** Ops without room. */
  readonly misfits?: readonly Misfit[];
  /** Ops whose buffers are not known. */
  readonly uncheckedOps?: readonly UncheckedOp[];
}

/**
 * Whether a program runs on a chip, by rules and by address: `fits`, `does_not_run` (the backend refuses some
 * ops: which, by which rule), `does_not_fit` (which ops, by how many bytes) or `unchecked` (no fault is
 * known, but buffers of some ops are unknown). The status is the first that holds, in the order
 * `does_not_run`, `does_not_fit`, `unchecked`, `fits`; findings of the others are listed as well.
 */
export interface MemoryVerdict extends Required<MemoryFindings> {
  /** The first that holds. */
  readonly status: "does_not_run" | "does_not_fit" | "unchecked" | "fits";
}

/** The verdict for some findings. */
export function memoryVerdict(
  { refusedOps = [], misfits = [], uncheckedOps = [] }: MemoryFindings,
): MemoryVerdict {
  const status = refusedOps.length > 0
    ? "does_not_run"
    : misfits.length > 0
    ? "does_not_fit"
    : uncheckedOps.length > 0
    ? "unchecked"
    : "fits";
  return { status, refusedOps, misfits, uncheckedOps };
}

/** The combined verdict for several functions. */
export function combineVerdicts(verdicts: readonly MemoryVerdict[]): MemoryVerdict {
  return memoryVerdict({
    refusedOps: verdicts.flatMap(({ refusedOps }) => refusedOps),
    misfits: verdicts.flatMap(({ misfits }) => misfits),
    uncheckedOps: verdicts.flatMap(({ uncheckedOps }) => uncheckedOps),
  });
}

/** Whether a program is known not to run: the backend refuses an op, or one does not fit. */
export function isFaulty({ status }: Pick<MemoryVerdict, "status">): boolean {
  return status === "does_not_run" || status === "does_not_fit";
}
