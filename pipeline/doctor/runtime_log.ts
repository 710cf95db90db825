// SPDX-License-Identifier: Apache-2.0
import { plainLog } from "../../lib/ir/mod.ts";
import type { CoreCoord, CoreRange } from "../../lib/layout/core_range.ts";
import { L1_OF_CHIPS } from "./check_subjects.ts";
import type { FailedCheck } from "./failed_check.ts";
import { findFailedChecks } from "./failed_checks.ts";
import { type FailedOp, failedOp, RECORD_END } from "./failed_op.ts";

/** Circular buffers of a program reach up into a tensor (tt-metal `Program::validate_circular_buffer_region`). */
export interface CircularBufferClash extends FailedOp {
  readonly kind: "circular_buffer_clash";
  readonly program: number | undefined;
  readonly cores: readonly CoreRange[];
  /** Lowest address of a tensor, in bytes. */
  readonly tensorAddress: number;
  /** One past the last byte of the circular buffers. */
  readonly circularBufferEnd: number;
  /** `circularBufferEnd − tensorAddress`. */
  readonly overlapBytes: number;
}

/** Circular buffers of a program are larger than L1 by themselves. */
export interface CircularBuffersTooLarge extends FailedOp {
  readonly kind: "circular_buffers_too_large";
  readonly program: number | undefined;
  readonly cores: readonly CoreRange[];
  readonly circularBufferEnd: number;
  readonly l1Bytes: number;
  /** `circularBufferEnd − l1Bytes`. */
  readonly overlapBytes: number;
}

/** An allocation failed (tt-metal's allocator). Bytes per bank except `bytes`. */
export interface BankFull extends FailedOp {
  readonly kind: "bank_full";
  readonly memory: "L1" | "L1_SMALL" | "DRAM";
  /** Size of the buffer, over all banks; `undefined` where the message has only the numbers of a bank. */
  readonly bytes: number | undefined;
  readonly banks: number | undefined;
  /** `bytes / banks`, rounded up, where the message does not say it: then the least that it may be. */
  readonly bytesPerBank: number;
  readonly saysBytesPerBank: boolean;
  readonly bankSize: number | undefined;
  readonly allocated: number | undefined;
  readonly free: number | undefined;
  readonly largestFree: number | undefined;
  /**
   * Bytes per bank by which the largest hole is too small, or the whole free space if the hole is unknown.
   */
  readonly missingBytes: number | undefined;
  /** Whether the free space suffices in total, but not in one piece. */
  readonly fragmented: boolean;
}

/** A failure on the device, as its runtime reports it. */
export type RuntimeFailure = CircularBufferClash | CircularBuffersTooLarge | BankFull | FailedCheck;

// A core range is numbers only, so that none reaches from running text into the message that it tells of.
const CLASH =
  /(?:[Cc]ircular|dataflow) buffers (?:in program (\S+) )?clash with L1 buffers on core(?: range)? \{?\[?([-\d\s()[\]{},=xy]*?)\]?\}?\.? L1 buffer allocated at (\d+) and (?:static (?:circular|dataflow) buffer region ends|local buffers end) at (\d+)/g;
const TOO_LARGE =
  /(?:circular|dataflow) buffers (?:in program (\d+) )?on core(?: range)? \{?\[?([-\d\s()[\]{},=xy]*?)\]?\}? grow to (\d+) B which is beyond max L1 size of (\d+) B/g;
const FULL =
  /Not enough space (?:after considering dependencies )?to allocate ([\d.]+ ?[KMG]?i?B) (?:BufferType::)?(L1_SMALL|L1|DRAM)(?: buffer)? across (\d+) banks/g;

/** The numbers of a full bank, or of a full memory, alone, of a message that is quoted in part or told in other words. */
const FULL_BY_NUMBERS =
  /(?<!banks,? where )\beach bank needs to store (?=\d)|(?<=\b(?:Out of Memory|out of memory|OOM|alloc\w* fail\w*|fail\w* to alloc\w*|cannot alloc\w*|not enough memory)\b[^\u241E]{0,120})\b(?:requested|asked for|needs?|needed|requires?|required)[\s:=|]+(?=\d[\d.]* ?(?:[KMG]i?)?B)/gi;

