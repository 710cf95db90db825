// SPDX-License-Identifier: Apache-2.0
import {
  type AdviceList,
  advise,
  type AdvisedRun,
  type Change,
  type PricedChange,
} from "../../pipeline/advice.ts";
import { functionPlans } from "../../lib/plan/plan.ts";
import { FREE_NAMES, FREEDOMS, type FreeName, freeOf, parseFreeWords } from "../../lib/policy/free.ts";
import { errorOfGraph } from "../../lib/precision/graph_error.ts";
import { correlation, type RelativeError, relativeL2 } from "../../lib/precision/product_error.ts";
import { carryOutFormats, optimizeModule } from "../../pipeline/optimize.ts";
import {
  COMMAND_LINE,
  type CommandContext,
  type ExitCode,
  type Invocation,
  type Options,
  type OptionValue,
  UsageError,
} from "../command.ts";
import { advise as COMMAND } from "../commands/advise.ts";
import { inputFile, type InputText } from "../load_input.ts";
import { optionsOf } from "../option_values.ts";
import { loadForPolicies } from "../load_for_policies.ts";
import { printAnswer } from "../print_answer.ts";
import { chosenPolicy, optionsForPolicies, policyTools } from "../policy_options.ts";
import { POLICY_OPTIONS } from "../policy_manifest.ts";
import { createProgress, type Progress } from "../progress.ts";
import { renderAdvice } from "../render/advice_table.ts";
import { topRows } from "../row_options.ts";

/** Changed options by name. */
type Setting = Readonly<Record<string, OptionValue>>;

/** Changes to try: every freedom, and other options. */
const CHANGES: readonly Change<Setting>[] = [
  { what: "the search of every policy", setting: { policy: "auto" }, numbers: "same" },
  { what: "graph passes", setting: { "keep-graph": false }, numbers: "same" },
  { what: "row-major layouts", setting: { "row-major-enabled": true }, numbers: "same" },
  { what: "all of L1 for tensors", setting: { "tensor-l1-usage-cap": 1 }, numbers: "same" },
  ...FREE_NAMES.flatMap((name): readonly Change<Setting>[] => {
    const { changes, numbers, steps } = FREEDOMS[name];
    return steps?.map(({ what, setting }) => ({ what, setting, numbers })) ??
      [{ what: changes, setting: { free: `+${name}` }, numbers }];
  }),
  {
    what: "accumulation in 16 bits",
    setting: { "compute-cfg-fp32-dest-acc-en": "false" },
    numbers: "unknown",
  },
];

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = inputFile(host, positionals);
  const input = { file, text: await host.readText(file) };
  const { name: policy, ...chosen } = await chosenPolicy(options);
  const taken = freeOf(chosen, { free: parseFreeWords(options.text("free") ?? "") });
  const isKept = options.flag("same-numbers");
  const changes = CHANGES.filter(({ setting, numbers }) =>
    (numbers === "same" || !isKept) &&
    Object.entries(setting).every((entry) => isOpen(options, policy, taken, entry))
  );
  const progress = createProgress(host);
  let device = "";
  let count = 0;
  const decide = async (change: Change<Setting> | undefined): Promise<AdvisedRun> => {
    progress.stage(change === undefined ? "as asked" : `${++count}: ${change.what}`);
    const changed = change === undefined ? options : withSetting(options, change.setting);
    const decided = await decideOnce({ host, options: changed }, input, progress);
    device = decided.device;
    return decided;
  };
  const list = await advise(changes, decide, limitOf(options), join);
  const shown = { ...list, saving: list.saving.slice(0, topRows(options)) };
  return printAnswer(
    { host, options },
    () => adviceDocument(file, device, policy, shown),
    (style) =>
      renderAdvice({ file, device, policy, ...shown }, (setting) => settingText(options, setting), style),
  );
}

/** Whether an option has another value now, and the policy or the command reads it. */
function isOpen(
  options: Options,
  policy: string,
  taken: readonly FreeName[],
  [name, value]: [string, OptionValue],
): boolean {
  if (name === "free") return !taken.some((free) => value === `+${free}`);
  const readBy = POLICY_OPTIONS.find((option) => option.name === name)?.readBy;
  if (readBy !== undefined && !readBy.includes(policy)) return false;
  return typeof value === "boolean" ? options.flag(name) !== value : options.text(name) !== String(value);
}

