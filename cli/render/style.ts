// SPDX-License-Identifier: Apache-2.0
import type { Options } from "../command.ts";
import type { Host, OutputStream } from "../host.ts";

/** Text decorations; every function returns its text unchanged when colour is off. */
export interface Style {
  readonly enabled: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
}

/**
 * Style for one stream.
 *
 * @param when value of `--color`
 * @param noColor whether `NO_COLOR` is set to something
 */
export function createStyle(when: string, noColor: boolean, stream: OutputStream): Style {
  const enabled = when === "always" || (when === "auto" && !noColor && stream.isTerminal);
  const wrap = (open: number, close: number) => (text: string): string =>
    enabled && text !== "" ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    enabled,
    bold: wrap(1, 22),
    dim: wrap(2, 22),
    red: wrap(31, 39),
    green: wrap(32, 39),
    yellow: wrap(33, 39),
    blue: wrap(34, 39),
    magenta: wrap(35, 39),
    cyan: wrap(36, 39),
  };
}

/** Style for a stream of the process, as `--color`, `NO_COLOR` and the terminal say. */
export function styleOf(host: Host, options: Options, stream: OutputStream = host.stdout): Style {
  return createStyle(options.text("color") ?? "auto", host.environment("NO_COLOR") !== undefined, stream);
}
