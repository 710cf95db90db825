// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { errorText, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { isKnownOp } from "../../lib/ops/op_book.ts";
import { chipOfRecording } from "./ask_rule_book.ts";
import { readStoredRow } from "./compact_row.ts";
import { readExpectationRows } from "./expectation_row.ts";
import { type LeftOutRow, readPipeRow } from "./pipe_row.ts";
import type { RecordedRow } from "./recorded_answer.ts";

/** Recorded answers of a file. */
export interface AnswerFile {
  readonly rows: readonly RecordedRow[];
  /** Rows that the rule book cannot be queried with, counted by reason: {@linkcode LeftOutRow}, or an unknown op. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/**
 * Reads recorded answers of the backend: one JSON object per line, as `testdata/backend` stores them or as
 * `{device, question, answer}` with a question of the op-model pipe; or the rows of `op-model-expectations.json`.
 *
 * @param file name for messages
 * @param device board of rows that do not name theirs
 * @throws {DiagnosticError} with the line or row that makes no sense
 */
export function readAnswers(file: string, text: string, device = "n150"): AnswerFile {
  const rows: RecordedRow[] = [];
  const leftOut = new Map<string, number>();
  const leave = (reason: string) => leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  const read = /^\s*\[/.test(text)
    ? readExpectationRows(file, text, device, chipOfRecording(device))
    : text.split("\n").flatMap((line, index) => line.trim() === "" ? [] : [readLine(file, index, line)]);
  for (const row of read) {
    if ("leftOut" in row) leave(row.leftOut);
    else if (!isKnownOp(row.question.op)) leave(row.question.op);
    else rows.push(row);
  }
  return { rows, leftOut };
}

function readLine(file: string, index: number, line: string): RecordedRow | LeftOutRow {
  try {
    return /^\{\s*"d"\s*:/.test(line) ? readStoredRow(line, chipOfRecording) : readPipeRow(line);
  } catch (error) {
    const where = v.isValiError(error) ? `${v.getDotPath(error.issues[0]) ?? "row"}: ` : "";
    throw inputError("audit/data", `Cannot read ${file}:${index + 1}: ${where}${errorText(error)}`);
  }
}
