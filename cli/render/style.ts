// SPDX-License-Identifier: Apache-2.0
import { blue, bold, cyan, dim, green, magenta, red, setColorEnabled, yellow } from "@std/fmt/colors";
import type { Options } from "../command.ts";
import type { Host, OutputStream } from "../host.ts";

// Each stream decides for itself, in its Style; the module's global switch stays on.
setColorEnabled(true);

/** Text decorations; every function returns its text unchanged when colour is off. */
export interface Style {
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
  const decorated = (decorate: (text: string) => string) => (text: string): string =>
    enabled && text !== "" ? decorate(text) : text;
  return {
    bold: decorated(bold),
    dim: decorated(dim),
    red: decorated(red),
    green: decorated(green),
    yellow: decorated(yellow),
    blue: decorated(blue),
    magenta: decorated(magenta),
    cyan: decorated(cyan),
  };
}

/** Style for a stream of the process, as `--color`, `NO_COLOR` and the terminal say. */
export function styleOf(host: Host, options: Options, stream: OutputStream = host.stdout): Style {
  return createStyle(options.text("color") ?? "auto", host.environment("NO_COLOR") !== undefined, stream);
}
