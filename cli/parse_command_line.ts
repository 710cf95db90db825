// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from "@std/cli/parse-args";
import { closest } from "./closest.ts";
import { type Command, COMMAND_LINE, type OptionSpec, type OptionValue, UsageError } from "./command.ts";
import { COMMON_OPTIONS } from "./commands/shared_options.ts";
import { type OptionLayer, readOptionText } from "./option_values.ts";

/** Parsed arguments of one command line, before defaults and other sources of options. */
export interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly layer: OptionLayer;
}

/** Every option that a command understands. */
export function optionSpecs(command: Command): readonly OptionSpec[] {
  return [...command.options, ...COMMON_OPTIONS];
}

/**
 * Parses the arguments after the command name.
 *
 * @throws {UsageError} for unknown options and bad values, each with a hint
 */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const specs = optionSpecs(command);
  const booleans = specs.filter((spec) => spec.kind === "boolean");
  const others = specs.filter((spec) => spec.kind !== "boolean");
  const alias: Record<string, string> = {};
  for (const spec of specs) if (spec.short !== undefined) alias[spec.short] = spec.name;
  // The parser stores positional words under this name, so it cannot be an option.
  const end = args.indexOf("--");
  const reserved = (end === -1 ? args : args.slice(0, end)).find((argument) => /^--?_(?:=|$)/.test(argument));
  const names = specs.map((spec) => spec.name);
  if (reserved !== undefined) throw unknownOption(command, reserved, names);
  let unknown: string | undefined;
  const parsed = parseArgs(joinNegativeValues(args, others), {
    boolean: booleans.map((spec) => spec.name),
    string: [...others.map((spec) => spec.name), "_"],
    negatable: booleans.map((spec) => spec.name),
    collect: others.map((spec) => spec.name),
    alias,
    unknown: (argument, key) => {
      if (key === undefined || argument === "-") return true;
      unknown ??= argument;
      return false;
    },
  });
  if (unknown !== undefined) throw unknownOption(command, unknown, names);
  const values = new Map<string, OptionValue>();
  for (const spec of specs) {
    const value = readArgument(spec, parsed[spec.name], args);
    if (value !== undefined) values.set(spec.name, value);
  }
  return { positionals: parsed._.map(String), layer: { origin: COMMAND_LINE, values } };
}

/** @throws {UsageError} if there are too few or too many positionals */
export function requireArity(command: Command, positionals: readonly string[]): void {
  const words = command.positionals.split(" ").filter((word) => word !== "");
  const optional = /\[.*\]/.exec(command.positionals)?.[0].split(" ") ?? [];
  const most = command.positionals.includes("…") ? command.mostPositionals ?? Infinity : words.length;
  if (positionals.length >= words.length - optional.length && positionals.length <= most) return;
  throw new UsageError(
    `Cannot run ${command.name}: it takes ${command.positionals || "no file"}, ` +
      `but ${positionals.length} ${positionals.length === 1 ? "argument was" : "arguments were"} given`,
  );
}

/**
 * `--at -1,0` becomes `--at=-1,0`, `--free -configs` becomes `--free=-configs`, `--log -` becomes `--log=-`: a minus alone,
 * or with a digit or several letters behind it, is a value, because names of options of several letters start with two. So is
 * what no name of an option can be, such as a message of several words.
 */
function joinNegativeValues(args: readonly string[], valued: readonly OptionSpec[]): string[] {
  const names = new Set(
    valued.flatMap(({ name, short }) => [`--${name}`, ...short === undefined ? [] : [`-${short}`]]),
  );
  const joined: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    const next = args[index + 1];
    if (argument === "--") return [...joined, ...args.slice(index)];
    if (names.has(argument) && next !== undefined && VALUE.test(next)) {
      joined.push(`${argument}=${next}`);
      index++;
    } else joined.push(argument);
  }
  return joined;
}

const VALUE = /^-(?:$|\d|[a-z]{2}|(?!-?[a-z][\w-]*(?:=|$)))/i;

function unknownOption(command: Command, argument: string, names: readonly string[]): UsageError {
  const written = argument.replace(/=.*$/s, "");
  const hint = closest(written.replace(/^-+/, ""), names);
  return new UsageError(
    `Unknown option ${written} for ${command.name}${hint === undefined ? "" : `; did you mean --${hint}?`}`,
  );
}

/** The last value wins unless the option is repeatable. */
function readArgument(spec: OptionSpec, raw: unknown, args: readonly string[]): OptionValue | undefined {
  if (spec.kind === "boolean") {
    const mention = args.findLast((arg) =>
      arg === `--${spec.name}` || arg.startsWith(`--${spec.name}=`) || arg === `--no-${spec.name}` ||
      (spec.short !== undefined && /^-[A-Za-z]+$/.test(arg) && arg.includes(spec.short))
    );
    const [, word] = mention?.split("=") ?? [];
    if (word !== undefined) return readOptionText(spec, [word], "");
    return mention === undefined ? undefined : raw === true;
  }
  const texts = Array.isArray(raw) ? raw.map(String) : [];
  return texts.length === 0 ? undefined : readOptionText(spec, texts, "");
}
