// SPDX-License-Identifier: Apache-2.0
import type { Policy } from "../lib/policy/policy.ts";
import type { Host } from "./host.ts";

/** Exit codes of all commands. */
export const EXIT = {
  ok: 0,
  /** A finding: `diff` over the threshold, `lint` errors, a plan that does not run or fit. */
  finding: 1,
  /** A usage error. */
  usage: 2,
  /** Input that cannot be read, parsed or supported. */
  badInput: 3,
  /** A bug of ours. */
  internal: 4,
} as const;

/** Origin of flags on the command line; it has the highest priority. */
export const COMMAND_LINE = "command line";

/** One of the values of {@linkcode EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Kinds of options that several commands share, with their titles in help. */
export const OPTION_GROUPS = {
  rows: "Rows of the table",
  run: "Chip, machine and run",
  graph: "Graph passes, before layouts are decided",
} as const;

/** One of the keys of {@linkcode OPTION_GROUPS}. */
export type OptionGroup = keyof typeof OPTION_GROUPS;

/** Options with the group that help lists them in. */
export function grouped(group: OptionGroup, given: readonly (OptionSpec | string)[]): readonly OptionSpec[] {
  return options(...given).map((spec) => ({ ...spec, group }));
}

/** One `--option` of a command as data, for the parser, `--help`, docs and completions. */
export interface OptionSpec {
  /** Long name without dashes, for example `beam-width`. */
  readonly name: string;
  /** Single letter without dash. */
  readonly short?: string;
  readonly kind: "boolean" | "string" | "number" | "choice";
  /** Placeholder for help, for example `FILE`; not for booleans. */
  readonly value?: string;
  /** Allowed values of a `choice`. */
  readonly choices?: readonly string[];
  /** Words that completion offers for a `string`; others are allowed as well. */
  readonly suggestions?: readonly string[];
  readonly default?: string | number | boolean;
  /** Least integer of a `number`; absent if it may be fractional or has other bounds. */
  readonly from?: number;
  /** May be given more than once. */
  readonly repeatable?: boolean;
  readonly description: string;
  /** Its group, for options that several commands share; absent for a command's own options. */
  readonly group?: OptionGroup;
  /** Policies that read it; absent for options of the command itself. */
  readonly readBy?: readonly string[];
  /** Equivalent options of ttmlir-opt, weakest first: if several are pasted, the last one in this list applies. */
  readonly pipeline?: readonly PipelineWord[];
}

/**
 * An option: a switch, or `NAME VALUE` with the placeholder of its value. One with choices is a choice, one with a
 * numeric default or a least value a number; `parts` states the kind where it does not follow.
 */
export function option(
  words: string,
  description: string,
  parts: Partial<Omit<OptionSpec, "name" | "value" | "description">> = {},
): OptionSpec {
  const [name = "", value] = words.split(" ");
  const isNumber = parts.from !== undefined || typeof parts.default === "number";
  const ofValue = parts.choices !== undefined ? "choice" : isNumber ? "number" : "string";
  return {
    name,
    ...(value === undefined ? { kind: "boolean" } : { kind: ofValue, value }),
    ...parts,
    description,
  };
}

/** Options, or lines for {@linkcode optionOf}. */
export function options(...given: readonly (OptionSpec | string)[]): readonly OptionSpec[] {
  return given.map((one) => typeof one === "string" ? optionOf(one) : one);
}

/**
 * An option from a line, `NAME VALUE (one of a|b, from 1, default a, repeatable, short n) — what it does`; all but the
 * name and what it does may be missing.
 *
 * @throws {RangeError} for a line of another form
 */
function optionOf(line: string): OptionSpec {
  const [, words, notes = "", description] = /^(\S+(?: \S+)?)(?: \((.*?)\))? — (.*)$/.exec(line) ?? [];
  if (words === undefined || description === undefined) throw new RangeError(`No option: ${line}`);
  const note = (name: string): string | undefined =>
    notes.split(", ").find((part) => part.startsWith(name))?.slice(name.length + 1);
  const [choices, from, standard, short] = ["one of", "from", "default", "short"].map(note);
  const isNumber = choices === undefined && /^\d/.test(standard ?? "");
  return option(words, description, {
    ...(choices === undefined ? {} : { choices: choices.split("|") }),
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(standard === undefined ? {} : {
      default: isNumber ? Number(standard) : words.includes(" ") ? standard : standard === "true",
    }),
    ...(note("repeatable") === undefined ? {} : { repeatable: true }),
    ...(short === undefined ? {} : { short }),
  });
}

