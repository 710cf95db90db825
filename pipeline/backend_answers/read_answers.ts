// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { errorText, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { isKnownOp } from "../../lib/ops/op_book.ts";
import { chipOfRecording } from "./ask_rule_book.ts";
import { readStoredRow } from "./compact_row.ts";
import { type LeftOutRow, readPipeRow } from "./pipe_row.ts";
import type { RecordedRow } from "./recorded_answer.ts";

/** Recorded answers of a file. */
export interface AnswerFile {
  readonly rows: readonly RecordedRow[];
  /** Rows that the rule book cannot be queried with, counted by reason: {@linkcode LeftOutRow}, or an unknown op. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/**
 * Reads recorded answers of the backend, one JSON object per line: as `testdata/backend` stores them, or as
 * `{device, question, answer}` with a question of the op-model pipe.
 *
 * @param file name for messages
 * @throws {DiagnosticError} with the line that makes no sense
 */
export function readAnswers(file: string, text: string): AnswerFile {
  const rows: RecordedRow[] = [];
  const leftOut = new Map<string, number>();
  const leave = (reason: string) => leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = readLine(file, index, line);
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

/** Whether a text consists of recorded answers, one per line, and not of one JSON document. */
export function looksLikeAnswers(text: string): boolean {
  return /^\s*\{\s*"(?:d|device)"\s*:/.test(text);
}
