// SPDX-License-Identifier: Apache-2.0
import type { CheckSubject } from "./check_subject.ts";
import { ARGUMENTS, CHECK_SUBJECTS, LIMIT_SUBJECTS, OP_SUBJECTS, OTHER_SUBJECT } from "./check_subjects.ts";
import { HOST_SUBJECTS } from "./host_subjects.ts";
import { OUTSIDE_SUBJECTS, TOLD_SUBJECTS } from "./outside_subjects.ts";
import { ROOM_NOUNS } from "./room_nouns.ts";

/** What says that something is not given is about that, whatever it is. */
const NOT_GIVEN =
  /\b(?:must|should|needs?|has|have) (?:to )?(?:have |also )?be(?:en)? (?:provided|supplied|passed in|populated)\b/i;

/** Whether a subject's patterns are so wide that words outside of a check may match them by chance. */
export function isWide(name: string): boolean {
  return [
    "cores",
    "capacity",
    "python_error",
    "diagnostic",
    "storage",
    "rank",
    "divisible",
    "memory_layout",
    "shapes",
    "arguments",
    "internal",
  ].includes(name);
}

/** Whether a subject is of ops: what a message of it begins with may be the name of one that TTNN has none of. */
export function isOfOps(name: string): boolean {
  return ![...HOST_SUBJECTS, ...OUTSIDE_SUBJECTS].some((subject) => subject.name === name);
}

/** What a program that gives up says of its reason: the words of an `assert`, or before `llvm_unreachable`'s. */
const LAST_WORDS =
  /(?:^|\bAssertion )[`'"].{1,200}? && "(.{4,200}?)"[`'"]? failed|^(.{8,200}?)!? UNREACHABLE executed at\b/;

/** A condition that is one name: `valid_page_size` speaks for itself. */
const IDENTIFIER = /^!?([a-z]+(?:_[a-z\d]+)+)$/;

/** What is no fault of the caller's, whatever it is about. */
const OWN_FAULT = /^(?:internal|logic) error: /i;

/** Subjects whose words ("must", "not found", "size") say what is wrong and not with what. */
const SPEECHLESS: ReadonlySet<string> = new Set([
  "arguments",
  "internal",
  "shapes",
  "rank",
  "storage",
  "job_limit",
  "other",
]);

/** Words that begin with the name of an op are of an op. */
const OP_FIRST = /^[a-z]+(?:_[a-z\d]+)+(?:: | (?:requires|expects|needs|does|only|with|expected)\b)/;

/** A check as it stands in a log. */
export interface Check {
  readonly words: string;
  readonly condition: string | undefined;
  /** Path of its source file, or the stem of its name. */
  readonly file: string | undefined;
}

/** Subjects that a name tells ("num_links", "cluster_axis"), whatever is asked of it. */
const NAMED: ReadonlySet<string> = new Set(["mesh", "memory_layout", "shapes", "arguments"]);

/** Subjects that tell what is asked for. */
const DEMANDED: ReadonlySet<string> = new Set(["alignment", "data_type", "divisible"]);

const DEMAND =
  /\b(?:must|should|ha(?:s|ve) to|needs?|requires?|expect(?:s|ed)?|only supports?|supports? only|at least)\b.{1,80}/i;

/** What words ask for: "num_links must be divisible by 4" is about parts that come out even, whatever they are of. */
function demandOf(words: string): CheckSubject | undefined {
  const demand = DEMAND.exec(words)?.[0];
  return demand === undefined
    ? undefined
    : OP_SUBJECTS.find(({ name, pattern }) => DEMANDED.has(name) && pattern.test(demand));
}

/** The subject of all checks of a source file that is of no op; `undefined` for others. */
export function subjectOfFile(path: string): CheckSubject | undefined {
  return [...OUTSIDE_SUBJECTS, ...HOST_SUBJECTS].find(({ files }) => files?.test(path) === true);
}

/**
 * What a check is about. Limits are told by their words. Where the source file is of no op, the file decides. Else the
 * condition counts, before all if the words agree with it, and then the words alone.
 */
export function subjectOf({ words, condition, file }: Check): CheckSubject {
  // Words that only repeat the condition say nothing more.
  const says = ({ pattern }: CheckSubject): boolean => words !== condition && pattern.test(words);
  const spelled = IDENTIFIER.exec(condition ?? "")?.[1]?.replaceAll("_", " ");
  const holds = (subject: CheckSubject): boolean =>
    condition !== undefined &&
    (subject.condition?.test(condition) === true || spelled !== undefined && subject.pattern.test(spelled));
  if (file === undefined) {
    const isBare = words === condition;
    if (isBare) {
      return CHECK_SUBJECTS.find(holds) ?? CHECK_SUBJECTS.find(({ pattern }) => pattern.test(words)) ??
        OTHER_SUBJECT;
    }
    const last = LAST_WORDS.exec(words);
    const reason = last?.[1] ?? last?.[2];
    if (reason !== undefined) {
      const subject = subjectOf({ words: reason, condition: undefined, file: undefined });
      if (subject !== OTHER_SUBJECT && (!isWide(subject.name) || subject.name === "storage")) return subject;
    }
    if (OWN_FAULT.test(words)) return OP_SUBJECTS.find(({ name }) => name === "internal") ?? OTHER_SUBJECT;
    const said = NOT_GIVEN.test(words) ? ARGUMENTS : CHECK_SUBJECTS.find(says) ?? OTHER_SUBJECT;
    const demand = NAMED.has(said.name) ? demandOf(words) : undefined;
    if (demand !== undefined) return demand;
    const room = SPEECHLESS.has(said.name) && !OP_FIRST.test(words)
      ? ROOM_NOUNS.find(([, nouns]) => nouns.test(words))?.[0]
      : undefined;
    return CHECK_SUBJECTS.find(({ name }) => name === room) ?? said;
  }
  const told = [...LIMIT_SUBJECTS, ...TOLD_SUBJECTS].find(({ pattern }) => pattern.test(words));
  if (told !== undefined) return told;
  const isOfOp = !file.includes("/") || file.includes("/operations/");
  const byFile = isOfOp ? undefined : subjectOfFile(file);
  if (byFile !== undefined) return byFile;
  const subjects = [...OUTSIDE_SUBJECTS, ...OP_SUBJECTS].filter((one) => one !== ARGUMENTS);
  // A condition that is one name says less than words about something narrow.
  const isName = spelled !== undefined;
  return subjects.find((one) => isName && says(one) && !isWide(one.name)) ??
    subjects.find((one) => holds(one) && says(one)) ??
    subjects.find((one) => one.name !== "internal" && holds(one)) ??
    (holds(ARGUMENTS) && says(ARGUMENTS) ? ARGUMENTS : undefined) ?? subjects.find(says) ??
    subjects.find(holds) ??
    (isOfOp ? ARGUMENTS : HOST_SUBJECTS.find(says)) ?? (says(ARGUMENTS) ? ARGUMENTS : OTHER_SUBJECT);
}
