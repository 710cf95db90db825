// SPDX-License-Identifier: Apache-2.0
import { knownOps } from "../../lib/ops/op_book.ts";
import { DEVICE_NAMES } from "../../sim/devices/device_registry.ts";
import { didYouMean } from "../closest.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import { COMPLETION_SCRIPTS, type PositionalNames } from "../render/completion_scripts.ts";

/** Devices for `devices show`, ops for `price`. */
export const POSITIONAL_NAMES: PositionalNames = new Map([
  ["devices", DEVICE_NAMES],
  ["price", knownOps().map(({ name }) => name.replace(/^ttnn\./, ""))],
]);

export function run({ host, positionals, commands }: Invocation): ExitCode {
  const [shell = ""] = positionals;
  const script = COMPLETION_SCRIPTS.get(shell);
  if (script === undefined) {
    const shells = [...COMPLETION_SCRIPTS.keys()];
    throw new UsageError(
      `Cannot complete for '${shell}'${didYouMean(shell, shells, `Shells: ${shells.join(", ")}`)}`,
    );
  }
  host.stdout.write(script(commands, POSITIONAL_NAMES));
  return EXIT.ok;
}
