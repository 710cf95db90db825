// SPDX-License-Identifier: Apache-2.0
import { opsOfBacktrace, opsOfWords } from "./check_place.ts";
import { checkOf, conditionAndWords, type FoundCheck, isKnown, wordsOnly } from "./failed_check.ts";
import { failedOp, RECORD_END, VALIDATION } from "./failed_op.ts";
import { REFUSED_CALL, refusedCallIn } from "./python_call.ts";
import { type Check, isWide, subjectOfFile } from "./subject_of.ts";

/** Ends of a message: the next record, a backtrace, another error, the end of the log. */
const NEXT = [
  ` ?${RECORD_END}`,
  String.raw` ?\(assert\.hpp:\d+\)`,
  " backtrace:",
  // A program.
  String.raw` (?:[A-Z]{4} Module )?module @`,
  // The end of an exception's description in GoogleTest.
  '" thrown in ',
  " --- ",
  String.raw` (?:E )?(?:(?:Runtime|Value|Type|Assertion)Error|Traceback|FAILED )`,
  String.raw` TT_(?:FATAL|THROW|ASSERT)\b`,
  String.raw` (?:DEBUG|LOG)_(?:ASSERT|FATAL)\b`,
  String.raw` ?\)?\. No fallback `,
  String.raw`(?<!\b(?:Internal|info:|watcher)) (?:loc\(|error: )`,
  " note: ",
  // The line of the program that mlir-opt prints below an error.
  String.raw` (?:func\.func (?:public |private )?@|%[\w#]+(?::\d+)? = "?[a-z]\w*\.)`,
  String.raw` Aborted \(core`,
  " PLEASE submit a bug report",
  " Stack dump:",
  // A frame of a traceback, and the time of the next record.
  String.raw` (?:File "[^"]+", line \d|\S+\.py:\d+: |\d{4}-\d\d-\d\d[ T]\W?)`,
  // The line of a test that fails.
  String.raw` (?:\w+ = |return )ttnn\.\w+\(`,
  // A record of tt-xla's logger.
  String.raw` \S+\.cc:\d+ +(?:ERR|WARN|\d)\|`,
  String.raw` (?:ERR|WRN)\| `,
  // What tt-mlir says of it behind an arrow.
  String.raw` ->? ?Failed to run \w`,
  // The next item of a list to tick, the end of a fence, or the next heading of an issue.
  String.raw`(?:\*\*[^*]{0,80})? - \[[ x]\] `,
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
  String.raw`\b(?:trisc|brisc|ncrisc|erisc)\d? (?:build|link) failed`,
  String.raw`AssertionError(?![\w:])`,
  "TIMEOUT: device timeout",
  String.raw`Timeout \(\d+ ms\) waiting for physical cores`,
  String.raw`tenstorrent [\da-f]{4}:[\da-f]{2}:[\da-f.]+: `,
  String.raw`(?:On core \(x=|Device \d+ ).{0,60} using noc\d tried to `,
  String.raw`(?:Memory config|Layout|Data type) mismatch, expected(?: MemoryConfig\(.{0,600}?\), got)?`,
  String.raw`Mismatch between computed MemoryConfig(?:\(.{0,600}?\) and provided)?`,
  "failed to legalize (?:unresolved materialization|operation)",
  String.raw`'(?:ttnn|ttir|ttcore|stablehlo)\.[\w.]+' op `,
];

const UNMARKED = beginning(STARTS.join("|"));

/** What LLVM prints of a crash, behind the assertion that failed if one did, up to the program that crashed. */
const CRASHED = new RegExp(
  `PLEASE submit a bug report(?:.{0,240}?(?: Stack dump: 0\\. Program arguments:(?: \\S+){1,4}|(?=${NEXT}))|.{240})`,
  "gi",
);

/** Messages that begin so. */
function beginning(start: string): RegExp {
  return new RegExp(`(?:${start})(?:.{0,240}?(?=${NEXT})|.{240})`, "gi");
}