/** An option of ttmlir-opt with the meaning of one of ours. */
export interface PipelineWord {
  /** Its name there. */
  readonly name: string;
  /** Our values by theirs. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether other values are passed through unchanged; otherwise they are ignored. */
  readonly takesOurs: boolean;
  /** A name of upstream that decides in its place where both are given. */
  readonly yieldsTo?: string;
}

/** Facts about a policy that the command line needs before loading it. */
export interface PolicyEntry {
  /** Loads its code; not when Deno starts, see {@linkcode Command.load}. */
  load(): Promise<{ readonly policy: Policy }>;
  /** Name for `--policy`. */
  readonly name: string;
  /** Name in ttmlir-opt's former `memory-layout-analysis-policy`. */
  readonly compilerName?: string;
}

/** An example command line with its description. */
export interface Example {
  /** Arguments after `tilewright`. */
  readonly command: string;
  readonly description: string;
  /** Its exit code; {@linkcode EXIT.ok} by default. */
  readonly exitCode?: number;
}

/** The examples of a command, in their order. */
export function examplesOf({ examples }: Pick<Command, "examples">): readonly Example[] {
  return examples.map((line) => {
    const [, command = "", exitCode, description = ""] =
      /^(.*?)(?: \(exit code (\d)\))? — (.*)$/.exec(line) ?? [];
    return { command, description, ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }) };
  });
}

/** A subcommand as data; its code is loaded only when it runs. */
export interface Command {
  readonly name: string;
  /**
   * Loads its code. Deno loads the module of a literal `import()` before it starts, for `--help` too; `satisfies` makes
   * the path no literal, but bundlers still follow it.
   */
  load(): Promise<{ readonly run: CommandRun }>;
  /** One line, no full stop. */
  readonly summary: string;
  /** Positionals as the usage line has them, and as they are counted: `A [B]` takes one or two, `FILE…` one or more. */
  readonly positionals: string;
  /** Most positionals, where the words end in `…` and there is a limit. */
  readonly mostPositionals?: number;
  readonly options: readonly OptionSpec[];
  /** `ARGUMENTS (exit code 1) — what they do`; the arguments after `tilewright`, the code if it is not 0. */
  readonly examples: readonly string[];
  /** Further paragraphs for `--help` and docs/cli.md. */
  readonly notes?: readonly string[];
}

export type CommandRun = (invocation: Invocation) => Promise<ExitCode> | ExitCode;

/** Input of a command's code: the host and the options. */
export interface CommandContext {
  readonly host: Host;
  readonly options: Options;
}

/** A parsed command line, passed to a command's code. */
export interface Invocation extends CommandContext {
  readonly positionals: readonly string[];
  /** Every command, for those that run or name others. */
  readonly commands: readonly Command[];
}

/** A value of an option; a list for repeatable options. */
export type OptionValue = boolean | string | number | readonly string[];

/** An option with its effective value and the origin of that. */
export interface EffectiveOption {
  readonly spec: OptionSpec;
  /** `undefined` if it was not given and has no default. */
  readonly value: OptionValue | undefined;
  /** `default`, or the origin of the layer. */
  readonly origin: string;
}

/**
 * Typed access to parsed options; reading an option that the command does not declare is a bug and throws.
 */
export interface Options {
  /** All options as data for {@linkcode optionsOf} in another thread. */
  readonly effective: readonly EffectiveOption[];
  /** True when the user gave the option, in any form. */
  given(name: string): boolean;
  /** Origin of the value: `default`, {@linkcode COMMAND_LINE}, a variable, a file. */
  origin(name: string): string;
  flag(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  number(name: string): number | undefined;
}

/** A usage error; rendered with a hint and exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