function withSetting(options: Options, setting: Setting): Options {
  const effective = options.effective.map((option) => {
    const { spec: { name }, value: before } = option;
    const value = setting[name];
    if (value === undefined) return option;
    const words = name === "free" && before !== undefined ? `${before},${value}` : value;
    return { ...option, value: words, origin: COMMAND_LINE };
  });
  return optionsOf(COMMAND, effective);
}

/**
 * Reads `--max-error`: `relative=2%` or `correlation=0.999`.
 *
 * @throws {UsageError} for anything else
 */
function limitOf(options: Options): (error: RelativeError | undefined) => boolean {
  const text = options.text("max-error");
  if (text === undefined) return () => true;
  const [, measure, number, percent] = /^(relative|correlation)=(\d*\.?\d+)(%?)$/.exec(text) ?? [];
  const limit = Number(number) / (percent === "%" ? 100 : 1);
  if (measure === undefined || limit > 1) {
    throw new UsageError(
      `Option --max-error takes relative=SHARE such as relative=2%, or correlation=0.999, not '${text}'`,
    );
  }
  return (error) =>
    error !== undefined &&
    (measure === "relative" ? relativeL2(error) <= limit : correlation(error) >= limit);
}

/** Both settings, unless they give an option two values; freedoms are united. */
function join({ free: own, ...a }: Setting, { free: more, ...b }: Setting): Setting | undefined {
  if (Object.keys(b).some((name) => a[name] !== undefined)) return undefined;
  const free = [own, more].filter((words) => words !== undefined).join();
  return { ...a, ...b, ...(free === "" ? {} : { free }) };
}

/** Decides as `optimize` does. */
async function decideOnce(
  context: CommandContext,
  input: InputText,
  progress: Progress,
): Promise<AdvisedRun & { readonly device: string }> {
  const { host, options } = context;
  const policy = await chosenPolicy(options);
  const policyOptions = optionsForPolicies(host, options, [policy]);
  const subject = carryOutFormats(await loadForPolicies(context, input, policyOptions), policyOptions);
  const { timeline, memory, plan, advice, backendAdvice, workbench: { device, binding: { graph } } } =
    optimizeModule(subject, policy, policyOptions, policyTools(host, policyOptions, progress));
  const plans = functionPlans(plan);
  const error = errorOfGraph(graph, device.architecture, (fn, op) => plans(fn)?.decisions[op]?.config);
  return { timeline, verdict: memory.verdict, error, advice, backendAdvice, device: device.name };
}

/** Options as typed. */
function settingText(options: Options, setting: Setting): string {
  return Object.entries(setting).map(([name, value]) => {
    if (value === true) return `--${name}`;
    if (value === false) return options.given(name) ? `without --${name}` : `--no-${name}`;
    return `--${name} ${value}`;
  }).join(" ");
}

function adviceDocument(
  file: string,
  device: string,
  policy: string,
  { baseUs, baseError, saving, others, faulty, inexact, advice, backendAdvice }: AdviceList<Setting>,
) {
  const told = ({ what, setting, numbers, predictedUs, error, comparison }: PricedChange<Setting>) => ({
    what,
    options: setting,
    numbers,
    predictedUs,
    error: numbers === "unknown" ? null : errorJson(error),
    comparison,
  });
  return {
    schema: "tilewright.advice/1",
    input: file,
    device,
    policy,
    summary: { predictedUs: baseUs, savingChanges: saving.length, bestUs: saving[0]?.predictedUs ?? baseUs },
    error: errorJson(baseError),
    saving: saving.map(told),
    others: others.map(told),
    faulty: faulty.map(({ what, setting }) => ({ what, options: setting })),
    inexact: inexact.map(({ what, setting }) => ({ what, options: setting })),
    advice,
    backendAdvice,
  } as const;
}

function errorJson(error: RelativeError | undefined) {
  return error === undefined
    ? null
    : { relative: relativeL2(error), bias: error.bias, correlation: correlation(error) };
}
