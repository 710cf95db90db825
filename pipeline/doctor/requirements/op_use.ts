// SPDX-License-Identifier: Apache-2.0

/** What ops do with the extents of their operands: what zeros that pad them change, and what makes them belong together. */

import * as v from "valibot";
import { knownOps } from "../../../lib/ops/op_book.ts";
import { type CheckWords, TILE } from "../check_subject.ts";
import { PATTERN, TOLD } from "../expertise_row.ts";
import uses from "./extent_uses.jsonl" with { type: "text" };
import { isBound, leavesOf, type Requirement, termsOf } from "./requirement.ts";
import { isPadded } from "./settable.ts";
import { CUT, isOf, type Remedy, remedy, reworded, started, textOf } from "../remedy.ts";
import * as asks from "../remedy_kinds.ts";

/** What zeros at the end of an extent do in an op. */
interface Padding {
  /** Matches the op's name without its dialect. */
  readonly ops: RegExp;
  /** The value that changes nothing, where it is none of zero. */
  readonly value?: string;
  /** What is said of it; in place of a pad, where no value changes nothing. */
  readonly rule: Remedy;
  /** Whether a pad is the worse way, or none at all. */
  readonly isInstead?: true;
}

const ZEROS = "zeros would change the result";

const PADDINGS: readonly Padding[] = [
  {
    ops: /^group_norm|^batch_norm_training/,
    rule:
      "another batch or chunk whose extent is a multiple, or the norm written as reductions over the true extent (ttnn.mean, subtract, multiply, rsqrt): zeros that pad it change mean and variance",
    isInstead: true,
  },
  {
    ops: /^(?!batch_norm).*norm/,
    rule:
      "no zeros in the dimension that is normalized: they change mean and variance; another block or grid, or the norm written as reductions over the true extent (ttnn.mean, subtract, multiply, rsqrt)",
    isInstead: true,
  },
  {
    ops: /softmax|^(?:max|argmax|topk|max_pool2d|sort)$/,
    value: "-inf",
    rule: remedy`${asks.PAD}pad with -inf, which never is the largest: ${ZEROS}`,
  },
  {
    ops: /^(?:min|argmin)$/,
    value: "+inf",
    rule: remedy`${asks.PAD}pad with +inf, which never is the smallest: ${ZEROS}`,
  },
  { ops: /^(?:prod|cumprod)$/, value: "1", rule: remedy`${asks.PAD}pad with ones: ${ZEROS}` },
  {
    ops: /rotary/,
    rule:
      remedy`the rotation unfused (slice, neg, concat, multiply by cos and sin, add)${asks.NEWER}, or a newer ttnn or tt-mlir, which takes or avoids that width: zeros at the end of a head are no remedy, as element i is turned with i + half of the width`,
    isInstead: true,
  },
  {
    ops: /attention|heads|sdpa/,
    rule:
      "zeros at the end of a head change no score: best in the weights of the projections, the scale stays that of the real size",
  },
  {
    ops: /^(?:mean|std|var|avg_pool2d|global_avg_pool2d)$/,
    rule: "a mean over a padded extent counts its zeros: a sum over the true number instead",
    isInstead: true,
  },
  {
    ops: /^(?:concat|stack|repeat)$/,
    rule:
      remedy`${asks.ROWS}in rows (to_layout ROW_MAJOR of all operands, the op, to_layout TILE)${asks.OR}, or another dimension joined (permute before and behind it): zeros that pad an operand would stay between the parts`,
    isInstead: true,
  },
];

/** Remedies with what the op does with zeros: another value, or another way in place of padding. */
export function withPadding(
  remedies: readonly Remedy[],
  check: CheckWords,
  requirement?: Requirement,
): readonly Remedy[] {
  const padding = namesOf(check).map((name) => PADDINGS.find(({ ops }) => ops.test(name)))[0];
  if (padding === undefined || requirement !== undefined && isOfParameter(requirement)) return remedies;
  const { value, rule, isInstead } = padding;
  // What changes nothing is said of an extent that is known only.
  const isIdle = requirement === undefined && value === undefined && isInstead !== true;
  if (isIdle || !remedies.some((one) => isOf(one, asks.PAD))) return remedies;
  if (isInstead === true) return started([...remedies.filter((one) => !isOf(one, asks.PAD)), rule]);
  if (!remedies.some((one) => textOf(one).includes(CUT))) return [...remedies, rule];
  const padded = `(ttnn.pad with value = ${value ?? 0}: ${
    value === undefined ? textOf(rule) : ZEROS
  }; cut the result)`;
  return remedies.map((one) => reworded(one, (text) => text.replace(CUT, padded)));
}

