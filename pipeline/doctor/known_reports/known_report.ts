// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import reports from "./reports.jsonl" with { type: "text" };

/** What became of a fault. */
const STATES = ["open", "mended", "by design", "unknown"] as const;

/** A public report of a failure, with the cause that its thread found. */
export interface KnownReport {
  /** Issue or pull request: `owner/repository#number`. */
  readonly thread: string;
  /** Year and month of the report. */
  readonly date: string;
  /** Ops that failed, such as `ttnn.conv2d`; none for a message of no op. */
  readonly ops: readonly string[];
  /** What the program says, with `N` for numbers. */
  readonly message?: string;
  /** What is seen where the program says nothing that tells the failure: wrong numbers, a hang. */
  readonly symptom?: string;
  /** Source file of the message, without folders. */
  readonly where?: string;
  readonly cause: string;
  /** What helped, best first. */
  readonly remedies: readonly string[];
  readonly state: typeof STATES[number];
  /** Thread or commit with the fix. */
  readonly fix?: string;
  /** Chip that it was reported on. */
  readonly chip?: string;
}

const TEXT = v.pipe(v.string(), v.nonEmpty());

const REPORT: v.GenericSchema<unknown, KnownReport> = v.strictObject({
  thread: v.pipe(v.string(), v.regex(/^[\w.-]+\/[\w.-]+#\d+$/)),
  date: v.pipe(v.string(), v.regex(/^20\d\d-(?:0[1-9]|1[0-2])$/)),
  ops: v.array(TEXT),
  message: v.exactOptional(TEXT),
  symptom: v.exactOptional(TEXT),
  where: v.exactOptional(v.pipe(v.string(), v.regex(/^[\w.-]+\.\w+$/))),
  cause: TEXT,
  remedies: v.pipe(v.array(TEXT), v.minLength(1), v.maxLength(3)),
  state: v.picklist(STATES),
  fix: v.exactOptional(v.pipe(v.string(), v.regex(/^[\w.-]+\/[\w.-]+#\d+$|^[\da-f]{10}$/))),
  chip: v.exactOptional(TEXT),
});

/** All reports of the table. */
export function readReports(): readonly KnownReport[] {
  return reports.trimEnd().split("\n").map((line) => v.parse(REPORT, JSON.parse(line)));
}
