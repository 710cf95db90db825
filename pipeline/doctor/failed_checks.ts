// SPDX-License-Identifier: Apache-2.0
import { isShared, MOST_OPS, opsOfFile, opsOfKernel, opsOfWords } from "./check_place.ts";
import type { CheckWords } from "./check_subject.ts";
import { OTHER_SUBJECT } from "./check_subjects.ts";
import { opsMentioned } from "./op_mentions.ts";
import { type FailedOp, failedOp, RECORD_END } from "./failed_op.ts";
import { REFUSED_CALL, refusedCallIn } from "./python_call.ts";
import { type Check, isOfOps, isWide, subjectOf, subjectOfFile } from "./subject_of.ts";

/** A failed check of backend, op model or compiler, or an error of host or device. */
export interface FailedCheck extends CheckWords, Omit<FailedOp, "ops"> {
  readonly kind: "failed_check";
  /** Name of its subject in `CHECK_SUBJECTS`, or `other`. */
  readonly subject: string;
  /** Its source file, without folder and extension; `undefined` if not told. */
  readonly file: string | undefined;
}

/** What ends a message: the next record, a backtrace, another error, the end of the log. */
const NEXT = [
  ` ?${RECORD_END}`,
  String.raw` ?\(assert\.hpp:\d+\)`,
  " backtrace:",
  // The end of an exception's description in GoogleTest.
  '" thrown in ',
  " --- ",
  String.raw` (?:E )?(?:RuntimeError|Traceback|FAILED )`,
  String.raw` TT_(?:FATAL|THROW|ASSERT)\b`,
  String.raw` (?:DEBUG|LOG)_ASSERT\b`,
  String.raw` \)\. No fallback `,
  String.raw`(?<!\b(?:Internal|info:)) (?:loc\(|error: )`,
  " note: ",
  // The line of the program that mlir-opt prints below an error.
  String.raw` (?:func\.func (?:public |private )?@|%[\w#]+(?::\d+)? = "?[a-z]\w*\.)`,
  String.raw` Aborted \(core`,
  // The end of a fence, or the next heading of an issue.
  " \x60{3}",
  String.raw` \*\*[A-Z]`,
  "$",
].join("|");

/** Most characters of a message, and of a `TT_FATAL` with its condition. */
const [MOST, MOST_OF_CHECK] = [400, 1_200];

/** Beginnings of failures without `TT_FATAL` or the like. */
const STARTS = [
  String.raw`Physical shard shape \(\d+, \d+\) must be tile`,
  "Number of shards along",
  String.raw`Shard (?:width|height) \(?\d+\)? must`,
  "(?:DRAM |L1 )?Auto.?slice could not find",
  "Creating trace buffers? of size",
  String.raw`Program size \(\d+\) too large`,
  String.raw`\d+ unique\+common runtime args`,
  "Unable to initialize semaphore",
  String.raw`Operation (?:[\w.]+ )?(?:failed validation|validation failed)`,
  "Check failed: ",
  String.raw`line \d+: \d+ Killed\b`,
  "Fatal Python error: ",
  "Segmentation fault",
  String.raw`\b[A-Z][\w :,'()-]{7,120}!? UNREACHABLE executed at `,
  "PLEASE submit a bug report",
  String.raw`AssertionError(?![\w:])`,
  "TIMEOUT: device timeout",
  String.raw`Timeout \(\d+ ms\) waiting for physical cores`,
  String.raw`tenstorrent [\da-f]{4}:[\da-f]{2}:[\da-f.]+: `,
  String.raw`(?:On core \(x=|Device \d+ ).{0,60} using noc\d tried to `,
  "(?:Memory config|Layout|Data type) mismatch, expected",
  "Mismatch between computed MemoryConfig",
  "failed to legalize (?:unresolved materialization|operation)",
  String.raw`'(?:ttnn|ttir|ttcore|stablehlo)\.[\w.]+' op `,
];

