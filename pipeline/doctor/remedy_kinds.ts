// SPDX-License-Identifier: Apache-2.0

/**
 * What an alternative of a remedy asks for, and words of a text by which that is so already or has failed, unless
 * others say otherwise of another operand or run.
 */
export type RemedyKind = readonly [said?: RegExp, unless?: RegExp];

/** Begins an alternative of no kind, behind one that has a kind. */
export const OR: RemedyKind = [];

/** A newer version of ttnn or a compiler. */
export const NEWER: RemedyKind = [];

/** Padding of an operand with zeros. */
export const PAD: RemedyKind = [];

/** Another value of an argument that the model has, such as a stride. */
export const OF_MODEL: RemedyKind = [];

/** The call alone, and a report of it. */
export const CALL_ALONE: RemedyKind = [];

/** Running `doctor` with the program. */
export const GIVE_PROGRAM: RemedyKind = [];

/** What their names say. */
export const ACT_BLOCK: RemedyKind = [/\bact_block_h(?:_override)? ?= ?32\b/];
export const HIFI4: RemedyKind = [/\bHiFi4\b/i];
export const LEVEL_0: RemedyKind = [level(0), level(2)];
export const LEVEL_1: RemedyKind = [level(1), level(2)];
export const NO_PROGRAM_CONFIG: RemedyKind = [
  /\bprogram_config ?= ?None\b|\bwithout (?:a |any )?program[ _]config/i,
];
export const MORE_CORES: RemedyKind = [
  /\b(?:fail|clash|crash|break|overflow)\w*\b[^.\n]{0,60}(?:≥|>=|\b(?:at|from|above|over|beyond|more than|at least)) ?\d+ cores|\bgrid.dependent\b|\bmore cores\b[^.\n]{0,40}\b(?:fail|clash|crash|wors)/i,
];
export const FEWER_LINKS: RemedyKind = [/\bnum_links["']? ?[=:] ?1\b/];
export const SMALLER_BATCH: RemedyKind = [
  /\bbatch(?:[ _-]?size)?["']?(?: ?[=:] ?| (?:of|is) |[-_])1\b/i,
  /\bbatch(?:[ _-]?size)?["']?(?: ?[=:] ?| (?:of|is) |[-_])(?:[2-9]|\d\d)/i,
];
export const TILES: RemedyKind = [/\blayout ?= ?(?:ttnn\.)?(?:Layout(?:::|\.))?TILE/, /ROW_MAJOR|\buntiliz/i];
export const ROWS: RemedyKind = [/\blayout ?= ?(?:ttnn\.)?(?:Layout(?:::|\.))?ROW_MAJOR/, /\bTILE/];

/** A tensor in DRAM, or interleaved. */
export const DRAM: RemedyKind = [
  /<interleaved>|\bDRAM_MEMORY_CONFIG\b|TensorMemoryLayout::INTERLEAVED.{0,40}BufferType::DRAM/,
  /\bL1\b|buffer_type<l1>|sharded/i,
];

/** A reset of the board. */
export const RESET: RemedyKind = [
  /\btt-smi -r\b|\bafter (?:a |the )?(?:board )?(?:reset|power ?cycle|reboot)/i,
];

function level(of: number): RegExp {
  return new RegExp(String.raw`optimi[sz](?:ation|er)[-_ ]level["']?(?: ?[=:] ?| (?:is |of )?)${of}\b`, "i");
}
