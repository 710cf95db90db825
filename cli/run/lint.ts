// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { type Diagnostic, DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { errorIn, type ModuleText } from "../../lib/ir/mod.ts";
import { lowerModule, needsLowering } from "../../lib/lowering/mod.ts";
import { isUncoveredOp, knownOps } from "../../lib/ops/op_book.ts";
import { withoutDestinations } from "../../lib/ttnn/destinations.ts";
import { verifyModule, type VerifyOptions } from "../../lib/verify/verify_module.ts";
import { brokenRules } from "../../pipeline/check_memory.ts";
import { chipDescription, type Device } from "../../sim/devices/device.ts";
import { didYouMean } from "../closest.ts";
import { chooseDevice } from "../choose_device.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";
import { jsonOutput } from "../json_output.ts";
import { asProgram, inputFile, meshShapeOf, parseParts } from "../load_input.ts";
import { renderDiagnostic } from "../render/diagnostics.ts";
import { plural } from "../render/format.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = inputFile(host, positionals);
  const text = await asProgram({ host, options }, { file, text: await host.readText(file) });
  const modules = parseParts({ host, options }, { file, text });
  const diagnostics: Diagnostic[] = [];
  // Without one, layouts are checked only against the file itself, and op rules on the device that it implies.
  let device: string | null = null;
  for (const parsed of modules) {
    const { module } = withoutDestinations(parsed);
    const isChosen = options.given("device") || options.given("system-desc-path");
    const chosen = isChosen ? await chooseDevice(host, options, module) : undefined;
    device = chosen?.name ?? null;
    const chip = chosen === undefined ? undefined : chipDescription(chosen);
    const against: VerifyOptions = chip === undefined
      ? {}
      : { workerGrid: chip.workerGrid, dramBanks: chip.dramBanks };
    const found = verifyModule(module, against);
    diagnostics.push(...found);
    // Files with errors can neither be lowered nor read as graphs, and the errors are already reported.
    if (found.some(({ severity }) => severity === "error")) continue;
    const meshShape = meshShapeOf(options, module);
    const target = chosen ?? await chooseDevice(host, options, module, meshShape);
    diagnostics.push(
      ...(needsLowering(module)
        ? loweringFindings(module, chipDescription(target), meshShape)
        : [...unknownOps(module), ...ruleFindings(module, target, chosen === undefined)]),
    );
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

/** A warning per name of ops that no rule covers, at the first of them. */
function unknownOps(module: ModuleText): readonly Diagnostic[] {
  const unknown = module.operations.filter(({ name }) => isUncoveredOp(name));
  return [...Map.groupBy(unknown, ({ name }) => name)].flatMap(([name, ops]) => {
    const [first] = ops;
    const names = knownOps().map((known) => known.name);
    const message =
      `${name} is unknown (${plural(ops.length, "op")}): its layouts stay as written, and its buffers ` +
      `and its time are not known${didYouMean(name, names)}`;
    return errorIn(module, "op/no-rule", first?.nameSpan.start ?? 0, message).diagnostics
      .map((found) => ({ ...found, severity: "warning" as const }));
  });
}

/** Errors for ops that the backend refuses; warnings why, if the module cannot be read as a graph. */
function ruleFindings(module: ModuleText, device: Device, isAssumed: boolean): readonly Diagnostic[] {
  try {
    return brokenRules(module, device, isAssumed);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostics.map((found) => ({ ...found, severity: "warning" }));
  }
}

/**
 * The first obstacle to lowering TTIR: an error if shapes contradict each other, else a warning, because
 * other tools may accept it.
 */
function loweringFindings(
  module: ModuleText,
  chip: ChipDescription,
  meshShape: readonly number[],
): readonly Diagnostic[] {
  try {
    lowerModule(module, chip, { meshShape });
    // Ops without a lowering are listed after contradictions.
    lowerModule(module, chip, { meshShape, isStrict: true });
    return [];
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostics.map((found) =>
      found.code === "lowering/shape" ? found : { ...found, severity: "warning" }
    );
  }
}
