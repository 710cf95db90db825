// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../../../lib/diagnostics/diagnostic.ts";
import { howEnded, lastErrors } from "../../backend/backend_ended.ts";
import { layScripts, setupFolder } from "../../backend/environment.ts";
import { EXIT, type ExitCode, UsageError } from "../../command.ts";
import type { Host } from "../../host.ts";

/** Interpreters for which ttnn has wheels, by their usual names. */
const INTERPRETERS: readonly string[] = ["python3.12", "python3.10", "python3"];

/**
 * Creates the environment in the cache folder and reports its steps.
 *
 * @throws {UsageError} if there is no interpreter that ttnn has wheels for
 * @throws {DiagnosticError} if it cannot be created
 */
export async function setUp(host: Host): Promise<ExitCode> {
  const { startProgram } = host;
  if (startProgram === undefined) throw inputError("program/not-started", "Cannot start Python here");
  const folder = setupFolder(host);
  const scripts = await layScripts(host);
  const python = await suitableInterpreter(host, startProgram);
  const running = await startProgram({ command: python, args: [`${scripts}/environment.py`, folder] });
  await running.closeInput();
  for await (const line of running.lines) host.stderr.write(`${line}\n`);
  const end = await running.ended;
  if (end.code !== 0) {
    throw inputError(
      "backend/setup",
      `Cannot set up ${folder}, which stays as it was: Python ${howEnded(end)}${lastErrors(end)}`,
    );
  }
  host.stdout.write(`ttnn is in ${folder}, where 'tilewright confirm FILE' finds it\n`);
  return EXIT.ok;
}

async function suitableInterpreter(
  host: Host,
  startProgram: NonNullable<Host["startProgram"]>,
): Promise<string> {
  const given = host.environment("TILEWRIGHT_PYTHON");
  for (const command of given === undefined ? INTERPRETERS : [given]) {
    const program = "import sys; print(sys.version_info[:2] in ((3, 10), (3, 12)))";
    try {
      const running = await startProgram({ command, args: ["-c", program] });
      await running.closeInput();
      let isSuitable = false;
      for await (const line of running.lines) isSuitable ||= line === "True";
      await running.ended;
      if (isSuitable) return command;
    } catch {
      // None of this name.
    }
  }
  throw new UsageError(
    `Cannot set up the backend: ttnn has wheels for Python 3.10 and 3.12 only, and ${
      given === undefined
        ? "neither is in the path; TILEWRIGHT_PYTHON names an interpreter"
        : `${given}, which TILEWRIGHT_PYTHON names, is neither`
    }`,
  );
}