/** Prefixes of an error message: `RuntimeError: `, `ERROR - `, `what(): `. */
const ERRORS = [
  String.raw`\b(?:[A-Z]\w*)?(?:Error|Exception)\b(?: @ \S+)?: `,
  String.raw`\b(?:[a-z]\w*\.)+[A-Z]\w*: `,
  String.raw`\bE? Failed: `,
  String.raw` - (?=assert )(?<=\bFAILED \S{1,300}::\w+(?:\[.{0,300}\])? - )`,
  String.raw`\b[Ee]rror message: (?!\W*[A-Z]\w+Error\b)`,
  String.raw`\bwhat\(\): `,
  String.raw`\b(?:critical|error|FATAL) *\|(?: *\w+ *\|)? *`,
  "(?<![^ (]|Internal |Logic )(?:error|ERROR): ",
  "ERROR - ",
  // The function of a compiler says where it is.
  String.raw`\S+\.(?:[ch]pp|h|inc):\d+: (?=[^\u241E]{0,200}?\b(?:mlir|llvm)::[^\u241E]{0,300}?: Assertion )`,
  String.raw`(?:\S+\.(?:[ch]pp|h|inc):\d+: [^\u241E]{0,300}?: )?\bAssertion (?=[\x60'"])`,
  String.raw`\bSignal: `,
].join("|");

/** The prefix of a Python exception: `torch.OutOfMemoryError: `. */
const EXCEPTION = /^(?:\w+\.)*[A-Z]\w*(?: @ \S+)?: /;

/** Words by which an exception counts as one of ttnn. */
const OURS =
  /ttnn|ShapeBase|\bTILE_|\bchannels\b|\binput_tensor|\b(?:first|second) tensor\b|\brank\b|reshape|broadcast|\btil(?:e|es|ed|ized?)\b|shard|\bDRAM\b|\bL1\b|layout|memory config|(?<![/\w])cores?(?![/\w])|circular buffer/i;

const CALLED_ERROR = new RegExp(`(?:${ERRORS})+(.{1,${MOST}}?)(?=${NEXT})`, "g");

/** Most characters of a text read as one message if nothing is marked as an error. */
const BARE = 1_000;

/** Messages about room, which are read with their numbers. */
const FULL_OR_CLASH = /Not enough space to allocate|buffers? (?:in program|on core range)/;

/**
 * tt-mlir's validation finds no layout in which the backend takes an op; group 2 quotes the backend's refusal. A log may
 * break off in it.
 */
const NO_FALLBACK = new RegExp(
  `(?:${VALIDATION}|\\bOperation(?= ttnn\\.)) (?:([\\w.]+) )?failed validation\\b(.{0,4000}?)` +
    String.raw`(?:\W*\b[Nn]o fallback configuration worked(?: \(tested[^)]*\))?| Operation IR:|$)`,
  "g",
);

/** `TT_FATAL @ …/FILE.cpp:12: CONDITION info: WORDS` */
const MARKED = new RegExp(
  `(?:TT_(?:FATAL|THROW|ASSERT)|(?:DEBUG|LOG)_(?:ASSERT|FATAL))(?: @)?:? (?:(\\S+\\.[ch]pp)(?::\\d+)?: )?((?:.{1,${MOST_OF_CHECK}}?(?=${NEXT}))|.{${MOST_OF_CHECK}})`,
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

/** The error at an op that precedes `failed to legalize` at the same location; group 2 is its text. */
const CAUSE = /(loc\([^)]{1,200}\): error: )(?!failed to)(.{4,200}?) \1$/;

/** Characters before an assertion or exception that are searched for its message. */
const FRONT = 700;

/** The message of an assertion of tt-mlir's runtime, and of an exception of tt-metal: the record before it. */
const SAID_BEFORE = /FATAL \| ([^|\u241E]{8,300}?)[\s\u241E]*(?:Traceback [^\u241E]*)?(?:\w+Error: )?$/;
const LOGGED_BEFORE =
  /TT_(?:FATAL|THROW): ([^\u241E]{8,300}?) \(assert\.hpp:\d+\)(?:(?!TT_|backtrace).){0,160}$/;

