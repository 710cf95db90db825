// SPDX-License-Identifier: Apache-2.0
import { stripAnsiCode } from "@std/fmt/colors";

const DATE = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`;
const LEVEL = "(?:TRACE|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)";

/** Prefixes that loggers and test runners write before a line, one after the other. */
const PREFIXES = [
  // A quotation, the line that pytest points at, its lines of an exception, and lines that a patch adds.
  "> ?",
  "E(?: {2,}|$)",
  String.raw`\+(?!\+)`,
  `${DATE} ?`,
  String.raw`\[${DATE}[^\]\n"]*\] ?`,
  // Where tt-xla says how long it runs, its thread and place: `(   6.313s) [  A1353000]  module_builder.cc:990  1| `.
  String.raw`\( *[\d.]+s\) \[[^\]\n"]*\] +[\w./-]+:\d+ +\w+\| `,
  // Processes of Ray, vLLM and MPI.
  String.raw`\([\w.-]* ?(?:pid|ip|rank)=[^)\n"]*\) ?`,
  String.raw`\[(?:rank\d+|[\w.-]+-[0-9a-f]{6,}|[\w.-]+:\d+)\]:? ?`,
  String.raw`\[\d+,\d+\]<?std(?:out|err)>?: ?`,
  String.raw`\[[A-Z]\w*\] (?=${LEVEL} \d\d-\d\d )`,
  String.raw`${LEVEL} \d\d-\d\d \d\d:\d\d:\d\d (?:\[[^\]\n"]*\]|[\w./-]+:\d+\]) ?`,
  `- ${LEVEL} - `,
  // Docker Compose, and numbers of lines.
  String.raw`[\w.-]+-\d+ +\| `,
  String.raw`\d+(?:\t| {2}| ?[|:] )`,
].join("|");

const PREFIX = new RegExp(`^(?:[ \\t]*(?:${PREFIXES}))+`, "gm");

/** What stands before every line, such as the time at which a runner printed it. */
const FIRST_PREFIX = new RegExp(`^[ \\t]*(?:${PREFIXES})`, "gm");

/** Lines of loggers: the time, or tt-metal's component and level (`  Metal | INFO     | `), or a level and time as glog's. */
const LOGGED = new RegExp(
  `^[ \\t]*(?:${DATE}|[A-Z]\\w* +\\| ${LEVEL} +\\| |[IWEF]\\d{4} \\d\\d:\\d\\d:\\d\\d\\.).*$`,
  "gm",
);

/**
 * Readings of a text without colours in which lines that a logger wrote are empty, also behind what stands before every
 * line. What other programs print between them stays, and so do lines that announce a module (`MLIR Module NAME:`).
 */
export function withoutLoggedLines(text: string): readonly string[] {
  const plain = stripAnsiCode(text).replaceAll("\r\n", "\n");
  const once = plain.replace(FIRST_PREFIX, "");
  return [plain, once, once.replace(FIRST_PREFIX, "")].map((each) =>
    each.replace(LOGGED, (line) => /\bMLIR Module \S+:/.test(line) ? line : "")
  );
}

/**
 * A log without colours and without what loggers put before every line: times, processes, levels, marks of
 * quotation. Lines stay lines.
 */
export function plainLog(text: string): string {
  return withoutMargin(stripAnsiCode(text).replaceAll("\r\n", "\n")).replace(PREFIX, "");
}

/** Fewest characters of what every line begins with, and fewest lines that show it. */
const LEAST_SHARED = 3;

/** A text without what each of its lines begins with, alike but for numbers, such as a file's name and the line's number. */
export function withoutSharedPrefix(text: string): string {
  const lines = stripAnsiCode(text).replaceAll("\r\n", "\n").split("\n").filter((line) => line !== "");
  const [first = "", ...others] = lines.map((line) => line.replaceAll(/\d+/g, "0"));
  let length = first.length;
  for (const line of others) while (!line.startsWith(first.slice(0, length))) length--;
  const shared = first.slice(0, length);
  if (shared.trimEnd().length < LEAST_SHARED || lines.length <= LEAST_SHARED) return text;
  const prefix = new RegExp(`^${shared.split("0").map(RegExp.escape).join("\\d+")}`, "gm");
  return stripAnsiCode(text).replaceAll("\r\n", "\n").replace(prefix, "");
}

/** Levels that loggers write between the time and each line of a longer text: `| DEBUG | `, `[info] `. */
const LEVELS = new RegExp(`^[ \\t]*(?:\\| *${LEVEL} *\\| ?|\\[${LEVEL}\\] ?)`, "gmi");

/** {@linkcode plainLog} without the levels of a logger that has one before every line of a module. */
export function withoutLevels(text: string): string {
  return plainLog(text).replace(LEVELS, "");
}

/**
 * The plain text of a page of HTML, of a cell of a table (CSV), of the new side of a patch, or of a string with escaped line breaks and quotes; any
 * other text as it is.
 */
export function unescaped(text: string): string {
  if (/^@@ -\d/m.test(text)) return text.replaceAll(/^(?:(?:-|@@ |\+\+\+ |diff |index ).*|[+ ])/gm, "");
  if (/&lt;[^<>]*&gt;/.test(text)) {
    return text.replaceAll(/<\/?[a-z][^>\n]*>/gi, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&nbsp;", " ").replaceAll("&amp;", "&");
  }
  // An editor's quotation marks.
  if (/[\u201c\u201d]/.test(text)) return unescaped(text.replaceAll(/[\u201c\u201d]/g, '"'));
  // A cell of a table (CSV) doubles quotes.
  if (/""(?:ttnn|ttir|stablehlo)\.\w+""\(/.test(text)) return text.replaceAll('""', '"').replace(/^"/gm, "");
  return /module\b[^\n]*\{\\n/.test(text)
    // A string opens in front of the first alias or the module.
    ? text.replaceAll(/["'](?=[#!][\w.-]+ *=|module\b)/g, "\n").replaceAll("\\n", "\n").replaceAll(
      "\\t",
      "\t",
    ).replaceAll('\\"', '"').replaceAll("\\'", "'")
    : text;
}

/** Lines that a terminal may have cut at its width, so that several are of one length. */
const LEAST_WIDTH = 60;
const LEAST_CUT = 3;

/**
 * A text whose lines a terminal cut at its width, with its own lines again, each on the number of its beginning; any other
 * text as it is.
 */
export function unwrapped(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const width = lines.reduce((most, { length }) => Math.max(most, length), 0);
  if (width < LEAST_WIDTH || lines.filter(({ length }) => length === width).length < LEAST_CUT) return text;
  let joined = "";
  let missing = "";
  for (const line of lines) {
    const isCut = line.length === width;
    joined += isCut ? line : `${line}\n${missing}`;
    missing = isCut ? `${missing}\n` : "";
  }
  return joined.slice(0, -1);
}

/** A text without pytest's `E` and the blanks that all of its lines have behind it; more belong to the line. */
function withoutMargin(text: string): string {
  let least = Infinity;
  for (const [, blanks = ""] of text.matchAll(/^[ \t]*E( {2,})(?=\S)/gm)) {
    least = Math.min(least, blanks.length);
  }
  return least === Infinity ? text : text.replaceAll(new RegExp(`^[ \\t]*E {${least}}`, "gm"), "");
}
