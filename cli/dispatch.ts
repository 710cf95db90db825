// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorText } from "../lib/diagnostics/diagnostic.ts";
import { didYouMean } from "./closest.ts";
import {
  type Command,
  COMMAND_LINE,
  type CommandRun,
  type EffectiveOption,
  EXIT,
  type ExitCode,
  type Invocation,
  UsageError,
} from "./command.ts";
import { commandHelp, toolHelp } from "./help.ts";
import { type Host, UNBOUNDED_COLUMNS } from "./host.ts";
import { loadRun } from "./load_run.ts";
import { BACKEND_REVISION } from "../lib/opmodel/backend_revision.ts";
import { lowerLayers } from "./option_layers.ts";
import { effectiveOptions, optionsOf } from "./option_values.ts";
import { optionSpecs, parseArguments, requireArity } from "./parse_command_line.ts";
import { renderConfig } from "./render/config_table.ts";
import { renderDiagnostic } from "./render/diagnostics.ts";
import type { DrawnTable } from "./render/style.ts";

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
    const command = commands.find((candidate) => candidate.name === first);
    if (command === undefined) {
      host.stderr.write(
        `error: Unknown command '${first}'${
          didYouMean(first, commands.map((candidate) => candidate.name))
        }\n` +
          "Run 'tilewright --help' for the list of commands.\n",
      );
      return EXIT.usage;
    }
    return await runCommand(command, rest, host, commands);
  } catch (error) {
    return reportFailure(error, args, host);
  }
}

async function runCommand(
  command: Command,
  args: readonly string[],
  host: Host,
  commands: readonly Command[],
): Promise<ExitCode> {
  const { positionals, layer } = parseArguments(command, args);
  if (layer.values.get("help") === true) {
    host.stdout.write(commandHelp(command, host.stdout.columns));
    return EXIT.ok;
  }
  const specs = optionSpecs(command);
  const lower = await lowerLayers(host, specs, command, commands, layer);
  const effective = effectiveOptions(specs, [layer, ...lower.layers]);
  const options = optionsOf(command, effective);
  for (const warning of lower.warnings) host.stderr.write(`warning: ${warning}\n`);
  const printsConfig = options.flag("print-config");
  if (!printsConfig) requireArity(command, positionals);
  const { run } = printsConfig
    ? {
      run: ({ host }: Invocation): ExitCode => {
        host.stdout.write(renderConfig(command, effective, options, host));
        return EXIT.ok;
      },
    }
    : await (command.load?.() ?? loadRun(command.name));
  try {
    return options.flag("csv")
      ? await runForTables(run, { host, positionals, options })
      : await run({ host, positionals, options });
  } catch (error) {
    throw error instanceof UsageError ? withOrigins(error, effective) : error;
  }
}

/** Runs a command for its tables alone. */
async function runForTables(run: CommandRun, { host, positionals, options }: Invocation): Promise<ExitCode> {
  const isJson = options.effective.some(({ spec, value }) => spec.name === "json" && value === true);
  if (isJson) throw new UsageError("Cannot print JSON and CSV at once: give --json or --csv");
  const tables: DrawnTable[] = [];
  const stdout = { write: () => {}, isTerminal: false, columns: UNBOUNDED_COLUMNS };
  const code = await run({
    host: { ...host, stdout, tables: (table) => void tables.push(table) },
    positionals,
    options,
  });
  const { csvOf }: { readonly csvOf: (tables: readonly DrawnTable[]) => string } = await import(
    "./render/csv_tables.ts" satisfies string
  );
  host.stdout.write(csvOf(tables));
  if (tables.length === 0) host.stderr.write("remark: the report holds no table\n");
  return code;
}

/** The message, with the origin of an option that is not from the command line. */
function withOrigins({ message }: UsageError, effective: readonly EffectiveOption[]): UsageError {
  const notes = effective.filter(({ spec, value, origin }) =>
    origin !== "default" && origin !== COMMAND_LINE &&
    (new RegExp(`--${spec.name}(?![\\w-])`).test(message) || message.includes(`'${value}'`))
  ).map(({ spec, value, origin }) => `\nnote: --${spec.name} ${value} is from ${origin}`);
  return new UsageError(message + notes.join(""));
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
