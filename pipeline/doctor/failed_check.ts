// SPDX-License-Identifier: Apache-2.0
import { isShared, MOST_OPS, opsOfFile, opsOfKernel, opsOfWords } from "./check_place.ts";
import type { CheckWords } from "./check_subject.ts";
import { OTHER_SUBJECT } from "./check_subjects.ts";
import { opsMentioned } from "./op_mentions.ts";
import { type FailedOp, RECORD_END } from "./failed_op.ts";
import { type Check, isOfOps, subjectOf } from "./subject_of.ts";

/** A failed check of backend, op model or compiler, or an error of host or device. */
export interface FailedCheck extends CheckWords, Omit<FailedOp, "ops"> {
  readonly kind: "failed_check";
  /** Name of its subject in `CHECK_SUBJECTS`, or `other`. */
  readonly subject: string;
  /** Its source file, without folder and extension; `undefined` if unknown. */
  readonly file: string | undefined;
}

/** A failed check and its place in the log. */
export interface FoundCheck {
  readonly at: number;
  readonly end: number;
  readonly failure: FailedCheck;
}

/** Whether a check has a subject with meaning and remedies. */
export function isKnown({ failure }: FoundCheck): boolean {
  return failure.subject !== OTHER_SUBJECT.name;
}

/**
 * Reads a message that is passed alone, not within a log.
 *
 * @returns `undefined` if its words match no known subject
 */
export function failedCheckOf(message: string): FailedCheck | undefined {
  const check = checkOf(0, message, wordsOnly(message.replace(/\s+/g, " ").trim()));
  return isKnown(check) ? check.failure : undefined;
}

/**
 * The check of a message at a place of a log.
 *
 * @param whole the text that it takes there
 * @param place the op that ran, where the log names it
 */
export function checkOf(at: number, whole: string, told: Check, place: FailedOp = {}): FoundCheck {
  const check = {
    ...told,
    words: told.words.replaceAll(RECORD_END, " ").replace(/\s+/g, " ").replace(/^\s*\x60{3}/, "").trim(),
  };
  const { words, condition, file } = check;
  const { name: subject, ops: only } = subjectOf(check);
  const { ops: ran, isGuess, ...where } = place;
  const caller = file === undefined || !isShared(file) || isGuess === true ? undefined : ran;
  const isOutside = file?.includes("/") === true && !file.includes("/operations/");
  // A shared file without its folder belongs to any op that runs the copy, padding or conversion.
  const isAnyones = file !== undefined && isShared(file) && !file.includes("/");
  const guessed = isOutside || isAnyones ? undefined : opsMentioned(words);
  const placed = file === undefined || isAnyones ? undefined : opsOfFile(file);
  // If the file belongs to a whole family, the words may name the op: `pow: integers to negative powers …`.
  const narrower = placed === undefined || placed.length <= MOST_OPS ? undefined : opsOfWords(words, false);
  const named = caller ?? (narrower === undefined || narrower.length > MOST_OPS ? placed : narrower) ??
    (isOutside || isAnyones ? undefined : opsOfWords(words, file === undefined && isOfOps(subject))) ??
    opsOfKernel(words) ?? ran ?? guessed;
  // Where nothing else names an op, it is the likeliest that the shared file is named for.
  const likely = named === undefined && isAnyones ? opsOfFile(file) : undefined;
  // The failed op runs within another one: the op that Python called or, for a shared op, one that running text names.
  const called = ran?.length === 1 ? ran[0] : undefined;
  const runsWithin = called !== undefined && !CONVERSIONS.test(called) && file !== undefined &&
    named?.includes(called) === false &&
    (isGuess !== true || isShared(file));
  const within = runsWithin ? { within: called } : {};
  // A file or a word may be of several ops, of which one was called.
  const own = named?.filter((op) => ran?.includes(op) === true) ?? [];
  const ops = own.length > 0 ? own : named;
  // `BF16` and `conv2d` are no numbers; `1x32x4` and `5B` are.
  const numbers = [...words.matchAll(/(?<![A-Za-wyz_\d]|(?<!\d)x)\d+/g)].map(([digits]) => Number(digits))
    .filter((value) => value > 1 && Number.isSafeInteger(value));
  const stem = file?.replace(/^.*\//, "").replace(/\.\w+$/, "");
  return {
    at,
    end: at + whole.length,
    failure: {
      kind: "failed_check",
      subject,
      words,
      condition,
      file: stem,
      ops: ops ?? likely ?? only,
      numbers,
      ...where,
      ...within,
      ...(likely !== undefined ||
          named !== undefined && (isGuess === true && named === ran || named === guessed)
        ? { isGuess: true }
        : {}),
    },
  };
}

/** Ops that run no other. */
const CONVERSIONS = /\.(?:(?:to|from)_\w+|open_device|deallocate|synchronize_device)$/;

/** A C++ condition, not a sentence: names, operators and brackets only, no two names side by side. */
const CODE =
  /^(?=.*(?:[=!<>]=|[%<>]|&&|\|\|))(?=.*(?:\(\)|->|::|\[\w+\]))(?!.*[A-Za-z] [A-Za-z])[\w\s.:()[\]&|!<>=%+*/,-]+$/;

/** A message without file; also its condition if it is C++. */
export function wordsOnly(words: string): Check {
  return { words, condition: CODE.test(words) ? words : undefined, file: undefined };
}
