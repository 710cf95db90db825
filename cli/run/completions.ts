// SPDX-License-Identifier: Apache-2.0
import { closest } from "../closest.ts";
import { COMMANDS } from "../command_table.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import { COMPLETION_SCRIPTS } from "../render/completion_scripts.ts";

/** Runs `completions`. */
export function run({ host, positionals }: Invocation): ExitCode {
  const [shell = ""] = positionals;
  const script = COMPLETION_SCRIPTS.get(shell);
  if (script === undefined) {
    const shells = [...COMPLETION_SCRIPTS.keys()];
    const hint = closest(shell, shells);
    throw new UsageError(
      `Cannot complete for '${shell}'${hint === undefined ? "" : `; did you mean '${hint}'?`} Shells: ${
        shells.join(", ")
      }`,
    );
  }
  host.stdout.write(script(COMMANDS));
  return EXIT.ok;
}
