// SPDX-License-Identifier: Apache-2.0
import type { ProgramRules } from "../programs/program_rules.ts";

/** Differences between backend revisions, as data. Rules read these fields; no rule checks a revision by name. */
export interface RuleSet extends ProgramRules {
  /** Name for reports, for example `2026-08`. */
  readonly name: string;
  /** tt-metal revision that the rules describe. */
  readonly revision: string;
  /** Whether `paged_update_cache` wants exactly one core per user (tt-metal:paged-cache). */
  readonly pagedUpdateCacheCoresEqualUsers: boolean;
  /**
   * Whether `concat` joins block shards. The optimizer document says never (tt-mlir:optimizer-document §4.1.2); the
   * kernel of later revisions does (tt-metal:concat).
   */
  readonly concatTakesBlockShards: boolean;
  /**
   * Whether `repeat` and `repeat_interleave` honour the memory of their output hint; before, `repeat` kept the
   * input's memory and `repeat_interleave` went to DRAM (tt-mlir:op-model-tests).
   */
  readonly repeatHonoursHint: boolean;
  /**
   * Whether `embedding` with an output hint reports the bytes of its result or those of a tensor shaped like its table
   * (recorded rows of 2025-11; the week before it was the result).
   */
  readonly embeddingReportsTable: boolean;
  /**
   * Whether the reported output bytes cover all results or the first one only (tt-mlir:op-model,
   * tt-mlir:op-model-tests).
   */
  readonly reportsAllOutputs: boolean;
}

/** tt-metal of November 2025 (tt-mlir b73fc81a), the revision whose byte figures are on record. */
export const RULES_2025_11: RuleSet = {
  name: "2025-11",
  revision: "tt-metal f4163c25 (tt-mlir b73fc81a, 2025-11-28)",
  pagedUpdateCacheCoresEqualUsers: false,
  concatTakesBlockShards: false,
  binaryStrides: true,
  vectorProducts: false,
  fillsPadding: true,
  argmaxHalvesRows: false,
  splitsTallRows: true,
  softmaxInF32: true,
  normBlock: "fixed",
  repeatHonoursHint: false,
  embeddingReportsTable: true,
  reportsAllOutputs: false,
};

/** tt-metal of August 2026 (tt-mlir 19c86fca). */
export const RULES_2026_08: RuleSet = {
  name: "2026-08",
  revision: "tt-metal d5f9bc4a (tt-mlir 19c86fca, 2026-08-21)",
  pagedUpdateCacheCoresEqualUsers: true,
  concatTakesBlockShards: true,
  binaryStrides: true,
  vectorProducts: true,
  fillsPadding: true,
  argmaxHalvesRows: true,
  splitsTallRows: true,
  softmaxInF32: true,
  normBlock: "fixed",
  repeatHonoursHint: true,
  embeddingReportsTable: false,
  reportsAllOutputs: true,
};

/** The default rule set. */
export const DEFAULT_RULE_SET: RuleSet = RULES_2026_08;
