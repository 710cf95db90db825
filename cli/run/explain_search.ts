// SPDX-License-Identifier: Apache-2.0
import type { FunctionSearchLog } from "../../lib/policy/search_log.ts";
import { SEARCH_STEP_FACTS } from "../../lib/policy/search_step_facts.ts";
import { carryOutFormats, decidePlan } from "../../pipeline/optimize.ts";
import { EXIT, type ExitCode, type Options, UsageError } from "../command.ts";
import { decidedGraph } from "../graph_options.ts";
import type { Host } from "../host.ts";
import { type Envelope, jsonOutput } from "../json_output.ts";
import { inputFile, loadInput } from "../load_input.ts";
import { chosenPolicy, optionsForPolicies, policyTools, requireOverrides } from "../policy_options.ts";
import { baseName, createProgress } from "../progress.ts";
import { renderSearch } from "../render/search_table.ts";
import { styleOf } from "../render/style.ts";

/**
 * Runs `explain --search`: what every step of the search did for every function.
 *
 * @throws {UsageError} with a policy that has no such search
 */
export async function explainSearch(
  host: Host,
  options: Options,
  positionals: readonly string[],
): Promise<ExitCode> {
  for (const name of ["op", "trace", "gap"]) {
    if (options.given(name)) {
      throw new UsageError(`Cannot explain the search and --${name} at once; leave one out`);
    }
  }
  const file = inputFile(host, positionals);
  const policy = await chosenPolicy(options);
  const policyOptions = optionsForPolicies(host, options, [policy]);
  const progress = createProgress(host);
  progress.stage(`${baseName(file)}: ${policy.name}`);
  const workbench = await loadInput({ host, options }, file, { ...policyOptions, ...decidedGraph(options) });
  requireOverrides(host, workbench, policyOptions);
  const logs: FunctionSearchLog[] = [];
  decidePlan(carryOutFormats(workbench, policyOptions), policy, policyOptions, {
    ...policyTools(host, policyOptions),
    onOp: progress.op,
    searchLog: (log) => void logs.push(log),
  });
  progress.done();
  if (logs.length === 0 && policy.tellsGap !== true) {
    throw new UsageError(
      `Cannot explain the search of ${policy.name}: only auto and optimal search in steps`,
    );
  }
  const { device } = workbench;
  host.stdout.write(
    options.flag("json")
      ? jsonOutput(searchDocument(logs, { input: file, device: device.name, policy: policy.name }))
      : renderSearch(
        logs,
        `${file} on ${device.name}, policy ${policy.name}`,
        styleOf(host, options),
        host.stdout.columns,
      ),
  );
  return EXIT.ok;
}

/** The document of `--json`. */
function searchDocument(
  logs: readonly FunctionSearchLog[],
  { input, device, policy }: Readonly<Record<"input" | "device" | "policy", string>>,
): Envelope & { readonly policy: string; readonly functions: readonly unknown[] } {
  const steps = logs.flatMap((log) => log.steps);
  return {
    schema: "tilewright.search/1",
    input,
    device,
    summary: {
      functions: logs.length,
      workUs: steps.reduce((sum, { workUs = 0 }) => sum + workUs, 0),
    },
    policy,
    functions: logs.map((log) => ({
      ...log,
      steps: log.steps.map(({ step, runs, skipped, workUs, incumbentUs, savedUs, boundUs, raisedUs }) => ({
        step,
        runs,
        skipped,
        workUs,
        incumbentUs,
        savedUs,
        boundUs,
        raisedUs,
        ...SEARCH_STEP_FACTS[step],
      })),
    })),
  };
}
