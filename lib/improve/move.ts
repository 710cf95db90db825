// SPDX-License-Identifier: Apache-2.0
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { ProgramStep } from "../search/program.ts";

/**
 * When a program is improved: after spilling, when it is offered to the portfolio, and when it leads the
 * portfolio.
 */
export type ImprovementStage = "spilled" | "offered" | "leading";

/** One kind of change that may make a finished program faster. */
export interface ImprovementMove {
  readonly name: string;
  readonly stages: readonly ImprovementStage[];
  /** Changes at one step of a program, most promising first; no side effects. */
  propose(program: LayoutProgram, roles: OpRoles, step: ProgramStep): readonly Proposal[];
}

/** A change that is expected to save time. */
export interface Proposal {
  /** Expected change of the predicted time in µs; negative. */
  readonly microseconds: number;
  apply(program: LayoutProgram): void;
}

/** The proposals with a negative µs change, lowest first. */
export function bestFirst(proposals: readonly Proposal[]): readonly Proposal[] {
  return proposals.filter(({ microseconds }) => microseconds < 0)
    .sort((a, b) => a.microseconds - b.microseconds);
}
