// SPDX-License-Identifier: Apache-2.0
import { type Expertise, opsInWords, pricing, TELLING, TILE, type Told, toldOn } from "./check_subject.ts";
import { ARGUMENTS, CHECK_SUBJECTS, OTHER_SUBJECT } from "./check_subjects.ts";
import { expertiseOn } from "./expertise.ts";
import type { ExplainedFailure } from "./explain_failure.ts";
import type { FailedCheck } from "./failed_check.ts";
import { deriveFrom } from "./requirements/derive.ts";
import { usesOf, withPadding } from "./requirements/op_use.ts";
import { isBound, leavesOf, type Requirement, termsOf } from "./requirements/requirement.ts";
import { isOf, type Remedy, remedy, textOf } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

const REFUSED = "The backend refuses an op";

/** The remedy to run `doctor` with the program as well. */
export function giveProgram(command: string): Remedy {
  return remedy`${asks.GIVE_PROGRAM}give the program as well: ${command}`;
}

const FIND_OP = giveProgram(
  "'tilewright doctor FILE --message TEXT' finds the op, and 'tilewright optimize FILE' plans it anew",
);

/** Subjects that know more of their numbers than that one has to be another, beside those of a limit or an event. */
const TOLD: ReadonlySet<string> = new Set(["capacity", "shard_count", "shard_spec", "architecture"]);

/** Whether a requirement is about tensors only; an assertion of other things means variables of the code. */
function isOfTensors(requirement: Requirement): boolean {
  return leavesOf(requirement).every((part) =>
    termsOf(part).some((term) =>
      term.kind === "operand" && term.aspect !== "value" && term.aspect !== "count"
    )
  );
}

/** Subjects outside of ops that ops' own conditions may be about. */
const OF_OPS_AS_WELL: ReadonlySet<string> = new Set(["mesh", "kernel_program"]);

