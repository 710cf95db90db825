// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from "@std/cli/parse-args";
import { type Command, type Options, type OptionSpec, UsageError } from "./command.ts";
import { closest } from "./closest.ts";

/** Options that every command understands. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: "help", short: "h", kind: "boolean", description: "Show help and exit" },
  {
    name: "color",
    kind: "choice",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    default: "auto",
    description: "Colour the output (NO_COLOR is respected)",
  },
];

/** Positionals and options of one command line. */
export interface ParsedCommandLine {
  readonly positionals: readonly string[];
  readonly options: Options;
}

type OptionValue = boolean | string | number | readonly string[];

/**
 * Parses the arguments after the command name.
 *
 * @throws {UsageError} for unknown options, bad values, missing or surplus positionals, each with a hint
 */
export function parseCommandLine(command: Command, args: readonly string[]): ParsedCommandLine {
  const specs = [...command.options, ...COMMON_OPTIONS];
  const names = specs.map((spec) => spec.name);
  const booleans = specs.filter((spec) => spec.kind === "boolean");
  const others = specs.filter((spec) => spec.kind !== "boolean");
  const alias: Record<string, string> = {};
  for (const spec of specs) if (spec.short !== undefined) alias[spec.short] = spec.name;
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
  const given = new Set<string>();
  for (const spec of specs) {
    const value = readOption(command, spec, parsed[spec.name], args);
    if (value !== undefined) given.add(spec.name);
    const effective = value ?? spec.default;
    if (effective !== undefined) values.set(spec.name, effective);
  }
  const positionals = parsed._.map(String);
  const [least, most] = command.arity;
  if (values.get("help") !== true && (positionals.length < least || positionals.length > most)) {
    throw new UsageError(
      `Cannot run ${command.name}: it takes ${command.positionals || "no file"}, ` +
        `but ${positionals.length} ${positionals.length === 1 ? "argument was" : "arguments were"} given`,
    );
  }
  return { positionals, options: optionsOf(command, names, values, given) };
}

/** `--at -1,0` becomes `--at=-1,0`: a value that starts with a minus and a digit is no option. */
function joinNegativeValues(args: readonly string[], valued: readonly OptionSpec[]): string[] {
  const names = new Set(valued.map((spec) => `--${spec.name}`));
  const joined: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    const next = args[index + 1];
    if (argument === "--") return [...joined, ...args.slice(index)];
    if (names.has(argument) && next !== undefined && /^-\d/.test(next)) {
      joined.push(`${argument}=${next}`);
      index++;
    } else joined.push(argument);
  }
  return joined;
}

function unknownOption(command: Command, argument: string, names: readonly string[]): UsageError {
  const name = argument.replace(/^-+/, "").replace(/=.*$/s, "");
  const hint = closest(name, names);
  return new UsageError(
    `Unknown option --${name} for ${command.name}${hint === undefined ? "" : `; did you mean --${hint}?`}`,
  );
}

/** The last value wins unless the option is repeatable. */
function readOption(
  command: Command,
  spec: OptionSpec,
  raw: unknown,
  args: readonly string[],
): OptionValue | undefined {
  if (spec.kind === "boolean") {
    const mentioned = args.some((arg) =>
      arg === `--${spec.name}` || arg.startsWith(`--${spec.name}=`) || arg === `--no-${spec.name}` ||
      (spec.short !== undefined && /^-[A-Za-z]+$/.test(arg) && arg.includes(spec.short))
    );
    return mentioned ? raw === true : undefined;
  }
  const texts = Array.isArray(raw) ? raw.map(String) : [];
  const last = texts.at(-1);
  if (last === undefined) return undefined;
  if (last === "") {
    throw new UsageError(`Option --${spec.name} of ${command.name} needs a value (${spec.value ?? "VALUE"})`);
  }
  if (spec.kind === "number") {
    const number = Number(last);
    if (!Number.isFinite(number)) throw new UsageError(`Option --${spec.name} needs a number, not '${last}'`);
    return number;
  }
  if (spec.kind === "choice" && spec.choices !== undefined) {
    for (const text of texts.flatMap((entry) => spec.repeatable === true ? entry.split(",") : [entry])) {
      if (spec.choices.includes(text)) continue;
      const hint = closest(text, spec.choices);
      throw new UsageError(
        `Option --${spec.name} cannot be '${text}'; ` +
          (hint === undefined ? `choose one of ${spec.choices.join(", ")}` : `did you mean '${hint}'?`),
      );
    }
  }
  return spec.repeatable === true ? texts : last;
}

function optionsOf(
  command: Command,
  names: readonly string[],
  values: ReadonlyMap<string, OptionValue>,
  given: ReadonlySet<string>,
): Options {
  const lookUp = (name: string): OptionValue | undefined => {
    if (!names.includes(name)) throw new Error(`Command ${command.name} does not declare --${name}`);
    return values.get(name);
  };
  return {
    given: (name) => given.has(name),
    flag: (name) => lookUp(name) === true,
    text: (name) => {
      const value = lookUp(name);
      return value === undefined ? undefined : String(value);
    },
    texts: (name) => {
      const value = lookUp(name);
      return value === undefined ? [] : Array.isArray(value) ? value : [String(value)];
    },
    number: (name) => {
      const value = lookUp(name);
      return value === undefined ? undefined : Number(value);
    },
  };
}
