// SPDX-License-Identifier: Apache-2.0
import {
  type Expertise,
  opsInWords,
  pricing,
  type Sentences,
  sentencesOn,
  TELLING,
} from "./check_subject.ts";
import { ARGUMENTS, CHECK_SUBJECTS, OTHER_SUBJECT } from "./check_subjects.ts";
import { expertiseOn } from "./expertise.ts";
import type { FailureExplanation } from "./explain_failure.ts";
import type { FailedCheck } from "./failed_check.ts";
import { deriveFrom } from "./requirements/derive.ts";
import { usesOf, withPadding } from "./requirements/op_use.ts";
import { isBound, leavesOf, type Requirement, termsOf } from "./requirements/requirement.ts";

const REFUSED = "The backend refuses an op";

/** Beginning of advice to run `doctor` with a program. */
export const GIVE_PROGRAM = "give the program as well: ";

const FIND_OP =
  `${GIVE_PROGRAM}'tilewright doctor FILE --message TEXT' finds the op, and 'tilewright optimize FILE' plans it anew`;

/** Subjects that know more of their numbers than that one has to be another, beside those of a limit or an event. */
const TOLD: ReadonlySet<string> = new Set(["capacity", "shard_count", "shard_spec", "architecture", "crash"]);

/** Subjects outside of ops that ops' own conditions may be about. */
const OF_OPS_AS_WELL: ReadonlySet<string> = new Set(["mesh", "kernel_program"]);

