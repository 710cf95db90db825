// SPDX-License-Identifier: Apache-2.0

/** What a text says is so already, or has failed; remedies that ask for it do not help. */
interface SaidAlready {
  /** Matches a alternative that asks for it. */
  readonly asks: RegExp;
  /** Matches the text that says so. */
  readonly said: RegExp;
  /** Matches a text that says otherwise of another operand or run. */
  readonly unless?: RegExp;
}

const SHARDED = /(?:HEIGHT|WIDTH|BLOCK)_SHARDED|_sharded>|\bL1_\w*SHARDED/;

const STATED: readonly SaidAlready[] = [
  { asks: /\boptimization-level=1\b/, said: level(1), unless: level(2) },
  { asks: /\boptimization-level=0\b/, said: level(0), unless: level(2) },
  {
    asks: /\bno program config\b|\bnone: then the backend chooses/,
    said: /\bprogram_config ?= ?None\b|\bwithout (?:a |any )?program[ _]config/i,
  },
  {
    asks: /\bmore cores\b/,
    said:
      /\b(?:fail|clash|crash|break|overflow)\w*\b[^.\n]{0,60}(?:≥|>=|\b(?:at|from|above|over|beyond|more than|at least)) ?\d+ cores|\bgrid.dependent\b|\bmore cores\b[^.\n]{0,40}\b(?:fail|clash|crash|wors)/i,
  },
  { asks: /\bnum_links = 1\b|\bfewer num_links/, said: /\bnum_links["']? ?[=:] ?1\b/ },
  {
    asks: /\bsmaller batch\b|\bpart of the batch\b/,
    said: /\bbatch(?:[ _-]?size)?["']?(?: ?[=:] ?| (?:of|is) |[-_])1\b/i,
    unless: /\bbatch(?:[ _-]?size)?["']?(?: ?[=:] ?| (?:of|is) |[-_])(?:[2-9]|\d\d)/i,
  },
  {
    asks: /^(?:the operand )?in tiles\b|\bto_layout TILE\b|\boperand in tiles\b|\bthe op in tiles\b/,
    said: /\blayout ?= ?(?:ttnn\.)?(?:Layout(?:::|\.))?TILE/,
    unless: /ROW_MAJOR|\buntiliz/i,
  },
  {
    asks: /\bROW_MAJOR\b|^(?:or )?(?:keep the tensor )?in rows\b/,
    said: /\blayout ?= ?(?:ttnn\.)?(?:Layout(?:::|\.))?ROW_MAJOR/,
    unless: /\bTILE/,
  },
  {
    asks: /\binterleaved\b|\bin DRAM\b|\bto DRAM\b|DRAM interleaved/,
    said: /<interleaved>|\bDRAM_MEMORY_CONFIG\b|TensorMemoryLayout::INTERLEAVED.{0,40}BufferType::DRAM/,
    unless: new RegExp(`${SHARDED.source}|\\bL1\\b|buffer_type<l1>|sharded`, "i"),
  },
  { asks: /\bHiFi4\b/, said: /\bHiFi4\b/i },
  {
    asks: /\btt-smi -r\b/,
    said: /\btt-smi -r\b|\bafter (?:a |the )?(?:board )?(?:reset|power ?cycle|reboot)/i,
  },
  { asks: /\bact_block_h_override\b/, said: /\bact_block_h(?:_override)? ?= ?32\b/ },
  {
    asks: /^(?:ttnn\.)?(?:to_device|from_torch)\b/,
    said: /\bfrom_torch\([^)]*\bdevice ?= ?(?!None)\w/,
    unless: /\bhost\b/i,
  },
];

function level(of: number): RegExp {
  return new RegExp(String.raw`optimi[sz](?:ation|er)[-_ ]level["']?(?: ?[=:] ?| (?:is |of )?)${of}\b`, "i");
}

/** Where one alternative ends and the next begins. */
const NEXT_ALTERNATIVE = /(?:, |; )(?=or )|; (?=the |a |an |in |no )/;

/**
 * Remedies without the alternatives that a text says are taken already or have failed; a remedy of which nothing is left is
 * left out.
 *
 * @param text the log or report that the message stands in
 */
export function helpfulIn(advice: readonly string[], text: string): readonly string[] {
  const known = STATED.filter(({ said, unless }) => said.test(text) && unless?.test(text) !== true);
  return withoutAlternatives(advice, (alternative) => known.some(({ asks }) => asks.test(alternative)));
}

/** Remedies without the alternatives that are closed; one of which none is left is left out. */
export function withoutAlternatives(
  advice: readonly string[],
  isClosed: (alternative: string) => boolean,
): readonly string[] {
  const left = advice.flatMap((remedy) => {
    const all = remedy.split(NEXT_ALTERNATIVE);
    const open = all.filter((alternative) => !isClosed(alternative));
    if (open.length === all.length) return [remedy];
    return open.length === 0 ? [] : [open.join(", ").replace(/^or /, "")];
  });
  return left.map((remedy, index) => index === 0 ? remedy.replace(/^or /, "") : remedy);
}
