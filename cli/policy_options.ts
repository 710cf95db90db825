// SPDX-License-Identifier: Apache-2.0
import {
  ENABLE_L1_SHARDING,
  type PolicyOptions,
  readPolicyOptions,
  SCORE,
  TENSOR_L1_USAGE_CAP,
  TRACE_SOLVER,
} from "../lib/policy/options.ts";
import type { Policy, PolicyContext } from "../lib/policy/policy.ts";
import type { OptionInput, PolicyOption } from "../lib/policy/policy_option.ts";
import { choosePolicy } from "./choose_policy.ts";
import { COMMAND_LINE, type CommandContext, type Options, type OptionSpec, UsageError } from "./command.ts";
import { freedOptions } from "./freed_options.ts";
import type { Host } from "./host.ts";
import { POLICY_OPTIONS } from "./policy_manifest.ts";
import type { Progress } from "./progress.ts";

/**
 * Checks and reads the options of the policies that a command runs. A flag that none of them reads is an
 * error; in the environment, the configuration file and pasted pipelines, which are written for several runs,
 * it is a warning.
 *
 * @param alsoRead options that the command itself reads
 * @throws {UsageError} for such a flag, and for invalid numbers
 * @throws {DiagnosticError} if the text of an override is wrong, pointing into it
 */
export function optionsForPolicies(
  host: Host,
  asGiven: Options,
  policies: readonly Policy[],
  alsoRead: readonly PolicyOption<unknown>[] = [TENSOR_L1_USAGE_CAP],
): PolicyOptions {
  const options = freedOptions(asGiven);
  const all = [...policies.flatMap((policy) => policy.options), ...alsoRead];
  const read = new Set(all.map(({ name }) => name));
  for (const { name, readBy } of POLICY_OPTIONS) {
    if (read.has(name) || !options.given(name)) continue;
    refuseUnread({ host, options }, name, `--${name}`, policies, readBy ?? []);
  }
  const given = givenValues(options, POLICY_OPTIONS);
  const level = optimizationLevel(options);
  if (level < 2) given.set(ENABLE_L1_SHARDING.name, false);
  const isCostMode = level === 3;
  // Only policies that rank candidates can rank them by predicted time.
  if (isCostMode && !read.has(SCORE.name)) {
    const ranking = POLICY_OPTIONS.find(({ name }) => name === SCORE.name)?.readBy ?? [];
    refuseUnread({ host, options }, "optimization-level", "--optimization-level 3", policies, ranking);
  }
  return readGiven(given, all, isCostMode);
}

/** An error on the command line, a warning in sources that are written for several runs. */
function refuseUnread(
  { host, options }: CommandContext,
  option: string,
  asGiven: string,
  policies: readonly Policy[],
  readBy: readonly string[],
): void {
  const problem = `${asGiven} has no effect ${onPolicies(policies)}; it is read by ${readBy.join(", ")}`;
  const origin = options.origin(option);
  if (origin === COMMAND_LINE) throw new UsageError(problem);
  host.stderr.once(`warning: ${origin}: ${problem}\n`);
}

function onPolicies(policies: readonly Policy[]): string {
  const [first, ...more] = new Set(policies.map(({ name }) => name));
  if (first === undefined) return "here: no policy decides";
  return more.length === 0 ? `on policy '${first}'` : `on policies ${[first, ...more].join(", ")}`;
}

/**
 * Options of policies that a command reads for itself.
 *
 * @throws {UsageError} for invalid numbers
 */
export function optionsOfCommand(options: Options, specs: readonly OptionSpec[]): PolicyOptions {
  return readGiven(givenValues(options, specs), []);
}

function givenValues(options: Options, specs: readonly OptionSpec[]): Map<string, OptionInput> {
  return new Map(
    specs.filter(({ name }) => options.given(name)).map(({ name, kind }) => [
      name,
      kind === "boolean" ? options.flag(name) : options.text(name) ?? "",
    ]),
  );
}

/** @param checked options to read as well, so that invalid values are found before anything runs */
function readGiven(
  given: ReadonlyMap<string, OptionInput>,
  checked: readonly PolicyOption<unknown>[],
  costMode = false,
): PolicyOptions {
  try {
    for (const option of checked) option.read(given.get(option.name));
    return readPolicyOptions(given, costMode);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

/**
 * The policy of a name at the optimization level of the options: `dram` at level 0.
 *
 * @throws {UsageError} for unknown names, and if level and policy contradict each other
 */
export async function policyAtLevel(options: Options, name: string, isGiven: boolean): Promise<Policy> {
  const policy = await choosePolicy(name);
  const level = optimizationLevel(options);
  if (level === 0) {
    if (isGiven && policy.name !== "dram") {
      throw new UsageError(
        `Cannot decide with ${policy.name} at --optimization-level 0: it keeps everything DRAM interleaved; ` +
          "give a level or a policy, not both",
      );
    }
    return await choosePolicy("dram");
  }
  const isSharding = level >= 2 && options.flag(ENABLE_L1_SHARDING.name);
  if (!isSharding && policy.needsSharding === true) {
    throw new UsageError(
      `Cannot decide with ${policy.name} without sharded layouts: its chains are sharded; ` +
        "use --optimization-level 2, or the policy greedy-l1-interleaved",
    );
  }
  return policy;
}

/** The policy of `--policy`, at the level of the options. */
export function chosenPolicy(options: Options): Promise<Policy> {
  return policyAtLevel(options, options.text("policy") ?? "", options.given("policy"));
}

/** Outputs of policies: their progress, and the writer of `--trace-solver`. */
export function policyTools(
  host: Host,
  options: PolicyOptions,
  progress?: Progress,
): Pick<PolicyContext, "onOp" | "traceSolver"> {
  return {
    ...(progress === undefined ? {} : { onOp: progress.op }),
    ...(TRACE_SOLVER.read(options.given.get(TRACE_SOLVER.name))
      ? { traceSolver: (text: string) => void host.stderr.write(`${text}\n`) }
      : {}),
  };
}

/**
 * `--optimization-level`, lowered by ttmlir-opt options that mean parts of it. Level 3 is the cost mode of
 * tt-mlir:optimizer-document §5.8.3: predicted time replaces heuristic scores.
 */
export function optimizationLevel(options: Options): 0 | 1 | 2 | 3 {
  const level = options.text("optimization-level");
  // As upstream: what is said beside the level counts for more than it.
  const isOn = (name: string, atLevel: boolean): boolean =>
    options.given(name) && options.origin(name) === options.origin("optimization-level")
      ? options.flag(name)
      : atLevel && options.flag(name);
  if (!isOn("enable-optimizer", level !== "0")) return 0;
  if (!isOn("memory-layout-analysis-enabled", level !== "0" && level !== "1")) return 1;
  return level === "3" ? 3 : 2;
}
