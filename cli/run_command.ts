// SPDX-License-Identifier: Apache-2.0
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
import { commandHelp } from "./help.ts";
import { type Host, UNBOUNDED_COLUMNS } from "./host.ts";
import { lowerLayers } from "./option_layers.ts";
import { effectiveOptions, optionsOf } from "./option_values.ts";
import { optionSpecs, parseArguments, requireArity } from "./parse_command_line.ts";
import { renderConfig } from "./render/config_table.ts";
import type { DrawnTable } from "./render/style.ts";

/**
 * Runs one command of the table.
 *
 * @throws {UsageError} for arguments and options that it does not take
 */
export async function runCommand(
  name: string,
  args: readonly string[],
  host: Host,
  commands: readonly Command[],
): Promise<ExitCode> {
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    host.stderr.write(
      `error: Unknown command '${name}'${didYouMean(name, commands.map((candidate) => candidate.name))}\n` +
        "Run 'tilewright --help' for the list of commands.\n",
    );
    return EXIT.usage;
  }
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
    : await command.load();
  try {
    return options.flag("csv")
      ? await runForTables(run, { host, positionals, options, commands })
      : await run({ host, positionals, options, commands });
  } catch (error) {
    throw error instanceof UsageError ? withOrigins(error, effective) : error;
  } finally {
    host.stderr.status("");
  }
}

/** Runs a command for its tables alone. */
async function runForTables(run: CommandRun, invocation: Invocation): Promise<ExitCode> {
  const { host, options } = invocation;
  const isJson = options.effective.some(({ spec, value }) => spec.name === "json" && value === true);
  if (isJson) throw new UsageError("Cannot print JSON and CSV at once: give --json or --csv");
  const tables: DrawnTable[] = [];
  const stdout = { write: () => {}, isTerminal: false, columns: UNBOUNDED_COLUMNS };
  const code = await run({
    ...invocation,
    host: { ...host, stdout, tables: (table) => void tables.push(table) },
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
