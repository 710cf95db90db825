// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature } from "../ops/op_signature.ts";

/** An op with layouts and config that its rule accepts. */
export interface Candidate {
  /** The op, without layouts. */
  readonly op: OpSignature;
  /** Layouts of its operands; `undefined` where one is not a tensor or has no layout. */
  readonly inputs: readonly (TtnnLayout | undefined)[];
  /** Layouts of its results, likewise. */
  readonly outputs: readonly (TtnnLayout | undefined)[];
  /** The config that it runs with: its own or a decided one. */
  readonly config: OpSpecificAttributes | undefined;
  /** The chip that it runs on. */
  readonly chip: ChipDescription;
  /** Bytes of L1 per core that the op may use. */
  readonly usableL1Bytes: number;
}

/** A legality check after the rule book: the op model refuses every candidate that the filter refuses. */
export interface CandidateFilter {
  /**
   * Whether operand layouts with equal `OpRule.readsOfOperand` share one answer of the filter; this halves
   * the queries of a search.
   */
  readonly readsAsRule: boolean;

  /**
   * Why a candidate is refused; `undefined` if it is accepted. Deterministic: equal candidates get equal
   * answers.
   */
  refusalOf(candidate: Candidate): string | undefined;
}