const UNMARKED = new RegExp(`(?:${STARTS.join("|")})(?:.{0,240}?(?=${NEXT})|.{240})`, "gi");

/** Prefixes of an error message: `RuntimeError: `, `ERROR - `, `what(): `. */
const ERRORS = [
  String.raw`\b(?:[A-Z]\w*)?(?:Error|Exception)\b(?: @ \S+)?: `,
  String.raw`\b(?:[a-z]\w*\.)+[A-Z]\w*: `,
  String.raw`\bE? Failed: `,
  String.raw`\bwhat\(\): `,
  String.raw`\b(?:critical|error|FATAL) *\|(?: *\w+ *\|)? *`,
  "(?<![^ (]|Internal |Logic )(?:error|ERROR): ",
  "ERROR - ",
  String.raw`\bAssertion (?=[\x60'"])`,
  String.raw`\bSignal: `,
].join("|");

/** The prefix of a Python exception: `torch.OutOfMemoryError: `. */
const EXCEPTION = /^(?:\w+\.)*[A-Z]\w*(?: @ \S+)?: /;

/** Words by which an exception counts as one of ttnn. */
const OURS =
  /ttnn|ShapeBase|\bTILE_|\bchannels\b|\binput_tensor|\brank\b|reshape|broadcast|\btil(?:e|es|ed|ized?)\b|shard|\bDRAM\b|\bL1\b|layout|memory config|(?<![/\w])cores?(?![/\w])|circular buffer/i;

const CALLED_ERROR = new RegExp(`(?:${ERRORS})+(.{1,${MOST}}?)(?=${NEXT})`, "g");

/** Most characters of a text read as one message if nothing is marked as an error. */
const BARE = 1_000;

/** tt-mlir's validation finds no fallback for an op; group 2 has the backend's errors. */
const NO_FALLBACK =
  /OperationValidationAndFallback: Operation (?:([\w.]+) )?failed validation\b(.{0,4000}?)\W*\b[Nn]o fallback configuration worked(?: \(tested[^)]*\))?/g;

/** `TT_FATAL @ …/FILE.cpp:12: CONDITION info: WORDS` */
const MARKED = new RegExp(
  `(?:TT_(?:FATAL|THROW|ASSERT)|(?:DEBUG|LOG)_ASSERT)(?: @)?:? (?:(\\S+\\.[ch]pp)(?::\\d+)?: )?((?:.{1,${MOST_OF_CHECK}}?(?=${NEXT}))|.{${MOST_OF_CHECK}})`,
  "g",
);

/** The same in running text, which leaves the mark away: `…/matmul_op.cpp:775: CONDITION`, with or without `info:`. */
const UNMARKED_PATH = new RegExp(
  `(?<![@\\w./-] ?)(?:TT_\\w+ )?(\\S*(?:ttnn|tt_metal|tt_eager)/\\S+\\.[ch]pp):\\d+: (?=[^:]{0,300}(?:[=!<>]=|[<>%]|has_value|is_\\w+|\\w\\() ?)(.{1,${MOST_OF_CHECK}}?)(?=${NEXT})`,
  "g",
);

/** A frame of a traceback of Python's, or of pytest's. */
const FRAME = /File "([^"]+\.py)", line |(?<= )(\S+\.py):\d+: /g;

/** A check shortened by `confirm` or a recorded answer: `FILE.cpp: CONDITION | WORDS`. */
const SHORTENED = /\b(\w+\.[ch]pp): ((?:[^|]|\|\|){1,400} \| .{1,400}?)(?= \w+\.[ch]pp: |$)/g;

/** What is said of an op before it cannot be legalized. */
const CAUSE = /(loc\([^)]{1,200}\): error: )(?!failed to)(.{4,200}?) \1$/;

/** Characters in front of an assertion or exception that are searched for what it is about. */
const FRONT = 700;

