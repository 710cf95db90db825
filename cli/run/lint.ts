// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic } from "../../lib/diagnostics/diagnostic.ts";
import { parseModule, parseModules } from "../../lib/ir/mod.ts";
import { verifyModule, type VerifyOptions } from "../../lib/verify/verify_module.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { chooseDevice } from "../choose_device.ts";
import { inputFile } from "../load_input.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";
import { renderDiagnostic } from "../render/diagnostics.ts";
import { jsonOutput } from "../json_output.ts";

/** Runs `lint`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = inputFile(host, positionals);
  const text = await host.readText(file);
  const modules = options.flag("split-input-file") ? parseModules(text, file) : [parseModule(text, file)];
  const diagnostics: Diagnostic[] = [];
  // Without a device the file is held to its own words alone.
  let device: string | null = null;
  for (const module of modules) {
    const isChosen = options.given("device") || options.given("system-desc-path");
    const chosen = isChosen ? await chooseDevice(host, options, module) : undefined;
    device = chosen?.name ?? null;
    const chip = chosen === undefined ? undefined : chipDescription(chosen);
    const against: VerifyOptions = chip === undefined
      ? {}
      : { workerGrid: chip.workerGrid, dramBanks: chip.dramBanks };
    diagnostics.push(...verifyModule(module, against));
  }
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  const warnings = diagnostics.filter((diagnostic) => diagnostic.severity === "warning").length;
  if (options.flag("json")) {
    host.stdout.write(
      jsonOutput({
        schema: "tilewright.lint/1",
        input: file,
        device,
        summary: { errors, warnings },
        diagnostics,
      }),
    );
  } else {
    for (const diagnostic of diagnostics) host.stderr.write(renderDiagnostic(diagnostic));
  }
  return errors > 0 || (options.flag("strict") && warnings > 0) ? EXIT.finding : EXIT.ok;
}
