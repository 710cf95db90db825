// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature } from "../ops/op_signature.ts";

/** A way to run an op that the rule book takes. */
export interface Candidate {
  /** What is run, without layouts. */
  readonly op: OpSignature;
  /** Layouts of its operands; `undefined` where one is not a tensor or has no layout. */
  readonly inputs: readonly (TtnnLayout | undefined)[];
  /** Layouts of its results, likewise. */
  readonly outputs: readonly (TtnnLayout | undefined)[];
  /** The config that it runs with, its own or a decided one. */
  readonly config: OpSpecificAttributes | undefined;
  /** Where it is run. */
  readonly chip: ChipDescription;
  /** Bytes of L1 per core that the op may use, alone. */
  readonly usableL1Bytes: number;
}

/** Judges ways to run ops after the rule book: what a filter refuses, the op model refuses too. */
export interface CandidateFilter {
  /**
   * Whether operand layouts that the op's rule cannot tell apart count as one way, and one of them is judged for all; a
   * search asks about half as many ways then.
   */
  readonly readsAsRule: boolean;

  /** Why the way is not to be taken; `undefined` if it may be. The same way always gets the same answer. */
  refusalOf(candidate: Candidate): string | undefined;
}
