// SPDX-License-Identifier: Apache-2.0
import { printGeneric } from "../../lib/ir/mod.ts";
import { asProgram, inputFile, parseParts } from "../load_input.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = inputFile(host, positionals);
  const text = await asProgram({ host, options }, { file, text: await host.readText(file) });
  const modules = parseParts({ host, options }, { file, text });
  const printed = options.flag("generic")
    ? modules.map(printGeneric).join("// -----\n")
    // A part of a program is printed as it was completed.
    : options.given("module") || modules.some(({ fileText }) => fileText !== text)
    ? modules.map((module) => module.text).join("")
    : text;
  await host.writeText(options.text("output") ?? "-", printed);
  return EXIT.ok;
}
