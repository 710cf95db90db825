// SPDX-License-Identifier: Apache-2.0
import { isShared, MOST_OPS, opsNamed, opsOfFile, opsOfKernel, opsOfWords } from "./check_place.ts";
import type { CheckWords } from "./check_subject.ts";
import { OTHER_SUBJECT } from "./check_subjects.ts";
import { reportsNear } from "./known_reports/near_reports.ts";
import { opsMentioned } from "./op_mentions.ts";
import { type FailedOp, RECORD_END } from "./failed_op.ts";
import { type CppExpression, readCpp } from "./requirements/cpp_expression.ts";
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
 * @returns `undefined` if its words match no known subject and no report
 */
export function failedCheckOf(message: string): FailedCheck | undefined {
  const check = checkOf(0, message, wordsOnly(message.replace(/\s+/g, " ").trim()));
  return isKnown(check) || reportsNear(check.failure, message).length > 0 ? check.failure : undefined;
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
  const inner = file === undefined || !isShared(file) ? undefined : opsOfFile(file);
  // Other ops run the copy, padding or conversion of a shared file; one without its folder is known by them only.
  const caller = inner === undefined && file !== undefined && isShared(file) && isGuess !== true
    ? ran
    : undefined;
  const isOutside = file?.includes("/") === true && !file.includes("/operations/");
  // A shared file without its folder belongs to any op that runs the copy, padding or conversion.
  const isAnyones = file !== undefined && isShared(file) && !file.includes("/");
  // The host's code names an op only as a program calls it: `in ttnn.softmax`.
  const spelled = isOutside ? /\bttnn\.(?:\w+\.)*([a-z]\w*)\b(?!\.py)/.exec(words)?.[1] : undefined;
  const guessed = spelled !== undefined
    ? opsNamed(spelled)
    : isOutside || isAnyones
    ? undefined
    : opsMentioned(words);
  const filed = file === undefined || isAnyones ? undefined : opsOfFile(file);
  // Of a family, the op is the one that was called.
  const placed = filed !== undefined && filed.length > MOST_OPS && ran?.length === 1 &&
      (isGuess !== true || ran.every((op) => filed.includes(op)))
    ? ran
    : filed;
  // If the file belongs to several ops, the words may say which: `pow: integers to negative powers …`.
  const said = placed === undefined || placed.length < 2 ? undefined : opsOfWords(words, false);
  const isNarrower = said !== undefined && said.length <= MOST_OPS &&
    (placed === undefined || placed.length > MOST_OPS ||
      said.length === 1 &&
        placed.filter((op) =>
            said.includes(op) || new RegExp(String.raw`\b${op.replace("ttnn.", "")}\b`).test(words)
          ).length === 1);
  const named = caller ?? (isNarrower ? said : placed) ??
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
          named !== undefined &&
            (isGuess === true && named === ran || named === guessed && !isCalledIn(words, named))
        ? { isGuess: true }
        : {}),
    },
  };
}

/** Whether a text names the only op in full, or by a name that is no word: `ttnn.add`, `all_gather`. */
function isCalledIn(text: string, ops: readonly string[]): boolean {
  const name = ops.length === 1 ? ops[0]?.replace(/^.*\./, "") : undefined;
  return name !== undefined &&
    new RegExp(String.raw`${/[_\d]/.test(name) ? "\\b" : String.raw`\bttnn[.:]+(?:\w+[.:]+)*`}${name}\b`)
      .test(text);
}

/** Ops that run no other. */
const CONVERSIONS = /\.(?:(?:to|from)_\w+|open_device|deallocate|synchronize_device)$/;

/** A message without file; also its condition if it is C++, or begins with C++. */
export function wordsOnly(words: string): Check {
  return conditionAndWords(words) ??
    { words, condition: isCondition(readCpp(words)) ? words : undefined, file: undefined };
}

/** What may follow a condition that is part of a sentence: `k <= 32 is required`. */
const GOES_ON =
  /^(?:is|are|was|were|must|should|shall|has|have|had|fail\w*|does|do|cannot|but|got|than|to|of)\b|^\W*$/;

/** A condition and the sentence behind it, of a message in which no mark divides them; `undefined` if it has not both. */
export function conditionAndWords(said: string): Check & { readonly condition: string } | undefined {
  const [, asserted, text] = /^(.+\S) && "([^"]{8,})"\W*$/.exec(said) ?? [];
  if (asserted !== undefined && text !== undefined) {
    return { condition: asserted, words: text, file: undefined };
  }
  for (let at = said.lastIndexOf(" ", MOST_OF_CONDITION); at > 0; at = said.lastIndexOf(" ", at - 1)) {
    const condition = said.slice(0, at).replace(/[\s,;:.\u2013-]+$/, "");
    const words = said.slice(at + 1).replace(/^[\s,;:\u2013-]+/, "");
    if (!/[=!<>]=|[<>%]|&&|\|\||\w\(.*\)$/.test(condition) || words.split(" ").length < 3) continue;
    if (GOES_ON.test(words) || !/^[A-Za-z(]/.test(words) || !isCondition(readCpp(condition))) continue;
    return { condition, words, file: undefined };
  }
  return undefined;
}

/** Most characters of a condition in front of a sentence. */
const MOST_OF_CONDITION = 400;

function isCondition(read: CppExpression | undefined): boolean {
  return read?.kind === "not" || read?.kind === "binary" && /[=<>&|]/.test(read.operator) ||
    read?.kind === "path" && /^(?:is_\w+|has_\w+|empty|contains)$/.test(read.steps.at(-1)?.name ?? "");
}
