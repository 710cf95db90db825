// SPDX-License-Identifier: Apache-2.0
import { TENSOR_L1_USAGE_CAP } from "../../lib/policy/options.ts";
import { workbenchFor } from "../../pipeline/load.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { findBackend } from "../backend/environment.ts";
import { choosePolicy } from "../choose_policy.ts";
import { type CommandContext, EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import { inputFile, loadInput } from "../load_input.ts";
import { loadForPolicies } from "../load_for_policies.ts";
import { optionsForPolicies, optionsOfCommand, policyTools } from "../policy_options.ts";
import { POLICY_OPTIONS } from "../policy_manifest.ts";
import { printAnswer } from "../print_answer.ts";
import { baseName, createProgress, type Progress } from "../progress.ts";
import { confirmationJson, renderConfirmation } from "../render/confirmation.ts";
import { confirmModule } from "./confirm/confirm_module.ts";
import { setUp } from "./confirm/set_up.ts";

export async function run({ positionals, ...context }: Invocation): Promise<ExitCode> {
  const { host, options } = context;
  if (options.flag("setup")) return await setUp(host);
  const file = inputFile(host, positionals);
  const place = await findBackend(host);
  const progress = createProgress(host);
  progress.stage(`${baseName(file)}: reading`);
  const { workbench, policy, cap } = await subjectOf(context, file, progress);
  const confirmation = await confirmModule(host, place, { workbench, file, cap }, progress);
  const about = { input: file, device: workbench.device.name, policy };
  printAnswer(
    context,
    () => confirmationJson(confirmation, about),
    (style) => renderConfirmation(confirmation, about, options.flag("all") ? "all" : "told", style),
  );
  return confirmation.verdict === "confirmed" ? EXIT.ok : EXIT.finding;
}

/** The file as written, or the plan of `--policy`. */
async function subjectOf(context: CommandContext, file: string, progress: Progress) {
  const { host, options } = context;
  const name = options.text("policy");
  if (name === undefined) {
    const given = POLICY_OPTIONS.find(({ name }) => name !== TENSOR_L1_USAGE_CAP.name && options.given(name));
    if (given !== undefined) {
      throw new UsageError(
        `--${given.name} has no effect on a file as written; name a --policy that reads it`,
      );
    }
    const { tensorL1UsageCap: cap } = optionsOfCommand(options, POLICY_OPTIONS);
    return { workbench: await loadInput(context, file, { tensorL1UsageCap: cap }), policy: undefined, cap };
  }
  const policy = await choosePolicy(name);
  const policyOptions = optionsForPolicies(host, options, [policy], [TENSOR_L1_USAGE_CAP]);
  const input = { file, text: await host.readText(file) };
  const workbench = await loadForPolicies(context, input, policyOptions);
  progress.stage(`${baseName(file)}: ${policy.name} for ${workbench.device.name}`);
  const tools = policyTools(host, policyOptions, progress);
  const { text } = optimizeModule(workbench, policy, policyOptions, tools);
  return {
    workbench: workbenchFor(text, workbench.module.fileName, workbench, policyOptions),
    policy: name,
    cap: policyOptions.tensorL1UsageCap,
  };
}
