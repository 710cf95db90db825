// SPDX-License-Identifier: Apache-2.0

/** An option's value as given on a command line, in a configuration file or by a program. */
export type OptionInput = boolean | number | string;

/**
 * One policy option as data. Names are those of ttmlir-opt where it has the option, so that options pasted from
 * there mean the same here. Help, docs/cli.md, completions, the schema of the configuration file, and the
 * readers of environment variables and pasted pipelines are generated from these.
 */
export interface PolicyOption<Value> {
  /** As on the command line, without dashes. */
  readonly name: string;
  /** How the value is written. */
  readonly kind: "boolean" | "number" | "choice" | "string";
  /** Placeholder in the help text. */
  readonly value?: string;
  /** Allowed values of a `choice`. */
  readonly choices?: readonly string[];
  /** Value if nothing is given; without it, the policy decides. */
  readonly default?: OptionInput;
  /** One line for the help text. */
  readonly description: string;
  /**
   * Reads the given value, or the default.
   *
   * @throws {RangeError} for numbers out of range and names that are no choice
   * @throws {DiagnosticError} for texts that cannot be parsed, with the position
   */
  readonly read: (given: OptionInput | undefined) => Value;
}

/** Fields of all kinds of options. */
interface OptionWords {
  readonly name: string;
  readonly description: string;
}

/** A switch, off by default. */
export function switchOption(words: OptionWords & { readonly default?: boolean }): PolicyOption<boolean> {
  return { ...words, kind: "boolean", read: (given) => (given ?? words.default ?? false) === true };
}

/** A whole number of at least 1, or of at least `least`. */
export function countOption(
  { least = 1, ...words }: OptionWords & {
    readonly value: string;
    readonly default: number;
    readonly least?: number;
  },
): PolicyOption<number> {
  const read = (given: OptionInput | undefined): number => {
    const count = Number(given ?? words.default);
    if (Number.isInteger(count) && count >= least) return count;
    throw new RangeError(`Option --${words.name} takes a whole number from ${least}, not ${count}`);
  };
  return { ...words, kind: "number", read };
}

/** A number of seconds above 0. */
export function durationOption(
  words: OptionWords & { readonly value: string; readonly default: number },
): PolicyOption<number> {
  const read = (given: OptionInput | undefined): number => {
    const seconds = Number(given ?? words.default);
    if (seconds > 0 && seconds < Infinity) return seconds;
    throw new RangeError(`Option --${words.name} takes a number of seconds above 0, not ${seconds}`);
  };
  return { ...words, kind: "number", read };
}

/** A fraction above 0, at most 1. */
export function shareOption(words: OptionWords & { readonly default: number }): PolicyOption<number> {
  const read = (given: OptionInput | undefined): number => {
    const share = Number(given ?? words.default);
    if (share > 0 && share <= 1) return share;
    throw new RangeError(`Option --${words.name} must be above 0 and at most 1, not ${share}`);
  };
  return { ...words, kind: "number", value: "SHARE", read };
}

/** One of several names; `undefined` if nothing is given. */
export function choiceOption<Choice extends string>(
  words: OptionWords & { readonly choices: readonly Choice[] },
): PolicyOption<Choice | undefined> {
  const read = (given: OptionInput | undefined): Choice | undefined => {
    if (given === undefined) return undefined;
    const choice = words.choices.find((name) => name === given);
    if (choice !== undefined) return choice;
    throw new RangeError(
      `Option --${words.name} cannot be '${given}'; choose one of ${words.choices.join(", ")}`,
    );
  };
  return { ...words, kind: "choice", value: "NAME", read };
}

/** A text with its own grammar; nothing given is the empty text. */
export function textOption<Value>(words: OptionWords, parse: (text: string) => Value): PolicyOption<Value> {
  return { ...words, kind: "string", value: "TEXT", read: (given) => parse(String(given ?? "")) };
}
