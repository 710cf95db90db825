// SPDX-License-Identifier: Apache-2.0
import { plainLog } from "../../lib/ir/mod.ts";
import type { CoreCoord, CoreRange } from "../../lib/layout/core_range.ts";
import { type FailedCheck, findFailedChecks, RECORD_END } from "./failed_checks.ts";

/** Circular buffers of a program reach up into a tensor (tt-metal `Program::validate_circular_buffer_region`). */
export interface CircularBufferClash {
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
export interface CircularBuffersTooLarge {
  readonly kind: "circular_buffers_too_large";
  readonly program: number | undefined;
  readonly cores: readonly CoreRange[];
  readonly circularBufferEnd: number;
  readonly l1Bytes: number;
  /** `circularBufferEnd − l1Bytes`. */
  readonly overlapBytes: number;
}

/** An allocation failed (tt-metal's allocator). Bytes per bank except `bytes`. */
export interface BankFull {
  readonly kind: "bank_full";
  readonly memory: "L1" | "L1_SMALL" | "DRAM";
  /** Of the buffer, over all banks. */
  readonly bytes: number;
  readonly banks: number;
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

const CLASH =
  /(?:circular|dataflow) buffers in program (\d+) clash with L1 buffers on core range \{?\[(.*?)\]\}?\.? L1 buffer allocated at (\d+) and static (?:circular|dataflow) buffer region ends at (\d+)/g;
const TOO_LARGE =
  /(?:circular|dataflow) buffers (?:in program (\d+) )?on core range \{?\[(.*?)\]\}? grow to (\d+) B which is beyond max L1 size of (\d+) B/g;
const FULL =
  /Not enough space to allocate (\d+) B (L1_SMALL|L1|DRAM) buffer across (\d+) banks(?:, where each bank needs to store (\d+) B)?(?:, but bank size is (?:only )?(\d+) B)?(?: \(allocated: (\d+) B, free: (\d+) B, largest free block: (\d+) B\))?/g;

/** A line of tt-metal's logger, which is a whole record: `critical |  Always | TT_FATAL: …`, or `Op | WARNING | …`. */
const LOGGED =
  /^[ |]*(?:(?:trace|debug|info|warning|error|critical) *\| *\w+|\w+ *\| *(?:TRACE|DEBUG|INFO|WARNING|ERROR|FATAL)) *\|.*$/gm;

/** What separates groups of three digits and is no line break or blank between words. */
const NARROW_BLANK = /(?<=\d)[\u00a0\u202f](?=\d{3})/g;

/** What marks a line as a comment of the code that a message is quoted in. */
const COMMENT = /^[ \t]*(?:#|\/\/)[ \t]+/gm;

/** Line breaks of a message that Python prints as the text of an exception. */
const ESCAPED_BREAK = /\\n(?=info:|backtrace:| *---)|(?<=info:)\\n/g;

/** A number of bytes with something between groups of three digits. */
const GROUPED_DIGITS = /(?<![\d.])\d{1,3}(?:[,'_]\d{3})+(?= ?(?:B|bytes)\b| and static|[.\s]*$)/g;

const KERNEL_BUILD = "kernel_build";

/** Subjects of messages that follow from another one, if there is one. */
const PASSING_ON: ReadonlySet<string> = new Set(["wrapper", "python_error"]);

/**
 * Finds every L1 clash, full bank and failed check in a log, in order of appearance; repeated messages are listed once.
 * Colours, what loggers put before lines, and line breaks inside a message do not matter.
 */
export function readRuntimeLog(text: string): readonly RuntimeFailure[] {
  const records = plainLog(text).replaceAll(COMMENT, "").replaceAll(NARROW_BLANK, "").replaceAll(
    ESCAPED_BREAK,
    "\n",
  ).replace(
    LOGGED,
    (line) => `${RECORD_END}\n${line}`,
  );
  const flat = records.replace(/\s+/g, " ").replace(GROUPED_DIGITS, (digits) => digits.replace(/\D/g, ""));
  const found: { readonly at: number; readonly failure: RuntimeFailure }[] = [];
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
        program: optional(program),
        cores: readCores(cores),
        circularBufferEnd: Number(end),
        l1Bytes: Number(size),
        overlapBytes: Number(end) - Number(size),
      },
    });
  }
  for (const match of flat.matchAll(FULL)) found.push({ at: match.index, failure: readBankFull(match) });
  const understood = found.map(({ at }) => at);
  for (const { at, end, failure } of findFailedChecks(flat)) {
    // A failed check inside a message that is already read belongs to that message.
    if (!understood.some((other) => other >= at && other < end)) found.push({ at, failure });
  }
  const seen = new Set<string>();
  const passesOn = (failure: RuntimeFailure): boolean =>
    failure.kind === "failed_check" && PASSING_ON.has(failure.subject);
  const isTold = found.some(({ failure }) => !passesOn(failure));
  const isBuild = found.some(({ failure }) =>
    failure.kind === "failed_check" && failure.subject === KERNEL_BUILD
  );
  return found.sort((a, b) => a.at - b.at).flatMap(({ failure }, index) => {
    // What only passes an error on says nothing where the error is known, nor does the crash behind it.
    const isCrash = failure.kind === "failed_check" && failure.subject === "crash";
    // What g++ says of a kernel is part of its build.
    const isQuoted = isBuild && failure.kind === "failed_check" && failure.subject === "installation";
    if (isQuoted || isTold && passesOn(failure) || index > 0 && (isCrash || !isTold)) return [];
    const key = JSON.stringify(failure);
    if (seen.has(key)) return [];
    seen.add(key);
    return [failure];
  });
}

function readBankFull(match: RegExpMatchArray): BankFull {
  const [, bytes, memory, banks, perBank, size, allocated, free, largest] = match;
  const bytesPerBank = perBank === undefined ? Math.ceil(Number(bytes) / Number(banks)) : Number(perBank);
  const room = optional(largest) ?? optional(free) ?? optional(size);
  const freeBytes = optional(free);
  return {
    kind: "bank_full",
    memory: memory === "DRAM" || memory === "L1_SMALL" ? memory : "L1",
    bytes: Number(bytes),
    banks: Number(banks),
    bytesPerBank,
    saysBytesPerBank: perBank !== undefined,
    bankSize: optional(size),
    allocated: optional(allocated),
    free: freeBytes,
    largestFree: optional(largest),
    missingBytes: room === undefined || room >= bytesPerBank ? undefined : bytesPerBank - room,
    fragmented: freeBytes !== undefined && freeBytes >= bytesPerBank,
  };
}

function optional(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
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
