// SPDX-License-Identifier: Apache-2.0
import { freedSettings, parseFreeWords } from "../lib/policy/free.ts";
import { FREE } from "../lib/policy/options.ts";
import { type Options, UsageError } from "./command.ts";
import { optionsOf } from "./option_values.ts";

/**
 * The options with those set that carry out `--free` and `--allow`, unless they are given themselves.
 *
 * @throws {UsageError} for words that these do not know
 */
export function freedOptions(options: Options): Options {
  const text = options.text(FREE.name);
  if (text === undefined) return options;
  try {
    const settings = freedSettings(parseFreeWords(text) ?? [], options.text("allow"));
    const effective = options.effective.map((option) => {
      const value = settings[option.spec.name];
      return value === undefined || option.origin !== "default"
        ? option
        : { ...option, value, origin: `--${FREE.name}` };
    });
    return optionsOf({ name: FREE.name }, effective);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}
