// SPDX-License-Identifier: Apache-2.0
import { askedOf, type CheckSubject, NARROW, OF_COMPILER } from "./check_subject.ts";
import { ARGUMENTS, CHECK_SUBJECTS, OTHER_SUBJECT } from "./check_subjects.ts";

/** A check as read from a log. */
export interface Check {
  readonly words: string;
  readonly condition: string | undefined;
  /** Path of its source file, or the stem of its name. */
  readonly file: string | undefined;
  /** tt-metal's or ttnn's own check (`TT_FATAL` and the like), wherever it stands. */
  readonly isOfBackend?: boolean;
}

/** Evidence for a subject, added to the weight of the words that match it ({@linkcode CheckSubject.weight}). */
const EVIDENCE = {
  /** Its source file is of no op and of the subject. */
  file: 11,
  /** The words match and say that something is not given (arguments), or call themselves an error of ttnn's own (internal). */
  plainly: 8,
  /** The last words of a program that ends itself match. */
  lastWords: 6,
  /** The C++ condition matches, which is more reliable than words. */
  code: 1,
} as const;

/** A message that something is not given; it is about the missing argument, whatever that is. */
const NOT_GIVEN =
  /\b(?:must|should|needs?|has|have) (?:to )?(?:have |also )?be(?:en)? (?:provided|supplied|passed in|populated)\b/i;

/** Prefix of messages that blame the library, not the caller. */
const OWN_FAULT = /^(?:internal|logic) error: /i;

/** The reason that an aborting program prints: the words of an `assert`, or before `llvm_unreachable`'s. */
const LAST_WORDS =
  /(?:^|\bAssertion )[`'"]?.{1,200}? && "(.{4,200}?)"[`'"]? failed|^(.{8,200}?)!? UNREACHABLE executed at\b/;

/** Subjects of the host that checks of tt-metal may be about as well: no compiler, front end or Python makes them. */
const OF_BACKEND: ReadonlySet<string> = new Set([
  "warning",
  "crash",
  "host_out_of_memory",
  "installation",
]);

/** Whether a subject's patterns are so wide that words outside of a check may match them by chance. */
export function isWide(name: string): boolean {
  return CHECK_SUBJECTS.some((subject) => subject.name === name && subject.weight < NARROW);
}

/** Whether a subject is of ops: what a message of it begins with may be the name of one that TTNN has none of. */
export function isOfOps(name: string): boolean {
  return CHECK_SUBJECTS.find((subject) => subject.name === name)?.maker === "ops";
}

/** The subject of all checks of a source file that is of no op; `undefined` for others. */
export function subjectOfFile(path: string): CheckSubject | undefined {
  const placed = CHECK_SUBJECTS.filter(({ files }) => files?.test(path) === true);
  return placed.find(({ maker }) => maker === "outside") ?? placed[0];
}

/** Whether a source file is of ops; a stem without a path may be, and is taken for one. */
function isOpsFile(file: string | undefined): boolean {
  return file !== undefined && (!file.includes("/") || file.includes("/operations/"));
}

/** Evidence of a check for each subject, above zero only, most first; equal ones in the order of the tables. */
export function subjectsOf(
  { words, condition: guarded, file, isOfBackend = false }: Check,
): readonly (readonly [subject: CheckSubject, evidence: number])[] {
  const condition = guarded === undefined ? undefined : askedOf(guarded);
  const isOfOp = isOpsFile(file);
  const placed = file === undefined || isOfOp ? undefined : subjectOfFile(file);
  // What a compiler asserts of a program is no rule of an op.
  const last = file === undefined && !OF_COMPILER.test(words) ? LAST_WORDS.exec(words) : null;
  const reason = last?.[1] ?? last?.[2];
  const evidenceOf = (subject: CheckSubject): number => {
    const { name, pattern, weight, condition: code } = subject;
    const coded = condition !== undefined && code?.test(condition) === true ? weight + EVIDENCE.code : 0;
    // Words that only repeat the condition say nothing more, and less than words do.
    const isRepeated = words === guarded;
    const said = isRepeated && coded > 0 || !pattern.test(words)
      ? 0
      : isRepeated
      ? weight - EVIDENCE.code
      : weight;
    const isReason = reason !== undefined && subject !== ARGUMENTS && pattern.test(reason);
    const isPlain = said > 0 &&
      (subject === ARGUMENTS ? NOT_GIVEN.test(words) : name === "internal" && OWN_FAULT.test(words));
    return said + coded +
      (isReason ? EVIDENCE.lastWords : 0) + (isPlain ? EVIDENCE.plainly : 0) +
      (subject === placed ? EVIDENCE.file : 0);
  };
  return CHECK_SUBJECTS.filter((subject) =>
    subject.maker !== "host" || !isOfOp && (!isOfBackend || OF_BACKEND.has(subject.name))
  )
    .map((subject) => [subject, evidenceOf(subject)] as const)
    .filter(([, evidence]) => evidence > 0).toSorted(([, a], [, b]) => b - a);
}

/** The subject of a check: the one with the most evidence. */
export function subjectOf(check: Check): CheckSubject {
  return subjectsOf(check)[0]?.[0] ?? (isOpsFile(check.file) ? ARGUMENTS : OTHER_SUBJECT);
}