/** A message of an op's own verifier, not of a trait that many ops have. */
const VERIFIED = /^'[\w.]+' op (?!\S+ #\d)/;

/**
 * Explains a failed check. Its own words come first, then the requirement and its remedies, derived from the condition or
 * the words. The general advice on its subject replaces them if no requirement is derived, and follows them for checks of a
 * compiler, of the host, and of shards (which may be the result's).
 */
export function explainFailedCheck(failure: FailedCheck): FailureExplanation {
  const { condition, file, ops, words, within } = failure;
  const subject = CHECK_SUBJECTS.find(({ name }) => name === failure.subject) ?? OTHER_SUBJECT;
  const { title = REFUSED, meaning, advice } = subject;
  const known = expertiseOn(failure);
  // Rows that speak in place of the subject leave nothing of it; others come first.
  const isTold = known.some(({ instead, because }) => instead ?? because !== undefined);
  const isOfHost = subject.room !== "ops";
  const isOfOp = !isOfHost || subject.name === "verifier" && VERIFIED.test(words) ||
    OF_OPS_AS_WELL.has(subject.name) && condition !== undefined && ops !== undefined;
  const asked = isTold || TOLD.has(subject.name) || subject.weight === TELLING
    ? undefined
    : deriveFrom(failure);
  const changes = asked?.remedies ?? [];
  const saysMore = isOfHost || subject.name === "shard_extent";
  const general = isTold || changes.length > 0 && !saysMore ? [] : generalAdvice(advice, failure);
  const expert = known.flatMap((row) => adviceOf(row, failure));
  const helping = [
    ...expert,
    ...remediesTold(words).filter((told) => !isSaid(told, expert)),
    ...otherPages(words),
    ...(isOfOp ? changes : []),
    ...general,
    ...(within === undefined ? [] : [runsWithin(within)]),
  ];
  return {
    failure,
    title: known.find((row) => row.title !== undefined)?.title ??
      (subject === ARGUMENTS && asked === undefined ? REFUSED : title),
    meaning: [
      `The message says${file === undefined ? "" : ` (${file})`}: ${closed(words)}`,
      ...(condition === undefined || condition === words || words.includes(condition)
        ? []
        : [`It requires ${condition}`]),
      ...known.flatMap(({ because }) => sentencesOn(because, failure)),
      // What people say is quoted: put into words is what code asks, and what has the numbers of the message.
      ...(asked === undefined || HALF_READ.test(asked.rule) ||
          !asked.isNumbered && (!asked.isCode || condition !== undefined && condition !== words)
        ? []
        : [`${opsInWords(failure, isOfHost ? "It" : "The op")} asks: ${asked.rule}`]),
      ...(asked !== undefined && !saysMore || isTold && known.some(({ because }) => because !== undefined)
        ? []
        : sentencesOn(meaning, failure)),
    ],
    advice: [
      ...helping,
      ...(isOfOp && isLimit(failure, asked?.requirement) && !/\bnewer\b/.test(helping.join())
        ? [LIFTED]
        : []),
      ...(isOfHost ? [] : pricing(failure)),
      ...(isOfHost ? [] : [FIND_OP]),
    ],
  };
}

/** A rule with a name that breaks off. */
const HALF_READ = /\bof(?: \(here|,|$)/;

/** The remedy for what an op takes in its version only. */
const LIFTED = "or a newer ttnn, which may have lifted this limit";

/** Words of what an op takes in its version. */
const IN_VERSION =
  /\bonly (?:up to|supports?|works?|takes)\b|\bonly\b.* (?:is|are) (?:\w+ )?(?:supported|implemented|allowed)|\b(?:not|n't) (?:\w+ )?(?:be )?(?:support\w*|implemented)|\bunsupported\b|\byet\b|currently|supports? (?:at most|up to|only)|in this version/i;

/** Whether a check is a limit of the op's version: it says so, or bounds the number of dimensions. */
function isLimit({ words }: FailedCheck, asked: Requirement | undefined): boolean {
  return IN_VERSION.test(words) ||
    asked !== undefined &&
      leavesOf(asked).every((part) =>
        isBound(part) && termsOf(part).some((term) => term.kind === "operand" && term.aspect === "rank")
      );
}

/** The advice of a row; one of any op is told with what the op does with zeros. */
function adviceOf({ advice, ops }: Expertise, failure: FailedCheck): readonly string[] {
  const told = sentencesOn(advice, failure);
  return ops === undefined ? withPadding(told, failure) : told;
}

/** The general advice on a subject, with what the op does with its extents. */
function generalAdvice(advice: Sentences, failure: FailedCheck): readonly string[] {
  const told = sentencesOn(advice, failure);
  const padded = withPadding(told, failure);
  if (failure.subject !== "shapes") return padded;
  const used = usesOf(failure);
  return used.length > 0 ? used : told.filter((one) => padded.includes(one));
}

/** The remedy for an op that another one runs on what it makes of its own operands. */
const runsWithin = (op: string): string =>
  `on the operands of ${op}, from which it makes what the op within it gets; or a newer ttnn`;

/** Words of a limit that only tiles, or only rows, have; and of one of the other pages. */
const OF_PAGES =
  /\b(?:only (?!supported|works?|implemented|for|in|with)[^.]*?\b(?:supported|allowed|implemented)|not (?:\w+ )?(?:supported|allowed|implemented)) (?:in|for|with|on) (?:(tile|tiled|tilized)|row[ _-]?major)\b/i;

/** The remedy for a limit of tiles or of rows: the other pages. */
function otherPages(words: string): readonly string[] {
  const [limit, ofTiles] = OF_PAGES.exec(words) ?? [];
  return limit === undefined ? [] : [
    ofTiles === undefined
      ? "in tiles, which have no such limit here: to_layout TILE before the op"
      : "in rows, which have no such limit here: to_layout ROW_MAJOR before the op, and to_layout TILE behind it",
  ];
}

/** A sentence that tells what to do, behind the one that tells what is wrong. */
const TOLD_REMEDY = new RegExp(
  String
    .raw`(?:(?:[.!;] |^)(?:please|instead|consider|try|to (?:fix|avoid) (?:this|it)|you (?:can|should|may)),? (?:to )?|[.!;] )` +
    "((?:reduc|increas|decreas|lower|rais|us|set|enabl|disabl|pass|provid|specify|convert|mov|pad|split|shrink|choos|" +
    "reshap|remov|avoid|tiliz|untiliz|deallocat|rebuild|ensur|mak|fre|relocat)(?:e|ing|t)? " +
    String.raw`(?!.*\b(?:logs?|bug|issue|details|another one)\b).{6,200}?)(?=[.!;)](?: |$)|$)`,
  "gi",
);

/** Remedies that a message names by itself. */
function remediesTold(words: string): readonly string[] {
  return [...words.matchAll(TOLD_REMEDY)].slice(0, 2).map(([, told = ""]) => {
    const rest = /^[A-Z][a-z]/.test(told) ? told.charAt(0).toLowerCase() + told.slice(1) : told;
    return `as the message says: ${rest}`;
  });
}

/** Whether remedies name what one of a message names. */
function isSaid(told: string, remedies: readonly string[]): boolean {
  const [name] = /\b\w*[a-z][A-Z_]\w{8,}/.exec(told) ?? [];
  return name !== undefined && remedies.some((remedy) => remedy.includes(name));
}

/** A message without the marks at its end, and without a bracket or a backtick there that opens outside of it. */
function closed(words: string): string {
  const ends = `.!\\s${words.includes("{") ? "" : "}"}${words.split("\x60").length % 2 === 0 ? "\x60" : ""}`;
  return words.replace(new RegExp(`[${ends}]+$`), "");
}
