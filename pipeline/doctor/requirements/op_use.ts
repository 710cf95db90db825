// SPDX-License-Identifier: Apache-2.0

/** What ops do with the extents of their operands: what zeros that pad them change, and what makes them belong together. */

import { knownOps } from "../../../lib/ops/op_book.ts";
import { type CheckWords, TILE } from "../check_subject.ts";
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

/** What makes the extents of an op's operands belong together, in place of what would for any op. */
interface ExtentUse {
  /** Matches `FAMILY.NAME` of the op. */
  readonly ops: RegExp;
  /** Matches the condition and the words; default: any requirement of equal extents. */
  readonly says?: RegExp;
  readonly use: Remedy | readonly Remedy[];
}

const USES: readonly ExtentUse[] = [
  {
    ops: /\.(?:paged_)?(?:fill|update)_cache/,
    says: /batch|users?\b|\[0\] ==/i,
    use: [
      "as many users in the new entries as the op takes: one user at a time by ttnn.fill_cache with its batch_idx (or batch_offset) on a ttnn.slice of its entries, for each of them: the cache is written in place, and nothing is joined behind it",
      remedy`one token of all users at once: ttnn.update_cache with entries of 1 x HEADS x USERS x SIZE (a permute of USERS x HEADS x 1 x SIZE)${asks.NEWER}; or a newer tt-mlir, which writes these for a batch`,
    ],
  },
  {
    ops: /\.(?:paged_)?(?:fill|update)_cache/,
    says: /heads?\b|\[(?:1|-3)\] ==/i,
    use: [
      "as many heads in the new entries as in the cache: those of K or V (on a mesh of one device's part), not Q's",
      "a permute where heads and users stand in the other order: the cache is USERS x HEADS x LENGTH x SIZE, entries of an update 1 x HEADS x USERS x SIZE, of a fill 1 x HEADS x LENGTH x SIZE",
    ],
  },
  {
    ops: /attention|sdpa/,
    says: /^(?!.*\bmask).*(?:(?:head|hidden)[ _]?dim|head ?size|\bDH\b|\[(?:3|-1)\] ==)/i,
    use: [
      remedy`${asks.PAD}heads of one size for Q, K and V: zeros at the end of the smaller ones (ttnn.pad) change no score while the scale stays that of the real size, and what they add to the result is cut (ttnn.slice)`,
      remedy`or the op for latent attention, whose V is narrower (ttnn.transformer.flash_mla_prefill with head_dim_v)${asks.NEWER}, or a newer ttnn`,
    ],
  },
  {
    ops: /attention|sdpa/,
    says: /heads?\b|\bnqh\b|\bnkv\b/i,
    use: [
      "Q's heads have to be a multiple of those of K and V, which share them in groups: ttnn.repeat_interleave of K and V along the heads to a number that divides Q's (to as many as Q has), or another number of heads in the model",
      "on a mesh, heads divided so that every device has whole groups (K and V repeated where there are fewer of their heads than devices)",
    ],
  },
  {
    ops: /attention|sdpa/,
    use:
      "Q of BATCH x HEADS x S x SIZE, K and V of BATCH x KV HEADS x T x SIZE with one batch and size of a head, a mask of BATCH x 1 (or HEADS) x S x T: a permute, transpose or reshape of the one that is in another order, and the mask made for S and T",
  },
  {
    ops: /^(?:binary|ternary)\./,
    use: [
      "broadcast counts dimensions from the last one on, and each pair is equal or one of them 1: a reshape (ttnn.unsqueeze) that puts 1 where an operand does not differ (a bias of C channels is 1xCx1x1 in NCHW, 1x1x1xC in NHWC), a permute where the order is another",
      "or ttnn.repeat (repeat_interleave) of the smaller operand where its extent divides the larger one's; other extents contradict each other: an op before it made a wrong one",
    ],
  },
  {
    ops: /\.(?:conv|.*pool)/,
    says: /input_(?:length|height|width)|batch_size|NLC|NHWC|in_channels/,
    use: [
      "the operand's dimensions in the order of the op: N x L x C for a conv1d, N x H x W x C (or 1 x 1 x NHW x C) for the others: a permute of what is N x C x L or N x C x H x W",
      "batch_size, input_length, input_height, input_width and in_channels of the call as the operand has them there",
    ],
  },
  {
    ops: /\.embedding/,
    use:
      "the indices as rows: a ttnn.reshape to BATCH x LENGTH (Bx1x1xS in versions that ask for 4D), the table as 1x1 x ENTRIES x SIZE: extents move, none is cut or added",
  },
  {
    ops: /\.batch_norm/,
    says: /running_|mean|var|weight|bias|channels|== C\b/i,
    use:
      "running mean and variance, weight and bias with an entry for each channel, as 1xCx1x1 (a reshape of the vectors), the operand as NxCxHxW: a permute where its channels stand last",
  },
  {
    ops: /norm_post_all_gather/,
    says: /stats/i,
    use:
      "the statistics of all devices side by side: ttnn.all_gather of what the op before (…_pre_all_gather) made along the last dimension (dim = 3), so that they have the operand's rows, one tile of columns for each device (two of a layer_norm); operand and statistics of four dimensions",
  },
  {
    ops: /norm/,
    says: /gamma|beta|weight|bias|residual|\bb\b.*==/i,
    use:
      "weight and bias are the model's own, with an entry for each element of the dimension that is normalized (1x1x1xW; in rows W/32 x 32), a residual has the operand's shape: a permute or reshape of the operand that puts that dimension last, or the parameters of that layer; no padding of one of them alone",
  },
  {
    ops: /\.concat$/,
    use:
      "extents are alike but for the dimension that is joined: dim of the call (negative ones count from the last), a permute or reshape where the order is another, ttnn.repeat where one is 1",
  },
  {
    ops: /rotary/,
    use:
      "cos and sin of the size of a head, with a row for each position (1x1xSxD, of a decode 1 x USERS x 1 x D): cut from the table for these positions (ttnn.slice, ttnn.embedding), the operand as BATCH x HEADS x S x D",
  },
  {
    ops: /heads/,
    use:
      "the width is the size of a head times (heads + 2 x KV heads) where Q, K and V are fused: num_heads and num_kv_heads of the call as the projection was made (on a mesh, one device's part)",
  },
  {
    ops: /\.(?:gather|scatter)$/,
    use:
      "an index with as many dimensions as the operand, whose extents are at most the operand's in all dimensions but dim: a reshape or ttnn.repeat of the index (torch's form), not of the operand",
  },
];

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
  return [found?.use ?? []].flat();
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
