// SPDX-License-Identifier: Apache-2.0

/** What a command line, a configuration file or a program gives for an option. */
export type OptionInput = boolean | number | string;

/**
 * One option of policies as data. The names are those of ttmlir-opt where it has the option, so that options pasted from
 * there mean the same here. Help, docs/cli.md, completions, the schema of the configuration file and the readers of
 * environment and pasted pipelines are made of these.
 */
export interface PolicyOption<Value> {
  /** As on the command line, without dashes. */
  readonly name: string;
  /** How the value is written. */
  readonly kind: "boolean" | "number" | "choice" | "string";
  /** Placeholder for help. */
  readonly value?: string;
  /** Allowed values of a `choice`. */
  readonly choices?: readonly string[];
  /** What holds when nothing is given; without it, the policy's own. */
  readonly default?: OptionInput;
  /** One line for help. */
  readonly description: string;
  /**
   * The value of what was given, or of the default.
   *
   * @throws {RangeError} for numbers that make no sense
   * @throws {DiagnosticError} for texts that cannot be read, pointing into them
   */
  readonly read: (given: OptionInput | undefined) => Value;
}

/** What a maker of options is told beside the kind. */
interface Words {
  readonly name: string;
  readonly description: string;
}

/** A switch; off where no default is given. */
export function switchOption(words: Words & { readonly default?: boolean }): PolicyOption<boolean> {
  return { ...words, kind: "boolean", read: (given) => (given ?? words.default ?? false) === true };
}

/** A whole number from 1 on, or from `least`. */
export function countOption(
  { least = 1, ...words }: Words & {
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
  words: Words & { readonly value: string; readonly default: number },
): PolicyOption<number> {
  const read = (given: OptionInput | undefined): number => {
    const seconds = Number(given ?? words.default);
    if (seconds > 0 && seconds < Infinity) return seconds;
    throw new RangeError(`Option --${words.name} takes a number of seconds above 0, not ${seconds}`);
  };
  return { ...words, kind: "number", read };
}

/** A share above 0, at most 1. */
export function shareOption(words: Words & { readonly default: number }): PolicyOption<number> {
  const read = (given: OptionInput | undefined): number => {
    const share = Number(given ?? words.default);
    if (share > 0 && share <= 1) return share;
    throw new RangeError(`Option --${words.name} must be above 0 and at most 1, not ${share}`);
  };
  return { ...words, kind: "number", value: "SHARE", read };
}

/** One of several names; `undefined` where nothing is given. */
export function choiceOption<Choice extends string>(
  words: Words & { readonly choices: readonly Choice[] },
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

/** A text in a grammar of its own; nothing given is the empty text. */
export function textOption<Value>(words: Words, parse: (text: string) => Value): PolicyOption<Value> {
  return { ...words, kind: "string", value: "TEXT", read: (given) => parse(String(given ?? "")) };
}