/** What messages call the figures of a bank, in bytes or larger units: `free: 1194 MB`, `largest_free=512`. */
const FIGURES = {
  perBank: "each bank needs to store|per[ _]bank|(?<=banks \\()(?=[^)]* per bank)",
  total: "requested|asked for|needs?|needed|requires?|required",
  bankSize: "bank[ _]size(?: is)?(?: only)?",
  allocated: "(?:already )?allocated",
  free: "(?<!largest[ _])free(?! block)(?: space)?|available",
  largestFree: "largest(?:[ _]contiguous)?(?:[ _]free)?(?:[ _](?:block|chunk|hole|region|free))?",
} as const;

/** Characters behind the beginning of a message in which its figures stand. */
const MESSAGE = 320;

/** Bytes of the units of figures. */
const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
};

/** Messages about room. */
const ALLOCATIONS: readonly RegExp[] = [CLASH, TOO_LARGE, FULL];

/** Most bytes of a bank of L1, which is a core's; a bank of DRAM has a thousand times as many. */
const LARGEST_L1 = Math.max(...Object.keys(L1_OF_CHIPS).map(Number));

/** Characters in front of the numbers of a bank that may say which memory it is of. */
const SAID_OF_BANK = 200;

/** A line of tt-metal's logger, which is a record: `critical |  Always | TT_FATAL: …`, or `Op | WARNING | …`; group 1 is a blank line behind. */
const LOGGED =
  /^[ |]*(?:(?:trace|debug|info|warning|error|critical) *\| *\w+|\w+ *\| *(?:TRACE|DEBUG|INFO|WARNING|ERROR|FATAL)) *\|.*$(\n[ \t]*$)?/gm;

/** Narrow blanks that separate groups of three digits. */
const NARROW_BLANK = /(?<=\d)[\u00a0\u202f](?=\d{3})/g;

/** Comment marks at the beginning of lines, if a message is quoted in code. */
const COMMENT = /^[ \t]*(?:#|\/\/)[ \t]+/gm;

/** A heading of a report that says nothing of the failure. */
const HEADING =
  /^[ \t]*(?:#{1,6} (?!E {2})|\*\*)(?!.*\b(?:fail\w*|error|hangs?|crash\w*|must|not|cannot)\b).{3,60}?(?:\*\*)?:?[ \t]*$/gm;

/** pytest's mark of a line, in an error that somebody put on one line: `num_shards <= num_coresE       info:E       Number`. */
const FLATTENED = /(?<=[\w)\].:])E {3,}(?=\S)/g;

