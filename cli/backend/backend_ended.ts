// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { BACKEND_REVISION } from "../../lib/opmodel/backend_revision.ts";
import type { Host, ProgramEnd, RunningProgram } from "../host.ts";

/** Python and ttnn with which the backend can be asked. */
export const NEEDED_PYTHON: string = `Python 3.10 or 3.12 with ${BACKEND_REVISION}`;

/** Exit code of the Python side if the backend cannot be asked; the last line of its errors has the reason. */
const UNUSABLE = 78;

/** Lines of its errors that are passed on. */
const MOST_LINES = 12;

/** Next step if an interpreter cannot ask the backend. */
const NEXT_STEP = "'tilewright confirm --setup' makes an environment that can be asked";

/**
 * Starts a script of the backend.
 *
 * @param python the interpreter
 * @throws {DiagnosticError} if it cannot be started; it says what to do about that
 */
export async function startPython(
  { startProgram }: Host,
  python: string,
  args: readonly string[],
): Promise<RunningProgram> {
  if (startProgram === undefined) throw inputError("program/not-started", "Cannot start Python here");
  try {
    return await startProgram({ command: python, args });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    if (error.diagnostics.some(({ code }) => code !== "program/not-started")) throw error;
    throw inputError("program/not-started", `${error.message}; ${NEXT_STEP}`);
  }
}

/**
 * The error of a backend whose process ended without its answer.
 *
 * @param python the interpreter
 * @param when what it was about: `before it was ready`
 */
export function backendEnded(end: ProgramEnd, python: string, when: string): DiagnosticError {
  if (end.code === UNUSABLE) {
    const why = end.errors.trim().split("\n").at(-1);
    return inputError("backend/unusable", `Cannot ask the backend, which takes ${NEEDED_PYTHON}: ${why}`);
  }
  return inputError(
    "backend/ended",
    `Cannot ask the backend: ${python} ${howEnded(end)} ${when}${
      end.signal === undefined && end.errors.trim() === "" ? `; ${NEXT_STEP}` : lastErrors(end)
    }`,
  );
}

/** The error of a program that prints what no script of ours does. */
export function notAnInterpreter(python: string): DiagnosticError {
  return inputError(
    "backend/unusable",
    `Cannot ask the backend: ${python} does not run Python; ${NEXT_STEP}`,
  );
}

/** `ended by SIGKILL`. */
export function howEnded({ code, signal }: ProgramEnd): string {
  return signal === undefined ? `ended with exit code ${code}` : `ended by ${signal}`;
}

/** The last lines of its errors behind a colon; empty if there are none. */
export function lastErrors({ errors }: ProgramEnd): string {
  const text = errors.trim();
  return text === "" ? "" : `:\n${text.split("\n").slice(-MOST_LINES).join("\n")}`;
}
