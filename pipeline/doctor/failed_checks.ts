// SPDX-License-Identifier: Apache-2.0
import { knownOps } from "../../lib/ops/op_book.ts";
import { CHECK_SUBJECTS, type CheckWords, OTHER_SUBJECT } from "./check_subjects.ts";

/** A check of the backend, or of the compiler's op model, that failed: the op never ran. */
export interface FailedCheck extends CheckWords {
  readonly kind: "failed_check";
  /** Name of its subject in `CHECK_SUBJECTS`, or `other`. */
  readonly subject: string;
  /** tt-metal's source file of the check; `undefined` if the message does not name it. */
  readonly file: string | undefined;
}

/** Words that are failures even without the mark of a check. */
const UNMARKED =
  /(?:Physical shard shape \(\d+, \d+\) must be tile|Number of shards along|Shard (?:width|height) \(?\d+\)? must|(?:DRAM |L1 )?Auto.?slice could not find|Creating trace buffers? of size|Program size \(\d+\) too large|\d+ unique\+common runtime args|Unable to initialize semaphore|Operation (?:failed validation|validation failed)|OperationValidationAndFallback|TIMEOUT: device timeout|Timeout \(\d+ ms\) waiting for physical cores|(?:Memory config|Layout|Data type) mismatch, expected)[^\n]{0,240}/gi;

/** `TT_FATAL @ …/FILE.cpp:12: CONDITION info: WORDS` */
const MARKED =
  /(?:TT_(?:FATAL|THROW|ASSERT)|DEBUG_ASSERT)(?: @)?:? (?:\S*?(\w+)\.[ch]pp(?::\d+)?: )?(.{1,400}?)(?= backtrace:| TT_(?:FATAL|THROW|ASSERT)\b| --- |$)/g;

/** The same as `confirm` and recordings shorten it: `FILE.cpp: CONDITION | WORDS`. */
const SHORTENED = /\b(\w+)\.[ch]pp: ((?:[^|]|\|\|){1,400} \| .{1,400}?)(?= \w+\.[ch]pp: |$)/g;

/** A failed check and its place in the log. */
export interface FoundCheck {
  readonly at: number;
  readonly end: number;
  readonly failure: FailedCheck;
}

/** Finds failed checks in a log whose white space is single blanks. */
export function findFailedChecks(flat: string): readonly FoundCheck[] {
  const found: FoundCheck[] = [];
  for (const match of [...flat.matchAll(MARKED), ...flat.matchAll(SHORTENED)]) {
    const [whole, file, said = ""] = match;
    if (found.some(({ at, end }) => match.index >= at && match.index < end)) continue;
    // The condition is code; the text after `info:` is for people, unless it says nothing.
    const info = /(?:\binfo: | \| )(.+)$/.exec(said)?.[1]?.trim();
    const words = info === undefined || info === "Error" ? said.trim() : info;
    found.push(checkOf(match.index, whole, words, file));
  }
  for (const match of flat.matchAll(UNMARKED)) {
    const isInside = found.some(({ at, end }) => match.index >= at && match.index < end);
    if (!isInside) found.push(checkOf(match.index, match[0], match[0].trim(), undefined));
  }
  return found;
}

/**
 * Reads a message that is passed alone, not within a log.
 *
 * @returns `undefined` if its words match no known subject
 */
export function failedCheckOf(message: string): FailedCheck | undefined {
  const { failure } = checkOf(0, message, message.replace(/\s+/g, " ").trim(), undefined);
  return failure.subject === OTHER_SUBJECT.name ? undefined : failure;
}

function checkOf(at: number, whole: string, words: string, file: string | undefined): FoundCheck {
  const { name: subject } = CHECK_SUBJECTS.find(({ pattern }) => pattern.test(words)) ?? OTHER_SUBJECT;
  const named = [...words.matchAll(/\bttnn[.:]+(\w+)/g)].map(([, name]) => `ttnn.${name}`);
  const ops = named.length > 0 ? named : file === undefined ? undefined : opsOfFile(file);
  const numbers = [...words.matchAll(/\d+/g)].map(([digits]) => Number(digits)).filter((value) =>
    value > 1 && Number.isSafeInteger(value)
  );
  return {
    at,
    end: at + whole.length,
    failure: { kind: "failed_check", subject, words, file, ops, numbers },
  };
}

/**
 * Ops by the stem of a tt-metal file whose name differs from the op's. Files of copies and paddings are
 * missing because many ops run them.
 */
const OPS_OF_STEMS: Readonly<Record<string, readonly string[]>> = {
  accumulation: ["cumsum", "cumprod", "moreh_cumsum"],
  batchnorm: ["batch_norm_inference", "batch_norm_training"],
  conv2d: ["conv2d", "conv_transpose2d"],
  createqkvheads: ["split_query_key_value_and_split_heads"],
  halo: ["conv2d", "conv_transpose2d", "max_pool2d", "avg_pool2d"],
  layernorm: ["layer_norm", "rms_norm"],
  matmul: ["matmul", "linear"],
  nlpconcatheads: ["concatenate_heads", "nlp_concat_heads"],
  pool: ["max_pool2d", "avg_pool2d", "global_avg_pool2d"],
  pool2d: ["max_pool2d", "avg_pool2d"],
  sdpa: ["scaled_dot_product_attention"],
  sdpadecode: ["scaled_dot_product_attention_decode", "paged_scaled_dot_product_attention_decode"],
  slidingwindow: ["conv2d", "conv_transpose2d", "max_pool2d", "avg_pool2d"],
  tilize: ["to_layout"],
  untilize: ["to_layout"],
  updatecache: ["update_cache", "fill_cache", "paged_update_cache", "paged_fill_cache"],
};

/** Ops whose program or checks are in a file of tt-metal; `undefined` for files that many ops share. */
function opsOfFile(file: string): readonly string[] | undefined {
  const stem = file.replace(
    /_(?:device_op|(?:sharded_)?program|util|op_validation|op$)\w*$/,
    "",
  )
    .replaceAll("_", "").toLowerCase();
  const listed = OPS_OF_STEMS[stem]?.map((name) => `ttnn.${name}`) ??
    knownOps().map(({ name }) => name).filter((name) => name.replaceAll("_", "") === `ttnn.${stem}`);
  return listed.length === 0 ? undefined : listed;
}
