// SPDX-License-Identifier: Apache-2.0
import { type CommandContext, EXIT, type ExitCode } from "./command.ts";
import { type Envelope, jsonOutput } from "./json_output.ts";
import { type Style, styleOf } from "./render/style.ts";

/**
 * Prints what a command found: with `--json` its document, else its text. Only the one that is asked for is made.
 *
 * @param json the document, or the text of one
 * @returns that all went well
 */
export function printAnswer<Document extends Envelope>(
  { host, options }: CommandContext,
  json: () => Document | string,
  text: (style: Style) => string,
): ExitCode {
  if (options.flag("json")) {
    const document = json();
    host.stdout.write(typeof document === "string" ? document : jsonOutput(document));
  } else host.stdout.write(text(styleOf(host, options)));
  return EXIT.ok;
}
