// SPDX-License-Identifier: Apache-2.0
import { freedSettings, parseFreeWords } from "../lib/policy/free.ts";
import { FREE } from "../lib/policy/options.ts";
import { type Options, UsageError } from "./command.ts";
import { optionsOf } from "./option_values.ts";

/**
 * The options with the settings that `--free` and `--allow` imply; explicitly given options keep their values.
 *
 * @throws {UsageError} for unknown words of either
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