/** What an assertion of tt-mlir's runtime, or an exception of tt-metal, is about: the record in front of it. */
const SAID_BEFORE = /FATAL \| ([^|\u241E]{8,300}?)[\s\u241E]*(?:Traceback [^\u241E]*)?(?:\w+Error: )?$/;
const LOGGED_BEFORE =
  /TT_(?:FATAL|THROW): ([^\u241E]{8,300}?) \(assert\.hpp:\d+\)(?:(?!TT_|backtrace).){0,160}$/;

/** A check as its source spells it, with or without its place: `FILE.cpp:50 TT_FATAL(CONDITION, "WORDS", …)`. */
const QUOTED =
  /(?:(\S+\.[ch]pp):\d+:? )?\bTT_(?:FATAL|THROW|ASSERT)\( ?(?:([^"]{1,300}?), ?)?"([^"]{4,300})"/g;

/** An assertion of Python as its source spells it: `assert CONDITION, "WORDS"`. */
const ASSERTED = /()\bassert ([^"]{3,200}), f?"([^"]{8,300})"/g;

/** A failed check and its place in the log. */
export interface FoundCheck {
  readonly at: number;
  readonly end: number;
  readonly failure: FailedCheck;
}

/** Finds failed checks in a log whose white space is single blanks, with {@linkcode RECORD_END} between records. */
export function findFailedChecks(flat: string): readonly FoundCheck[] {
  const found: FoundCheck[] = [];
  const quoted: { readonly at: number; readonly end: number }[] = [];
  // Values and summaries that tests print cut a message within its path; it stands elsewhere in full.
  const cut: FoundCheck[] = [];
  const isInside = (at: number): boolean =>
    [...found, ...cut].some((other) => at >= other.at && at < other.end);
  for (const { index, 0: whole, 1: op = "an op", 2: middle = "" } of flat.matchAll(NO_FALLBACK)) {
    const tested = /\(tested[^)]*\)$/.exec(whole)?.[0];
    const words = ["no fallback configuration worked for", op, ...(tested === undefined ? [] : [tested])];
    // What stands in its middle is another failure, found below where the backend marks it.
    quoted.push({ at: index, end: index + whole.length });
    found.push(
      checkOf(
        index,
        whole.slice(0, NO_FALLBACK_NAME),
        wordsOnly(words.join(" ")),
        failedOp(flat, index, index + whole.length),
      ),
    );
    const original = /original error: (.+?)\)?[.\s]*$/.exec(middle);
    if (original?.[1] === undefined || /TT_(?:FATAL|THROW|ASSERT)/.test(middle)) continue;
    // tt-mlir's name of a refusal is no exception of Python's.
    const said = wordsOnly(original[1].replace(/^[A-Z]\w+ - /, ""));
    const told = checkOf(index + whole.indexOf(original[0]), original[0], said, { ops: [op] });
    if (isKnown(told)) found.push(told);
  }
  for (const { index, 0: whole } of flat.matchAll(REFUSED_CALL)) {
    const call = refusedCallIn(`${flat.slice(Math.max(0, index - FRAMES), index)} ${whole}`);
    if (call === undefined) continue;
    found.push(
      checkOf(index, whole, wordsOnly(call.words), {
        ...failedOp(flat, index, index + whole.length),
        ...(call.name.startsWith("ttnn.") ? { ops: [call.name] } : {}),
      }),
    );
  }
  for (const match of [MARKED, SHORTENED, UNMARKED_PATH].flatMap((form) => [...flat.matchAll(form)])) {
    const [whole, file, said = ""] = match;
    if (isInside(match.index)) continue;
    // The condition is code; the text after `info:` is for people, unless it says nothing.
    const info = /(?:\binfo: | \| |^tt::exception (?:E )?(?!info:|backtrace:|\|))(.+)$/.exec(said)?.[1]
      ?.trim();
    // tt-mlir's runtime says in a line before what its assertion is about, as tt-metal's logger does of an exception
    // whose `info:` is left out.
    const isCut = file === undefined && /^\S*\//.test(said);
    const front = whole.startsWith("LOG_") || isCut
      ? SAID_BEFORE
      : file === undefined
      ? undefined
      : LOGGED_BEFORE;
    const before = info === undefined
      ? front?.exec(flat.slice(Math.max(0, match.index - FRONT), match.index))?.[1]
      : undefined;
    const code = said.replace(/(?: info: | \| |(?<=^tt::exception) ).*$/, "")
      .replace(before === undefined ? "" : ` ${before}`, "").replace(/^([^{]*)\}$/, "$1").trim();
    const words = (info === undefined ? before ?? said.trim() : NO_WORDS.test(info) ? code : info).replace(
      /^Error[:,] /,
      "",
    );
    const condition = file === undefined || NO_CONDITION.test(code) ? undefined : code;
    const check = checkOf(
      match.index,
      whole,
      { words, condition, file },
      failedOp(flat, match.index, match.index + whole.length),
    );
    (isCut && before === undefined ? cut : found).push(check);
  }
  for (
    const { index, 0: whole, 1: file, 2: condition, 3: words = "" } of [
      ...flat.matchAll(QUOTED),
      ...flat.matchAll(ASSERTED),
    ]
  ) {
    if (!isInside(index)) {
      found.push(checkOf(index, whole, { words, condition, file: file === "" ? undefined : file }));
    }
  }
  if (found.length === 0) found.push(...cut.splice(0));
  for (const { index, 0: whole } of flat.matchAll(UNMARKED)) {
    if (isInside(index)) continue;
    // An error at the same op that stands before says why.
    const why = /^failed to legalize/.test(whole) ? CAUSE.exec(flat.slice(0, index))?.[2] : undefined;
    const words = [...why === undefined ? [] : [why], whole.trim()].join("; ");
    const told = checkOf(index, whole, wordsOnly(words), failedOp(flat, index, index + whole.length));
    found.push(told.failure.subject === "python_error" ? exceptionOf(flat, index, whole) : told);
  }
  const errors = [...flat.matchAll(CALLED_ERROR)].flatMap(({ index, 0: whole, 1: words = "" }) => {
    const at = index + whole.length - words.length;
    // A place alone is no message.
    if (/^(?:loc\([^ ]*\):?|\W*)$/.test(words.trim())) return [];
    const isMarked = /\bTT_(?:FATAL|THROW|ASSERT)\b|OperationValidationAndFallback/.test(words);
    const isQuoted = quoted.some((other) => index >= other.at && index < other.end);
    // A wrapper's words that end where the check begins.
    const isIntroduction = flat.startsWith(" TT_", index + whole.length);
    if (isMarked || isQuoted || isIntroduction || isInside(at) || isInside(index)) return [];
    const told = checkOf(index, whole, wordsOnly(words.trim()), failedOp(flat, index, index + whole.length));
    // What the words do not say, or may say by chance, the kind of the error says.
    const isPlaced = /^error: /.test(whole) && (index === 0 || /[\d)>]: $/.test(flat.slice(0, index)));
    const isForeign = isPlaced || !OURS.test(words) && (/^error: /.test(whole) || EXCEPTION.test(whole));
    if (isKnown(told) && !(isForeign && isWide(told.failure.subject))) return [told];
    // `aborting wait due to watcher error: …`: what stands before tells more.
    const sentence = isPlaced || whole.charAt(0) !== "e"
      ? undefined
      : SENTENCE.exec(flat.slice(0, index))?.[0];
    const said = sentence === undefined
      ? undefined
      : checkOf(index, whole, wordsOnly(`${sentence}${whole}`.trim()));
    if (said !== undefined && isKnown(said) && !isWide(said.failure.subject)) return [said];
    return [exceptionOf(flat, index, whole)];
  });
  // What only wide patterns know counts where nothing else is found.
  found.push(...errors.filter((error) => isKnown(error) && !isWide(error.failure.subject)));
  // Of an exception without known words, what stands before it may tell more.
  const [error] = errors;
  if (found.length === 0 && error?.failure.subject === "python_error" && flat.length <= BARE) {
    // A test's name and parameters say nothing of what failed.
    const said = flat.slice(0, error.at).replace(/\bFAILED \S+(?: -)?/g, "").trim();
    const before = checkOf(0, flat.slice(0, error.at), wordsOnly(said));
    if (isKnown(before) && !isWide(before.failure.subject)) found.push(before);
  }
  if (found.length === 0) found.push(...(errors.some(isKnown) ? errors.filter(isKnown) : errors).slice(0, 1));
  if (found.length === 0) found.push(...warningsIn(flat), ...conditionsIn(flat));
  if (found.length === 0 && flat.length <= BARE) {
    // What stands in backticks is the message, and the text around it is about it.
    const quoted = flat.split(RECORD_END).filter((_, index) => index % 2 === 1).map((part) => {
      const at = flat.indexOf(part);
      return checkOf(at, part, wordsOnly(part.trim()), failedOp(flat, at, at + part.length));
    });
    const whole = checkOf(0, flat, wordsOnly(flat.replaceAll(RECORD_END, "").trim()));
    const bare = [...quoted, whole].find(isKnown);
    if (bare !== undefined) found.push({ ...bare, at: 0, end: flat.length });
  }
  return withoutEchoes(found.sort((a, b) => a.at - b.at));
}

/** A record of a logger that only warns. */
const WARNING = /(?:\bwarning *\| *\w+|\b\w+ *\| *WARNING) *\| *([^\u241E]+?) *(?=\u241E|$)/g;

/** Words that say that something failed. */
const FAILS = /\b(?:fail\w*|errors?|unable|timed? ?out|assert\w*|fatal)\b/i;

/** Most warnings that are told. */
const MOST_WARNINGS = 3;

/** What a log without a failure warns of. */
function warningsIn(flat: string): readonly FoundCheck[] {
  return [...flat.matchAll(WARNING)].slice(0, MOST_WARNINGS).map(({ index, 0: whole, 1: said = "" }) => {
    const { failure, ...place } = checkOf(index, whole, wordsOnly(said));
    const subject = FAILS.test(said) ? failure.subject : "warning";
    return { ...place, failure: { ...failure, subject } };
  });
}

/** A condition of C++ in a text: `Mt % per_core_M == 0` between backticks. */
const QUOTED_CONDITION = /\x60([^\x60]*(?:[=!<>]=|%)[^\x60]*)\x60/g;

/** Conditions that a text quotes without the check around them. */
function conditionsIn(flat: string): readonly FoundCheck[] {
  if (!FAILS.test(flat)) return [];
  return [...flat.matchAll(QUOTED_CONDITION)].map(({ index, 0: whole, 1: code = "" }) =>
    checkOf(index, whole, { words: code, condition: code, file: undefined }, {
      ops: opsOfWords(flat.slice(0, index), false),
      isGuess: true,
    })
  ).filter(isKnown);
}

/** Characters searched before an exception for the last frame of its traceback. */
const FRAMES = 1_500;

/** An exception without known words, with the file of the traceback's last frame. */
function exceptionOf(flat: string, at: number, whole: string): FoundCheck {
  const file = [...flat.slice(Math.max(0, at - FRAMES), at).matchAll(FRAME)].at(-1)?.slice(1).join("") ?? "";
  const words = whole.trim();
  return checkOf(
    at,
    whole,
    subjectOfFile(file) === undefined ? wordsOnly(words) : { words, condition: undefined, file },
  );
}

function isKnown({ failure }: FoundCheck): boolean {
  return failure.subject !== OTHER_SUBJECT.name;
}

/** Characters of the beginning of {@linkcode NO_FALLBACK}. */
const NO_FALLBACK_NAME = "OperationValidationAndFallback: Operation ".length;

/** Ops that run no other. */
const CONVERSIONS = /\.(?:(?:to|from)_\w+|open_device|deallocate|synchronize_device)$/;

/** Messages, and conditions, without information. */
const NO_WORDS = /^Error\b.?$/;
const NO_CONDITION = /^(?:tt::exception|false|true|)$/;

/**
 * Drops duplicates: a logger prints a failure and the exception repeats it. Of two neighbours, keeps the one with a
 * source file, else the longer message.
 */
function withoutEchoes(found: readonly FoundCheck[]): readonly FoundCheck[] {
  const placed = new Set(found.flatMap(({ failure }) => failure.file === undefined ? [] : [failure.words]));
  return found.filter((check, index) => {
    if (check.failure.file === undefined && placed.has(check.failure.words)) return false;
    const others = [found[index - 1], found[index + 1]];
    return !others.some((other, side) => other !== undefined && isEchoOf(check, other, side === 0));
  });
}

function isEchoOf(
  { failure }: FoundCheck,
  { failure: other }: FoundCheck,
  isLater: boolean,
): boolean {
  if (failure.words === other.words) {
    return failure.file === other.file ? isLater : failure.file === undefined;
  }
  if (failure.file === undefined && NO_WORDS.test(failure.words)) return true;
  if (failure.subject !== other.subject) return false;
  // A bare condition behind words about the same says nothing more.
  return other.words.includes(failure.words) ||
    isLater && failure.numbers.length === 0 && /[=!<>]=/.test(failure.words);
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

function checkOf(at: number, whole: string, told: Check, place: FailedOp = {}): FoundCheck {
  const check = {
    ...told,
    words: told.words.replaceAll(RECORD_END, " ").replace(/\s+/g, " ").replace(/^\s*\x60{3}/, "").trim(),
  };
  const { words, condition, file } = check;
  const { name: subject, ops: only } = subjectOf(check);
  const { ops: ran, isGuess, ...where } = place;
  const caller = file === undefined || !isShared(file) || isGuess === true ? undefined : ran;
  const isOutside = file?.includes("/") === true && !file.includes("/operations/");
  // Of a name alone, without what ran: whichever op has the copy, padding or conversion within it.
  const isAnyones = file !== undefined && isShared(file) && !file.includes("/");
  const guessed = isOutside || isAnyones ? undefined : opsMentioned(words);
  const placed = file === undefined || isAnyones ? undefined : opsOfFile(file);
  // Of the file of a family the words may name the op: `pow: integers to negative powers …`.
  const narrower = placed === undefined || placed.length <= MOST_OPS ? undefined : opsOfWords(words, false);
  const named = caller ?? (narrower === undefined || narrower.length > MOST_OPS ? placed : narrower) ??
    (isOutside || isAnyones ? undefined : opsOfWords(words, file === undefined && isOfOps(subject))) ??
    opsOfKernel(words) ?? ran ?? guessed;
  // What another op runs within its own: the one that Python called, or, of what many run, that running text names.
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
      ops: ops ?? only,
      numbers,
      ...where,
      ...within,
      ...(named !== undefined && (isGuess === true && named === ran || named === guessed)
        ? { isGuess: true }
        : {}),
    },
  };
}

/** Beginning of a text's last sentence. */
const SENTENCE = /[^.:;\u241E]{0,100}(?:: [^.:;\u241E]{0,100})?$/;

/** A C++ condition, not a sentence: names, operators and brackets only, no two names side by side. */
const CODE =
  /^(?=.*(?:[=!<>]=|[%<>]|&&|\|\|))(?=.*(?:\(\)|->|::|\[\w+\]))(?!.*[A-Za-z] [A-Za-z])[\w\s.:()[\]&|!<>=%+*/,-]+$/;

/** A message without file; also its condition if it is C++. */
function wordsOnly(words: string): Check {
  return { words, condition: CODE.test(words) ? words : undefined, file: undefined };
}
