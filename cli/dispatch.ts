// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorText } from "../lib/diagnostics/diagnostic.ts";
import { BACKEND_REVISION } from "../lib/opmodel/backend_revision.ts";
import { type Command, EXIT, type ExitCode, UsageError } from "./command.ts";
import { commandHelp, toolHelp } from "./help.ts";
import type { Host } from "./host.ts";
import { renderDiagnostic } from "./render/diagnostics.ts";

/**
 * Runs one command line and returns its exit code. Never throws: every failure becomes text on stderr and a
 * code.
 */
export async function runCommandLine(
  args: readonly string[],
  host: Host,
  version: string,
  commands: readonly Command[],
): Promise<ExitCode> {
  try {
    const [first, ...rest] = args;
    if (first === "--version" || first === "-V" || first === "version") {
      host.stdout.write(`tilewright ${version} (op model of ${BACKEND_REVISION})\n`);
      return EXIT.ok;
    }
    if (first === undefined || first === "--help" || first === "-h" || first === "help") {
      const topic = first === "help" ? commands.find((command) => command.name === rest[0]) : undefined;
      const width = host.stdout.columns;
      const text = topic === undefined ? toolHelp(version, commands, width) : commandHelp(topic, width);
      (first === undefined ? host.stderr : host.stdout).write(text);
      return first === undefined ? EXIT.usage : EXIT.ok;
    }
    // Not literal: help and version would load it.
    const { runCommand }: typeof import("./run_command.ts") = await import(
      "./run_command.ts" satisfies string
    );
    return await runCommand(first, rest, host, commands);
  } catch (error) {
    return reportFailure(error, args, host);
  }
}

function reportFailure(error: unknown, args: readonly string[], host: Host): ExitCode {
  if (error instanceof UsageError) {
    host.stderr.write(
      `error: ${error.message}\nRun 'tilewright ${args[0]} --help' for examples and options.\n`,
    );
    return EXIT.usage;
  }
  if (error instanceof DiagnosticError) {
    for (const diagnostic of error.diagnostics) host.stderr.write(renderDiagnostic(diagnostic));
    return EXIT.badInput;
  }
  const message = errorText(error);
  // Deno's message for a missing permission, including modules that it may not load.
  if (/run again with the --allow-/.test(message)) {
    host.stderr.write(`error: Cannot continue without a permission: ${message}\n`);
    return EXIT.badInput;
  }
  host.stderr.write(
    `error: Internal error in ${args[0]}: ${message}\n` +
      `note: this is a bug of tilewright; to report it, attach the input and this command: tilewright ${
        args.join(" ")
      }\n`,
  );
  if (host.environment("TILEWRIGHT_DEBUG") !== undefined && error instanceof Error) {
    host.stderr.write(`${error.stack ?? ""}\n`);
  }
  return EXIT.internal;
}
