// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import { createOpModel } from "../../lib/opmodel/create_op_model.ts";
import type { OpConstraints, OpModel } from "../../lib/opmodel/op_model.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { QuestionReader, UnreadableQuestion } from "../op_model_pipe/question_reader.ts";
import { AgreementTally } from "./agreement.ts";
import { storedLine } from "./compact_row.ts";
import { compareAnswer } from "./compare_answer.ts";
import type { RecordedRow } from "./recorded_answer.ts";

/** The chip of a recorded board. @throws {DiagnosticError} for an unknown board */
export function chipOfRecording(device: string): ChipDescription {
  return chipDescription(getDevice(device));
}

/** What finds a row in its file: the line of `testdata/backend`, or the test. */
export function nameOfRow(row: RecordedRow): string {
  return row.source ?? storedLine(row, chipOfRecording(row.device));
}

interface Book {
  readonly chip: ChipDescription;
  readonly layouts: LayoutTable;
  readonly opModel: OpModel;
  readonly reader: QuestionReader;
}

/** Queries the rule book with the backend's recorded questions and counts agreement. */
export function auditRecordedAnswers(rows: Iterable<RecordedRow>): AgreementTally {
  const books = new Map<string, Book>();
  const tally = new AgreementTally();
  for (const row of rows) {
    const book = books.getOrInsertComputed(row.device, newBook);
    tally.add(row, compareAnswer(row, ask(row, book), book.layouts, book.chip));
  }
  return tally;
}

function newBook(device: string): Book {
  const chip = chipOfRecording(device);
  const layouts = new LayoutTable();
  return {
    chip,
    layouts,
    opModel: createOpModel({ chip, layouts, checksWrittenText: false }),
    reader: new QuestionReader(layouts),
  };
}

/** The rule book's answer, or why it cannot read the query. */
function ask({ question }: RecordedRow, { opModel, reader }: Book): OpConstraints | string {
  try {
    const { op, inputs } = reader.question(question);
    const hint = question.outputLayout === null ? undefined : reader.layout(question.outputLayout.text);
    const config = reader.config(op.name, question.opConfig);
    return opModel.queryOpConstraints(op, inputs, hint, config, question.additionalL1);
  } catch (error) {
    if (
      error instanceof UnreadableQuestion || error instanceof DiagnosticError || error instanceof RangeError
    ) return error.message;
    throw error;
  }
}