/** Whether a requirement is of a weight, a mask or another parameter, over which the op does not reduce. */
function isOfParameter(requirement: Requirement): boolean {
  return leavesOf(requirement).flatMap(termsOf).some((term) =>
    term.kind === "operand" && /gamma|beta|weight|bias|mask|stats|cache|indices/.test(term.name)
  );
}

const USE = v.strictObject({
  /** Matches `FAMILY.NAME` of the op. */
  ops: PATTERN,
  /** Matches the condition and the words; default: any requirement of equal extents. */
  says: v.exactOptional(PATTERN),
  use: TOLD,
});

/** What makes the extents of an op's operands belong together, in place of what would for any op. */
const USES = uses.trimEnd().split("\n").map((line) => v.parse(USE, JSON.parse(line)));

/** Aspects whose equality is about extents. */
const OF_EXTENTS: ReadonlySet<string> = new Set(["extent", "shape", "volume"]);

/** Aspects that have nothing to do with extents. */
const OF_OTHERS =
  /^(?:dtype|layout|memory_layout|memory_config|buffer_type|shard_|orientation|storage|device|buffer|rank|tile|page_size)/;

/** Words of an attention, where no op is named. */
const OF_HEADS = /\bQ\b.*\bK\b.*\bheads?\b|\bheads?\b.*\bQ\b.*\bK\b|\bnum_kv_heads\b(?!.* [+*] )/i;
const HEADS_AGREE = /match|\bsame\b|equal|multiple|divisib/i;
const ATTENTION = "scaled_dot_product_attention";

/** Words of extents that have to agree. */
const AGREE = /match|\bsame\b|equal|broadcast|compatible|differ/i;

/** What the op asks of extents that have to be equal, or 1; empty for other requirements and ops. */
export function usesOf(check: CheckWords, requirement?: Requirement): readonly Remedy[] {
  const leaves = requirement === undefined ? [] : leavesOf(requirement);
  const operands = leaves.flatMap(termsOf).filter((term) => term.kind === "operand");
  if (operands.some(({ aspect }) => OF_OTHERS.test(aspect)) || leaves.some(isBound)) return [];
  const isOfExtents = requirement === undefined && AGREE.test(check.words) ||
    leaves.some((leaf) =>
      leaf.kind === "compares" && leaf.comparison === "==" &&
      termsOf(leaf).some((term) =>
        term.kind === "operand" && (OF_EXTENTS.has(term.aspect) || isPadded(term) || /_dim$/.test(term.name))
      )
    );
  const text = `${check.condition ?? ""} ${check.words}`;
  const found = USES.find(({ ops, says }) =>
    (says === undefined ? isOfExtents : says.test(text)) && !leaves.some(isOfTile) &&
    (check.ops === undefined && OF_HEADS.test(text) && HEADS_AGREE.test(text) ? [ATTENTION] : namesOf(check))
      .some((name) => ops.test(`${familyOf(name)}.${name}`))
  );
  return found?.use ?? [];
}

/** Whether a requirement is that an extent is one tile, or whole ones. */
function isOfTile(requirement: Requirement): boolean {
  return (requirement.kind === "multiple" || requirement.kind === "compares") &&
    termsOf(requirement).some((term) => term.kind === "constant" && term.value === TILE);
}

function familyOf(name: string): string {
  return knownOps().find((op) => op.name === `ttnn.${name}`)?.family ?? "";
}

/** Names of the check's ops without their dialect. */
function namesOf({ ops = [] }: CheckWords): readonly string[] {
  return ops.map((op) => op.replace(/^.*\./, ""));
}
