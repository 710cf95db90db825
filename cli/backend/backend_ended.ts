// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { BACKEND_REVISION } from "../../lib/opmodel/backend_revision.ts";
import type { ProgramEnd } from "../host.ts";

/** What the backend is asked with. */
export const NEEDED_PYTHON: string = `Python 3.10 or 3.12 with ${BACKEND_REVISION}`;

/** Exit code by which the Python side says, in the last line of its errors, why the backend cannot be asked. */
const UNUSABLE = 78;

/** Lines of its errors that are passed on. */
const MOST_LINES = 12;

/**
 * The error of a backend whose process ended without its answer.
 *
 * @param when what it was about: `before it was ready`
 */
export function backendEnded({ code, signal, errors }: ProgramEnd, when: string): DiagnosticError {
  const lines = errors.trim() === "" ? [] : errors.trim().split("\n");
  if (code === UNUSABLE) {
    return inputError(
      "backend/unusable",
      `Cannot ask the backend, which takes ${NEEDED_PYTHON}: ${lines.at(-1)}`,
    );
  }
  const how = signal === undefined ? `with exit code ${code}` : `by ${signal}`;
  const last = lines.slice(-MOST_LINES).map((line) => `\n${line}`).join("");
  return inputError(
    "backend/ended",
    `Cannot ask the backend: its process ended ${how} ${when}${last === "" ? "" : `:${last}`}`,
  );
}
