// SPDX-License-Identifier: Apache-2.0
import { parseModule, parseModules } from "../../lib/ir/mod.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";

/** Runs `print`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = positionals[0] ?? "-";
  const text = await host.readText(file);
  const modules = options.flag("split-input-file") ? parseModules(text, file) : [parseModule(text, file)];
  await host.writeText(options.text("output") ?? "-", options.flag("generic") ? "" : text);
  return modules.length > 0 ? EXIT.ok : EXIT.badInput;
}