/** Text between backticks or fences, or quoted after `fails with`. */
const QUOTED =
  /(?<!\x60)\x60{3}((?:(?!\x60{3}).)+)\x60{3}|(?<!\x60)\x60{1,2}(?!\x60|\S*')([^\x60]+)\x60{1,2}(?!\x60)|(?<=\b(?:fails?|failing|failed) with (?:\w+ ){0,3})"([^"]{12,300})"/g;

/** A message: three words or more, one of which expresses a fault. */
const COMPLAINT =
  /^(?=.*\S +\S+ +\S).*\b(?:must|should|need\w*|not|no|fail\w*|error|fatal|cannot|expect\w*|got|exceed\w*|beyond|time\w* ?out|unable|unsupported|invalid|mismatch\w*|clash|out of|than|differ\w*|False|only|required)\b/i;

/** The beginning of a program of MLIR. */
const PROGRAM = /^\s*(?:[#!][\w$.-]+ = .*)?(?:module\b[^{]{0,200}\{|func\.func )/;

/** An assertion as other systems print it, with its function behind it. */
const FOREIGN_ASSERTION =
  /\bAssertion failed: \((.{1,300}?)\), (?:function (\w+), )?file (\S+?), line \d+\.?/g;

/** Line breaks of a message that Python prints as the text of an exception. */
const ESCAPED_BREAK = /\\n(?=info:|backtrace:| *---)|(?<=info:)\\n/g;

/** A line break within the path of a source file, behind a folder. */
const BROKEN_PATH = /(?<=\w)\/\s*\n\s*(?=(?:ttnn|tt_metal)\/[\w/]+\.[ch]pp:\d)/g;

/** A number of bytes with something between groups of three digits. */
const GROUPED_DIGITS = /(?<![\d.])\d{1,3}(?:[,'_]\d{3})+(?= ?(?:B|bytes)\b| and static|[.\s]*$)/g;

/** Subjects of failures that are followed by others of their kind. */
const FOLLOWED: ReadonlySet<string> = new Set(["kernel_build", "hang", "partitioner"]);

/** Subjects of messages that follow from another one, if there is one. */
const PASSING_ON: ReadonlySet<string> = new Set(["wrapper", "python_error"]);

/** A failure and its place in the log. */
interface PlacedFailure {
  readonly at: number;
  readonly failure: RuntimeFailure;
}

/**
 * Finds every L1 clash, full bank and failed check in a log, in order of appearance. Repeated messages are listed once,
 * and those that only follow from another one (wrappers, the crash behind it, later hangs) not at all.
 * Colours, what loggers put before lines, and line breaks inside a message do not matter.
 */
export function readRuntimeLog(text: string): readonly RuntimeFailure[] {
  const flat = flattened(text);
  const found = allocationFailures(flat);
  const understood = found.map(({ at }) => at);
  for (const { at, end, failure } of findFailedChecks(flat)) {
    // A failed check inside a message that is already read, or that repeats one, belongs to that message.
    const repeats = found.length > 0 && ALLOCATIONS.some((form) => failure.words.search(form) >= 0);
    if (!repeats && !understood.some((other) => other >= at && other < end)) found.push({ at, failure });
  }
  return withoutConsequences(found.sort((a, b) => a.at - b.at).map(({ failure }) => failure));
}

/** A check without words of its own, up to the blank line behind it. */
const ENDED = /(\bTT_(?:FATAL|THROW|ASSERT) @ \S+:\d+: [^\n]+)\n[ \t]*\n(?!\s*(?:E\s+)?info:)/g;

/** The log with single blanks for white space and {@linkcode RECORD_END} around records and quoted messages. */
function flattened(text: string): string {
  const records = plainLog(text.replaceAll(HEADING, "").replaceAll(COMMENT, "").replaceAll(FLATTENED, "\n"))
    .replaceAll(COMMENT, "")
    .replaceAll(NARROW_BLANK, "").replaceAll(ESCAPED_BREAK, "\n").replace(
      FOREIGN_ASSERTION,
      (_, condition: string, name = "", file: string) =>
        `${file}:1: ${name}: Assertion \x60${condition}' failed.`,
    ).replaceAll(BROKEN_PATH, "/").replace(
      LOGGED,
      (line, isEnd) => `${RECORD_END}\n${line}${isEnd === undefined ? "" : RECORD_END}`,
    );
  return records.replace(ENDED, `$1 ${RECORD_END} `).replace(/\s+/g, " ").replace(
    QUOTED,
    (whole, fenced: string | undefined, inline: string | undefined, said: string | undefined) => {
      const held = fenced ?? inline ?? said ?? "";
      return COMPLAINT.test(held) && !PROGRAM.test(held) ? `${RECORD_END} ${held} ${RECORD_END}` : whole;
    },
  )
    .replace(GROUPED_DIGITS, (digits) => digits.replace(/\D/g, ""));
}

/** Circular buffers that clash with a tensor or exceed L1, and full banks. */
function allocationFailures(flat: string): PlacedFailure[] {
  const found: PlacedFailure[] = [];
  const opOf = ({ index, 0: whole }: RegExpExecArray): FailedOp =>
    failedOp(flat, index, index + whole.length);
  for (const match of flat.matchAll(CLASH)) {
    const [, program, cores, address, end] = match;
    const tensorAddress = Number(address);
    const circularBufferEnd = Number(end);
    // Without an overlap the message is damaged.
    if (circularBufferEnd <= tensorAddress) continue;
    found.push({
      at: match.index,
      failure: {
        kind: "circular_buffer_clash",
        ...opOf(match),
        program: optional(program),
        cores: readCores(cores),
        tensorAddress,
        circularBufferEnd,
        overlapBytes: circularBufferEnd - tensorAddress,
      },
    });
  }
  for (const match of flat.matchAll(TOO_LARGE)) {
    const [, program, cores, end, size] = match;
    if (Number(end) <= Number(size)) continue;
    found.push({
      at: match.index,
      failure: {
        kind: "circular_buffers_too_large",
        ...opOf(match),
        program: optional(program),
        cores: readCores(cores),
        circularBufferEnd: Number(end),
        l1Bytes: Number(size),
        overlapBytes: Number(end) - Number(size),
      },
    });
  }
  for (const match of flat.matchAll(FULL)) {
    const told = roomIn(flat, match.index + match[0].length);
    found.push({ at: match.index, failure: { ...readBankFull(match, told), ...opOf(match) } });
  }
  for (const match of flat.matchAll(FULL_BY_NUMBERS)) {
    const before = flat.slice(Math.max(0, match.index - SAID_OF_BANK), match.index);
    const named = /\b(L1_SMALL|L1|DRAM)\b(?!.*\b(?:L1|DRAM))/.exec(before)?.[1];
    const room = roomIn(flat, match.index);
    const bytes = room.perBank ?? room.total;
    if (bytes === undefined || room.free === undefined) continue;
    found.push({
      at: match.index,
      failure: { ...readBankByNumbers(room, bytes, named), ...opOf(match) },
    });
  }
  return found;
}

/** The failures without repetitions and without those that follow from another one. */
function withoutConsequences(found: readonly RuntimeFailure[]): readonly RuntimeFailure[] {
  const seen = new Set<string>();
  const passesOn = (failure: RuntimeFailure): boolean =>
    failure.kind === "failed_check" && PASSING_ON.has(failure.subject);
  const isTold = !found.every(passesOn);
  const subjects = found.map((failure) => failure.kind === "failed_check" ? failure.subject : failure.kind);
  return found.flatMap((failure, index) => {
    const subject = subjects[index] ?? "";
    // A crash follows from the error before it, a hang from the first hang, and g++'s error from the kernel's build.
    const follows = subject === "crash" && index > 0 ||
      subject === "installation" && subjects.includes("kernel_build") ||
      FOLLOWED.has(subject) && subjects.indexOf(subject) < index;
    if (follows || isTold && passesOn(failure) || index > 0 && !isTold) return [];
    const key = keyOf(failure);
    if (seen.has(key)) return [];
    seen.add(key);
    // A logger prints the message without the backtrace that names the op.
    const told = found.filter((other) => other.ops !== undefined && keyOf(other) === key);
    return [told.find(({ isGuess }) => isGuess === undefined) ?? told[0] ?? failure];
  });
}

const OF_OP: ReadonlySet<string> = new Set(["ops", "within", "location", "isGuess", "askedBy"]);

/** Equal for two messages about one failure: all fields but the op. */
function keyOf(failure: RuntimeFailure): string {
  return JSON.stringify(failure, (key, value: unknown) => OF_OP.has(key) ? undefined : value);
}

/** Bytes of the figures of a bank, as far as a message states them. */
type RoomFigures = Readonly<Partial<Record<keyof typeof FIGURES, number>>>;

/** The figures behind a place of a message, up to the next record or message; where none says what is free, those before it. */
function roomIn(flat: string, at: number): RoomFigures {
  const [behind = ""] = flat.slice(at, at + MESSAGE).split(END_OF_ROOM, 1);
  const before = flat.slice(Math.max(0, at - MESSAGE), at).split(END_OF_ROOM).at(-1) ?? "";
  const told = figuresIn(behind);
  return told.free === undefined ? { ...figuresIn(before), ...told } : told;
}

function figuresIn(message: string): RoomFigures {
  return Object.fromEntries(
    Object.entries(FIGURES).flatMap(([name, label]) => {
      const [, figure] =
        new RegExp(String.raw`(?:${label})[\s:=|]*(\d[\d.]* ?(?:[KMG]i?)?(?:B\b|bytes)?)`, "i").exec(
          message,
        ) ??
          [];
      const bytes = figure === undefined ? undefined : bytesOf(figure);
      return bytes === undefined ? [] : [[name, bytes]];
    }),
  );
}

/** Where the figures of a message end. */
const END_OF_ROOM = /\u241E|backtrace:| --- |TT_(?:FATAL|THROW)/;

/** `1194 MB` in bytes. */
function bytesOf(figure: string): number | undefined {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\.? ?([KMG]i?)?/i.exec(figure) ?? [];
  const factor = UNITS[unit.charAt(0).toUpperCase() + unit.slice(1)];
  return number === undefined || factor === undefined ? undefined : Math.round(Number(number) * factor);
}

function readBankFull([, said = "", memory, banks]: RegExpMatchArray, room: RoomFigures): BankFull {
  const bytes = bytesOf(said) ?? 0;
  return {
    kind: "bank_full",
    memory: memory === "DRAM" || memory === "L1_SMALL" ? memory : "L1",
    bytes,
    banks: Number(banks),
    saysBytesPerBank: room.perBank !== undefined,
    ...roomOfBank(room.perBank ?? Math.ceil(bytes / Number(banks)), room),
  };
}

/** A full bank of a message that says neither of what nor of how many: its size tells L1 from DRAM. */
function readBankByNumbers(figures: RoomFigures, bytes: number, named: string | undefined): BankFull {
  const room = roomOfBank(bytes, figures);
  const size = room.bankSize ?? (room.allocated ?? 0) + (room.free ?? 0);
  const ofL1 = named === "L1_SMALL" ? "L1_SMALL" : "L1";
  return {
    kind: "bank_full",
    memory: size > LARGEST_L1 || bytes > LARGEST_L1 && named !== "L1" ? "DRAM" : ofL1,
    bytes: undefined,
    banks: undefined,
    saysBytesPerBank: figures.perBank !== undefined,
    ...room,
    bankSize: figures.perBank === undefined ? room.bankSize : size,
  };
}

/** What a bank has and lacks, by the figures of a message. */
function roomOfBank(
  bytesPerBank: number,
  { bankSize, allocated, free, largestFree }: RoomFigures,
): Pick<
  BankFull,
  "bytesPerBank" | "bankSize" | "allocated" | "free" | "largestFree" | "missingBytes" | "fragmented"
> {
  const room = largestFree ?? free ?? bankSize;
  return {
    bytesPerBank,
    bankSize,
    allocated,
    free,
    largestFree,
    missingBytes: room === undefined || room >= bytesPerBank ? undefined : bytesPerBank - room,
    fragmented: free !== undefined && free >= bytesPerBank,
  };
}

function optional(text: string | undefined): number | undefined {
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** `(x=0,y=0) - (x=7,y=7)` as well as `0-0 - 7-7`; several ranges are separated by commas or braces. */
function readCores(text: string | undefined): readonly CoreRange[] {
  const ranges: CoreRange[] = [];
  const corners = [...(text ?? "").matchAll(/x=(\d+),\s*y=(\d+)|(\d+)-(\d+)/g)].map((match): CoreCoord => ({
    x: Number(match[1] ?? match[3]),
    y: Number(match[2] ?? match[4]),
  }));
  for (let index = 0; index + 1 < corners.length; index += 2) {
    const [start, end] = [corners[index], corners[index + 1]];
    if (start !== undefined && end !== undefined) ranges.push({ start, end });
  }
  return ranges;
}