/** A check as its source spells it, with or without its place: `FILE.cpp:50 TT_FATAL(CONDITION, "WORDS", …)`. */
const QUOTED =
  /(?:(\S+\.[ch]pp):\d+:? )?\bTT_(?:FATAL|THROW|ASSERT)\( ?(?:([^"]{1,300}?), ?)?"([^"]{4,300})"/g;

/** An assertion of Python as its source spells it: `assert CONDITION, "WORDS"`. */
const ASSERTED = /()\bassert ([^"]{3,200}), f?"([^"]{8,300})"/g;

/** Finds failed checks in a log whose white space is single blanks, with {@linkcode RECORD_END} between records. */
export function findFailedChecks(flat: string): readonly FoundCheck[] {
  const fallbacks = [...flat.matchAll(NO_FALLBACK)];
  const found = [...fallbacks.flatMap((match) => fallbackChecks(flat, match)), ...refusedCalls(flat)];
  // Values and summaries that tests print cut a message within its path; it stands elsewhere in full.
  const cut: FoundCheck[] = [];
  const isInside = (at: number): boolean =>
    [...found, ...cut].some((other) => at >= other.at && at < other.end);
  const isQuoted = (at: number): boolean =>
    fallbacks.some((other) => at >= other.index && at < other.index + other[0].length);
  for (const match of [MARKED, SHORTENED, UNMARKED_PATH].flatMap((form) => [...flat.matchAll(form)])) {
    if (isInside(match.index)) continue;
    const { check, isCut } = markedCheck(flat, match);
    (isCut ? cut : found).push(check);
  }
  // Checks and assertions as their source spells them.
  for (const match of [QUOTED, ASSERTED].flatMap((form) => [...flat.matchAll(form)])) {
    const { index, 0: whole, 1: file, 2: condition, 3: words = "" } = match;
    if (isInside(index)) continue;
    found.push(checkOf(index, whole, { words, condition, file: file === "" ? undefined : file }));
  }
  if (found.length === 0) found.push(...cut.splice(0));
  for (const match of flat.matchAll(UNMARKED)) {
    if (!isInside(match.index) && !isQuoted(match.index)) found.push(unmarkedCheck(flat, match));
  }
  const errors = [...flat.matchAll(CALLED_ERROR)].flatMap((match) => {
    const { index, 0: whole, 1: words = "" } = match;
    const at = index + whole.length - words.length;
    return isQuoted(index) || isInside(at) || isInside(index) ? [] : calledErrors(flat, match);
  });
  found.push(...errors.filter((error) => isKnown(error) && !isWide(error.failure.subject)));
  const lastResorts = [
    () => (errors.some(isKnown) ? errors.filter(isKnown) : errors).slice(0, 1),
    () => [...flat.matchAll(CRASHED)].map((match) => unmarkedCheck(flat, match)),
    () => [...warningsIn(flat), ...conditionsIn(flat)],
    () => bareMessage(flat),
  ];
  for (const resort of lastResorts) if (found.length === 0) found.push(...resort());
  return withoutEchoes(found.sort((a, b) => a.at - b.at).map((check) => withCompilersError(flat, check)));
}

/** What the compiler of kernels says of a line of one: `…/reader.cpp:88:52: error: macro "ASSERT" passed 2 arguments`. */
const COMPILERS_ERROR = new RegExp(
  String
    .raw`\S+\.(?:[ch]pp|cc|h|inc):\d+:(?:\d+:)? (?:fatal )?error: ([^${RECORD_END}]{4,240}?)(?= \d+ \| |${NEXT})`,
);

/** A build of a kernel that failed, with the compiler's own error if its words lack that. */
function withCompilersError(flat: string, found: FoundCheck): FoundCheck {
  const { at, end, failure: { kind: _, words, numbers: __, subject, ...place } } = found;
  const [, error] = COMPILERS_ERROR.exec(flat) ?? [];
  if (subject !== "kernel_build" || error === undefined || words.includes(error)) return found;
  const { failure } = checkOf(
    at,
    flat.slice(at, end),
    wordsOnly(`${words.replace(/ -- cmd: .*/, "")}: ${error}`),
    place,
  );
  return failure.subject === subject ? { ...found, failure } : found;
}

/** The check of a match, of the op that the log names around it. */
function placedCheck(flat: string, { index, 0: whole }: RegExpExecArray, told: Check): FoundCheck {
  return checkOf(index, whole, told, failedOp(flat, index, index + whole.length));
}

/** The refusal that tt-mlir's validation quotes; where it quotes none that is known, that it found no other layout. */
function fallbackChecks(flat: string, match: RegExpExecArray): readonly FoundCheck[] {
  const { index, 0: whole, 1: op = "an op", 2: middle = "" } = match;
  // Its own form is found as such.
  if (/TT_(?:FATAL|THROW|ASSERT)/.test(middle) || FULL_OR_CLASH.test(middle)) return [];
  const original = /original error: (.+?)\)?[.\s]*$/.exec(middle);
  if (original?.[1] !== undefined) {
    // tt-mlir's name of a refusal is no exception of Python's.
    const said = wordsOnly(original[1].replace(/^[A-Z]\w+Error - /, ""));
    const at = index + whole.indexOf(original[0]);
    const told = checkOf(at, original[0], said, failedOp(flat, at, at));
    if (isKnown(told)) return [told];
  }
  const tested = /\(tested[^)]*\)$/.exec(whole)?.[0];
  const words = ["no fallback configuration worked for", op, ...(tested === undefined ? [] : [tested])];
  const told = placedCheck(flat, match, wordsOnly(words.join(" ")));
  return [{ ...told, end: index + VALIDATION.length }];
}

/** Calls that Python refuses because of their arguments. */
function refusedCalls(flat: string): readonly FoundCheck[] {
  return [...flat.matchAll(REFUSED_CALL)].flatMap(({ index, 0: whole }) => {
    const call = refusedCallIn(`${flat.slice(Math.max(0, index - FRAMES), index)} ${whole}`);
    if (call === undefined) return [];
    const place = failedOp(flat, index, index + whole.length);
    return [
      checkOf(
        index,
        whole,
        wordsOnly(call.words),
        call.name.startsWith("ttnn.") ? { ...place, ops: [call.name] } : place,
      ),
    ];
  });
}

/** The check of a `TT_FATAL` or its like, and whether its message is cut within its path. */
function markedCheck(
  flat: string,
  match: RegExpExecArray,
): { readonly check: FoundCheck; readonly isCut: boolean } {
  const { 0: whole, 1: file } = match;
  const said = withoutOpenBrackets(match[2] ?? "");
  // The condition is code; the text after `info:` is for people, unless it says nothing.
  const info = /(?:\binfo: (?:E )?| \| |^tt::exception (?:E )?(?!info:|backtrace:|\|))(.+)$/.exec(said)?.[1]
    ?.trim();
  const isCut = file === undefined && /^\S*\//.test(said);
  const before = info === undefined ? messageBefore(flat, match, isCut) : undefined;
  const code = said.replace(/(?:(?: E)? info: | \| |(?<=^tt::exception) ).*$/, "")
    .replace(before === undefined ? "" : ` ${before}`, "").replace(/^([^{]*)\}$/, "$1").trim();
  const apart = info === undefined && before === undefined ? conditionAndWords(said.trim()) : undefined;
  const people = info === undefined ? before ?? said.trim() : NO_WORDS.test(info) ? code : info;
  const words = apart?.words ?? people.replace(/^Error[:,] /, "");
  const condition = apart?.condition ??
    (file === undefined ? wordsOnly(words).condition : NO_CONDITION.test(code) ? undefined : code);
  const check = placedCheck(flat, match, { words, condition, file, isOfBackend: whole.startsWith("TT_") });
  return { check, isCut: isCut && before === undefined };
}

/**
 * The message of a check without one of its own: tt-mlir's runtime logs it before its assertion, tt-metal's logger before
 * an exception whose `info:` is left out.
 */
function messageBefore(
  flat: string,
  { index, 0: whole, 1: file }: RegExpExecArray,
  isCut: boolean,
): string | undefined {
  const front = flat.slice(Math.max(0, index - FRONT), index);
  if (whole.startsWith("LOG_") || isCut || NAMED.test(whole)) return SAID_BEFORE.exec(front)?.[1];
  return file === undefined ? undefined : LOGGED_BEFORE.exec(front)?.[1];
}

/** A condition that is the name of a variable, which says nothing by itself. */
const NAMED = /:\d+: [a-z]\w*\s*$/;

/** The frame of a crash that is of a pass or pattern, and the characters behind its report that are searched for it. */
const OF_PASS = /(?<!\bmlir::)\b[A-Z]\w+::(?:matchAndRewrite|runOnOperation)\b/;
const BEHIND = 8_000;

/** A failure that no mark introduces. */
function unmarkedCheck(flat: string, match: RegExpExecArray): FoundCheck {
  const { index, 0: whole } = match;
  // An error at the same op that stands before says why.
  const why = /^failed to legalize/.test(whole)
    ? CAUSE.exec(flat.slice(0, index))?.[2]
    : whole.startsWith("PLEASE ")
    ? OF_PASS.exec(flat.slice(index, index + BEHIND))?.[0]
    : undefined;
  const words = [...why === undefined ? [] : [why], whole.trim()].join("; ");
  const told = placedCheck(flat, match, wordsOnly(words));
  return told.failure.subject === "python_error" ? exceptionOf(flat, match) : told;
}

/** An error behind a prefix such as `RuntimeError: `; none if the prefix introduces a check that is found otherwise. */
function calledErrors(flat: string, match: RegExpExecArray): readonly FoundCheck[] {
  const { index, 0: whole, 1: words = "" } = match;
  // A place, or the name of a test, is no message.
  const isPlace = /^(?:loc\([^ ]*\):?|(?:\S+::)?test_\w+(?:\[.*\])?|\W*)$/.test(words.trim());
  const isMarked =
    /\bTT_(?:FATAL|THROW|ASSERT)\b|OperationValidationAndFallback|^Operation ttnn\.\w+ failed validation/
      .test(words);
  // A wrapper's words that end where the check begins.
  const isIntroduction = flat.startsWith(" TT_", index + whole.length);
  if (isPlace || isMarked || isIntroduction) return [];
  // The place of an assertion names the pass.
  const [, asserting] = /\bAssertion $/.test(whole.slice(0, -words.length))
    ? ASSERTING.exec(flat.slice(Math.max(0, index - FRONT), index)) ?? []
    : [];
  const full = /^\S+\.cpp:\d+: /.test(whole)
    ? whole
    : asserting === undefined
    ? words
    : `${asserting}: Assertion ${words}`;
  const told = placedCheck(flat, match, wordsOnly(full.trim()));
  // The prefix decides if the words match only patterns that other programs' messages match as well.
  const isPlaced = /^error: /.test(whole) && (index === 0 || /[\d)>]: $/.test(flat.slice(0, index)));
  // What an op's call throws without a word of ours.
  const isThrown = told.failure.ops !== undefined && told.failure.isGuess !== true &&
    /^RuntimeError/.test(whole);
  const isOurs = isThrown || OURS.test(words);
  const isForeign = isPlaced || !isOurs && (/^error: /.test(whole) || EXCEPTION.test(whole));
  if (isKnown(told) && !(isForeign && isWide(told.failure.subject))) return [told];
  return [exceptionOf(flat, match)];
}

/** A message without the brackets at its end that open in front of it: `x.is_sharded())` of a check that is quoted in some. */
function withoutOpenBrackets(said: string): string {
  const open = said.split(")").length - said.split("(").length;
  return open > 0 && said.trimEnd().endsWith(")".repeat(open + 1)) ? said.trimEnd().slice(0, -open) : said;
}

/** The function in front of its assertion; group 1 is its name. */
const ASSERTING = /([\w:~]+)\((?:[^()]|\([^()]*\))*\)(?: const)?: $/;

/** The beginning of a backtrace. */
const TRACE = / backtrace:| --- /;

/** A short text as one message: the first known part between record ends (backticks), or else the whole text. */
function bareMessage(flat: string): readonly FoundCheck[] {
  if (flat.length > BARE) return [];
  const quoted = flat.split(RECORD_END).filter((_, index) => index % 2 === 1).map((part) => {
    const at = flat.indexOf(part);
    const place = opsOfBacktrace(part) ?? failedOp(flat, at, at + part.length);
    return checkOf(at, part, wordsOnly(part.split(TRACE, 1).join().trim()), place);
  });
  const whole = checkOf(0, flat, wordsOnly(flat.replaceAll(RECORD_END, "").split(TRACE, 1).join().trim()));
  const bare = [...quoted, whole].find(isKnown);
  return bare === undefined ? [] : [{ ...bare, at: 0, end: flat.length }];
}

/** A record of a logger that only warns. */
const WARNING = /(?:\bwarning *\| *\w+|\b\w+ *\| *WARNING) *\| *([^\u241E]+?) *(?=\u241E|$)/g;

/** Words that say that something failed. */
const FAILS = /\b(?:fail\w*|errors?|unable|timed? ?out|assert\w*|fatal|tripped|out of bounds|faults?)\b/i;

/** Where the watcher saw the cores last: `Last waypoint: NKFW, W, W, W, W`. */
const WAYPOINTS = /\bLast waypoint:(?:,? *[A-Z\d]+)+/;

/** Most warnings that are listed. */
const MOST_WARNINGS = 3;

/** The warnings of a log without a failure. */
function warningsIn(flat: string): readonly FoundCheck[] {
  const all = [...flat.matchAll(WARNING)];
  const telling = all.filter(({ 1: record = "" }) => !/^Watcher stopped the device/.test(record));
  return (telling.length > 0 ? telling : all).slice(0, MOST_WARNINGS).map(
    ({ index, 0: whole, 1: record = "" }) => {
      // Where the cores of a kernel that failed stood is the next record.
      const [waypoints = ""] = /\btripped\b/.test(record) ? WAYPOINTS.exec(flat.slice(index)) ?? [] : [];
      const said = `${record} ${waypoints}`.trim();
      const { failure, ...place } = checkOf(index, whole, wordsOnly(said));
      const subject = FAILS.test(said) ? failure.subject : "warning";
      return { ...place, failure: { ...failure, subject } };
    },
  );
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
function exceptionOf(flat: string, { index: at, 0: whole }: RegExpExecArray): FoundCheck {
  const frames = [...flat.slice(Math.max(0, at - FRAMES), at).matchAll(FRAME)];
  const file = frames.at(-1)?.slice(1).join("") ?? "";
  const words = whole.trim();
  const told = subjectOfFile(file) === undefined ? wordsOnly(words) : { words, condition: undefined, file };
  const check = checkOf(at, whole, told);
  // Text around an exception of Python's names all kinds of ops; a test of one op names that.
  const isOfOp = /op(?:eration)?s\/\S*test_\w+\.py\S*[^\u241E]{0,300}$/.test(flat.slice(0, at));
  return check.failure.subject === "python_error" && !isOfOp
    ? check
    : checkOf(at, whole, told, failedOp(flat, at, at + whole.length));
}

/** Messages, and conditions, without information. */
const NO_WORDS = /^Error\b.?$/;
const NO_CONDITION = /^(?:tt::exception|false|true|)$/;
const VARIABLE = /^!?[a-z]\w*$/;

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
  if (failure.words === "tt::exception" || failure.file === undefined && NO_WORDS.test(failure.words)) {
    return true;
  }
  if (isLater && other.file === undefined && VARIABLE.test(failure.words)) return true;
  if (failure.subject !== other.subject) return false;
  // A bare condition behind words about the same says nothing more.
  return other.words.includes(failure.words) ||
    isLater && failure.numbers.length === 0 && /[=!<>]=/.test(failure.words);
}
