// SPDX-License-Identifier: Apache-2.0
import { moduleQuestions } from "../../../pipeline/backend_answers/module_questions.ts";
import type { AnswerFile } from "../../../pipeline/backend_answers/read_answers.ts";
import { RECORDED_DEVICES, type RecordedRow } from "../../../pipeline/backend_answers/recorded_answer.ts";
import { BackendProcess } from "../../backend/backend_process.ts";
import { findBackend } from "../../backend/environment.ts";
import { type Invocation, UsageError } from "../../command.ts";
import { loadInput } from "../../load_input.ts";
import { baseName, createProgress } from "../../progress.ts";

/** Queries the backend about every op of files, as written: `audit op-model --against ttnn FILE…`. */
export async function askAboutFiles(context: Invocation, files: readonly string[]): Promise<AnswerFile> {
  const { host } = context;
  if (files.length === 0) {
    throw new UsageError("Cannot audit against ttnn: name the files whose ops are asked about");
  }
  const place = await findBackend(host);
  const progress = createProgress(host);
  const rows: RecordedRow[] = [];
  const leftOut = new Map<string, number>();
  const backends = new Map<string, BackendProcess>();
  try {
    for (const file of files) {
      const workbench = await loadInput(context, file);
      const { name } = workbench.device;
      const device = RECORDED_DEVICES.find((known) => known === name);
      if (device === undefined) {
        throw new UsageError(`Cannot open a mock device of ${name}; ${RECORDED_DEVICES.join(", ")}`);
      }
      const backend = backends.get(name) ?? await BackendProcess.start(host, place, name);
      backends.set(name, backend);
      const questions = moduleQuestions(workbench);
      for (const [index, question] of questions.entries()) {
        progress.stage(`${baseName(file)}: question ${index + 1} of ${questions.length}`);
        const answer = await backend.ask(question);
        if ("unaskable" in answer) leftOut.set(question.op, (leftOut.get(question.op) ?? 0) + 1);
        else rows.push({ device, question, answer });
      }
    }
  } finally {
    for (const backend of backends.values()) await backend.close();
  }
  return { rows, leftOut };
}