/** A message of an op's own verifier, not of a trait that many ops have. */
const VERIFIED = /^'[\w.]+' op (?!\S+ #\d)/;

/**
 * Explains a failed check. Its own words come first, then the requirement and its remedies, derived from the condition or
 * the words. The general advice on its subject replaces them if no requirement is derived, and follows them for checks of a
 * compiler, of the host, and of shards (which may be the result's).
 */
export function explainFailedCheck(failure: FailedCheck): ExplainedFailure {
  const { condition, file, ops, words, within } = failure;
  const subject = CHECK_SUBJECTS.find(({ name }) => name === failure.subject) ?? OTHER_SUBJECT;
  const known = expertiseOn(failure);
  const causes = known.flatMap(({ because }) => toldOn(because, failure).map(textOf));
  // Rows that speak in place of the subject leave nothing of it; others come first.
  const isTold = known.some(({ instead, because }) => instead ?? because !== undefined);
  const isOfHost = subject.maker !== "ops";
  const isCrash = subject.name === "crash";
  const isOfOp = !isOfHost || isCrash || subject.name === "verifier" && VERIFIED.test(words) ||
    OF_OPS_AS_WELL.has(subject.name) && condition !== undefined && ops !== undefined;
  const derived = isTold || TOLD.has(subject.name) || subject.weight === TELLING
    ? undefined
    : deriveFrom(failure);
  const asked = isCrash && derived !== undefined && !isOfTensors(derived.requirement) ? undefined : derived;
  const changes = asked?.remedies ?? [];
  const saysMore = isOfHost || subject.name === "shard_extent";
  const expert = known.flatMap((row) => adviceOf(row, failure));
  const helping = [
    expert,
    remediesTold(words).filter((told) => !isSaid(told, expert)),
    otherPages(words),
    isOfOp ? changes : [],
    isTold || changes.length > 0 && !saysMore ? [] : generalAdvice(subject.advice, failure),
    within === undefined ? [] : runsWithin(within),
  ].flat();
  const isByRule = isOfOp && changes.length > 0 && asked?.isNumbered === true ||
    helping.some((one) => namesAny(textOf(one), failure.numbers));
  return {
    failure,
    isByRule,
    title: known.find(({ title }) => title !== undefined)?.title ??
      (subject === ARGUMENTS && asked === undefined ? REFUSED : subject.title ?? REFUSED),
    meaning: [
      `The message says${file === undefined ? "" : ` (${file})`}: ${closed(words)}`,
      condition === undefined || words.includes(condition) ? [] : `It requires ${condition}`,
      causes,
      // What people say is quoted: put into words is what code asks, and what has the numbers of the message.
      asked === undefined || HALF_READ.test(asked.rule) ||
        !asked.isNumbered && (!asked.isCode || condition !== undefined && condition !== words)
        ? []
        : `${opsInWords(failure, isOfHost ? "It" : "The op")} asks: ${asked.rule}`,
      asked !== undefined && !saysMore || isTold && causes.length > 0
        ? []
        : toldOn(subject.because, failure).map(textOf),
    ].flat(),
    advice: [
      helping,
      isOfOp && isLimit(failure, asked?.requirement) && !helping.some((one) => isOf(one, asks.NEWER))
        ? LIFTED
        : [],
      isOfHost ? [] : [...pricing(failure), FIND_OP],
    ].flat(),
  };
}

/** Whether a remedy names a number of the message, other than the side of a tile, or what stands there instead. */
function namesAny(remedy: string, numbers: readonly number[]): boolean {
  if (/\binstead of \d/.test(remedy)) return true;
  const named = new Set((remedy.match(/\d+/g) ?? []).map(Number));
  return numbers.some((number) => number !== TILE && named.has(number));
}

/** A rule with a name that breaks off. */
const HALF_READ = /\bof(?: \(here|,|$)/;

/** The remedy for what an op takes in its version only. */
const LIFTED = remedy`${asks.NEWER}or a newer ttnn, which may have lifted this limit`;

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
function adviceOf({ advice, ops }: Expertise, failure: FailedCheck): readonly Remedy[] {
  const told = toldOn(advice, failure);
  return ops === undefined ? withPadding(told, failure) : told;
}

/** The general advice on a subject, with what the op does with its extents. */
function generalAdvice(advice: Told, failure: FailedCheck): readonly Remedy[] {
  const told = toldOn(advice, failure);
  const padded = withPadding(told, failure);
  if (failure.subject !== "shapes") return padded;
  const used = usesOf(failure);
  return used.length > 0 ? used : told.filter((one) => padded.includes(one));
}

/** The remedy for an op that another one runs on what it makes of its own operands. */
const runsWithin = (op: string): Remedy =>
  remedy`on the operands of ${op}, from which it makes what the op within it gets${asks.NEWER}; or a newer ttnn`;

/** Words of a limit that only tiles, or only rows, have; and of one of the other pages. */
const OF_PAGES =
  /\b(?:only (?!supported|works?|implemented|for|in|with)[^.]*?\b(?:supported|allowed|implemented)|not (?:\w+ )?(?:supported|allowed|implemented)) (?:in|for|with|on) (?:(tile|tiled|tilized)|row[ _-]?major)\b/i;

/** The remedy for a limit of tiles or of rows: the other pages. */
function otherPages(words: string): readonly Remedy[] {
  const [limit, ofTiles] = OF_PAGES.exec(words) ?? [];
  return limit === undefined ? [] : [
    ofTiles === undefined
      ? remedy`${asks.TILES}in tiles, which have no such limit here: to_layout TILE before the op`
      : remedy`${asks.ROWS}in rows, which have no such limit here: to_layout ROW_MAJOR before the op, and to_layout TILE behind it`,
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
function isSaid(told: string, remedies: readonly Remedy[]): boolean {
  const [name] = /\b\w*[a-z][A-Z_]\w{8,}/.exec(told) ?? [];
  return name !== undefined && remedies.some((one) => textOf(one).includes(name));
}

/** A message without the marks at its end, and without a bracket or a backtick there that opens outside of it. */
function closed(words: string): string {
  const ends = `.!\\s${words.includes("{") ? "" : "}"}${words.split("\x60").length % 2 === 0 ? "\x60" : ""}`;
  return words.replace(new RegExp(`[${ends}]+$`), "");
}
