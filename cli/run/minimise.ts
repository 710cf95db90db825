// SPDX-License-Identifier: Apache-2.0
import { type Condition, readCondition, UnreadableCondition } from "../../pipeline/minimise/condition.ts";
import { minimiseModule } from "../../pipeline/minimise/minimise_module.ts";
import { chooseDevice } from "../choose_device.ts";
import { choosePolicy, unknownPolicy } from "../choose_policy.ts";
import { POLICY_NAMES } from "../commands/policy_options.ts";
import { EXIT, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import { decidedGraph } from "../graph_options.ts";
import { asProgram, inputFile, parseInput, withArgumentTypes } from "../load_input.ts";
import { jsonOutput } from "../json_output.ts";
import { chosenPolicy, optionsForPolicies, policyTools } from "../policy_options.ts";
import { createProgress } from "../progress.ts";
import { runAssumptions } from "../run_assumptions.ts";
import { plural } from "../render/format.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = inputFile(host, positionals);
  const condition = await conditionOf(options);
  const text = await asProgram({ host, options }, { file, text: await host.readText(file) });
  const module = withArgumentTypes(options, parseInput({ host, options }, { file, text }));
  const device = await chooseDevice(host, options, module);
  const policyOptions = optionsForPolicies(host, options, policiesOf(condition));
  const { passes } = decidedGraph(options);
  const progress = createProgress(host);
  const minimal = minimiseModule(
    module,
    condition,
    {
      device,
      options: policyOptions,
      tools: policyTools(host, policyOptions),
      assumed: runAssumptions(options),
      passes: passes === "none" ? undefined : passes,
    },
    {
      mostTries: options.number("tries") ?? 2000,
      onTry: (tries, ops) =>
        progress.stage(`try ${tries}${ops === Infinity ? "" : `, ${plural(ops, "op")} so far`}`),
    },
  );
  if ("reason" in minimal) {
    host.stderr.write(
      minimal.reason === "does_not_hold"
        ? `${file} does not show the condition: ${options.text("keeps")}\n`
        : `${file} shows the condition, but none of its functions alone does\n`,
    );
    return EXIT.finding;
  }
  const output = options.text("output");
  if (options.flag("json")) {
    const { text, function: name, ...counts } = minimal;
    host.stdout.write(jsonOutput({
      schema: "tilewright.minimal/1",
      input: file,
      device: device.name,
      summary: counts,
      keeps: options.text("keeps"),
      function: name,
      text,
    }));
  }
  if (output !== undefined || !options.flag("json")) await host.writeText(output ?? "-", minimal.text);
  host.stderr.write(
    `kept ${minimal.opsAfter} of ${plural(minimal.opsBefore, "op")} of @${minimal.function} after ${
      plural(minimal.tries, "try").replace("trys", "tries")
    }${minimal.stoppedEarly ? "; stopped at the limit of --tries, more may reduce it further" : ""}\n`,
  );
  return EXIT.ok;
}

async function conditionOf(options: Options): Promise<Condition> {
  const text = options.text("keeps");
  if (text === undefined) {
    throw new UsageError(
      "Cannot minimise without a condition: give --keeps, for example 'doctor finds a clash'",
    );
  }
  try {
    // The condition may name any policy, so all are loaded.
    const policies = new Map(
      await Promise.all(POLICY_NAMES.map(async (name) => [name, await choosePolicy(name)] as const)),
    );
    const policyOf = (name: string) => {
      const policy = policies.get(name);
      if (policy === undefined) throw unknownPolicy(name);
      return policy;
    };
    return readCondition(text, policyOf, await chosenPolicy(options));
  } catch (error) {
    if (error instanceof UnreadableCondition) throw new UsageError(`Option --keeps: ${error.message}`);
    throw error;
  }
}

function policiesOf(condition: Condition) {
  switch (condition.kind) {
    case "doctor":
      return [];
    case "diff":
      return [condition.a, condition.b];
    case "fails":
      return [condition.policy];
  }
}
