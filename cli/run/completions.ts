// SPDX-License-Identifier: Apache-2.0
import { didYouMean } from "../closest.ts";
import { COMMANDS } from "../command_table.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import { COMPLETION_SCRIPTS } from "../render/completion_scripts.ts";

/** Runs `completions`. */
export function run({ host, positionals }: Invocation): ExitCode {
  const [shell = ""] = positionals;
  const script = COMPLETION_SCRIPTS.get(shell);
  if (script === undefined) {
    const shells = [...COMPLETION_SCRIPTS.keys()];
    throw new UsageError(
      `Cannot complete for '${shell}'${didYouMean(shell, shells, `Shells: ${shells.join(", ")}`)}`,
    );
  }
  host.stdout.write(script(COMMANDS));
  return EXIT.ok;
}
