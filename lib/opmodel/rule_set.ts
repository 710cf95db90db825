// SPDX-License-Identifier: Apache-2.0
import type { ProgramRules } from "../programs/program_rules.ts";

/** Differences between backend revisions, as data. Rules read these fields; no rule checks a revision by name. */
export interface RuleSet extends ProgramRules {
  /** Name for reports, for example `2026-08`. */
  readonly name: string;
  /** tt-metal revision that the rules describe. */
  readonly revision: string;
}

/** tt-metal of November 2025 (tt-mlir b73fc81a), the revision whose byte figures are on record. */
export const RULES_2025_11: RuleSet = {
  name: "2025-11",
  revision: "tt-metal f4163c25 (tt-mlir b73fc81a, 2025-11-28)",
  binaryStrides: true,
  vectorProducts: false,
  fillsPadding: true,
  argmaxHalvesRows: false,
};

/** tt-metal of August 2026 (tt-mlir 19c86fca). */
export const RULES_2026_08: RuleSet = {
  name: "2026-08",
  revision: "tt-metal d5f9bc4a (tt-mlir 19c86fca, 2026-08-21)",
  binaryStrides: true,
  vectorProducts: true,
  fillsPadding: true,
  argmaxHalvesRows: true,
};

/** The default rule set. */
export const DEFAULT_RULE_SET: RuleSet = RULES_2026_08;
