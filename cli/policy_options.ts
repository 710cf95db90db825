// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import type { Graph } from "../lib/graph/graph.ts";
import { checkOverrides } from "../lib/overrides/check_overrides.ts";
import {
  DEFAULT_POLICY_OPTIONS,
  type Policy,
  type PolicyContext,
  type PolicyOptions,
} from "../lib/policy/policy.ts";
import { SCORE_NAMES } from "../lib/propagation/layout_score.ts";
import { loadHighs } from "../lib/solver/highs.ts";
import { SPILL_POLICY_NAMES } from "../lib/spill/spill_policy.ts";
import { choosePolicy } from "./choose_policy.ts";
import { type Options, UsageError } from "./command.ts";
import type { Host } from "./host.ts";
import { renderDiagnostic } from "./render/diagnostics.ts";

/** Policies that decide by sharding and know no other way. */
const SHARDING_ONLY: ReadonlySet<string> = new Set(["df-sharding", "df-sharding-2"]);

/**
 * What the options of `POLICY_OPTIONS` say.
 *
 * @throws {UsageError} for numbers that make no sense
 */
export function readPolicyOptions(options: Options): PolicyOptions {
  const sharding = options.flag("enable-l1-sharding-layouts") && optimizationLevel(options) === 2;
  return {
    ...DEFAULT_POLICY_OPTIONS,
    tensorL1UsageCap: numberWithin(options, "tensor-l1-usage-cap", 0, 1),
    beamWidth: count(options, "beam-width"),
    maxLegalLayouts: count(options, "max-legal-layouts"),
    maxInputCandidatesPerOperand: count(options, "max-input-candidates-per-operand"),
    maxReshardCandidatesPerType: count(options, "max-reshard-candidates-per-type"),
    enableL1ShardingLayouts: sharding,
    rowMajorEnabled: options.flag("row-major-enabled"),
    score: SCORE_NAMES.find((name) => name === options.text("score")),
    spill: SPILL_POLICY_NAMES.find((name) => name === options.text("spill")),
    schedule: options.text("schedule") === "memory" ? "memory" : "input",
  };
}

/**
 * The policy of a name at the optimization level of the options: `dram` at level 0.
 *
 * @throws {UsageError} for unknown names, and where level and policy contradict each other
 */
export function policyAtLevel(options: Options, name: string, isGiven: boolean): Policy {
  const policy = choosePolicy(name);
  const level = optimizationLevel(options);
  if (level === 0) {
    if (isGiven && policy.name !== "dram") {
      throw new UsageError(
        `Cannot decide with ${policy.name} at --optimization-level 0: it keeps everything DRAM interleaved; ` +
          "give a level or a policy, not both",
      );
    }
    return choosePolicy("dram");
  }
  const sharding = level === 2 && options.flag("enable-l1-sharding-layouts");
  if (!sharding && SHARDING_ONLY.has(policy.name)) {
    throw new UsageError(
      `Cannot decide with ${policy.name} without sharded layouts: its chains are sharded; ` +
        "use --optimization-level 2, or --policy greedy-l1-interleaved",
    );
  }
  return policy;
}

/**
 * Checks overrides against the graph that they are for: warnings go to standard error.
 *
 * @throws {DiagnosticError} when an override names what does not exist
 */
export function requireOverrides(host: Host, graph: Graph, { overrides }: PolicyOptions): void {
  const findings = checkOverrides(graph, overrides);
  const errors = findings.filter((finding) => finding.severity === "error");
  if (errors.length > 0) throw new DiagnosticError(errors);
  for (const finding of findings) host.stderr.write(renderDiagnostic(finding));
}

/** What policies need besides options; the exact solver is loaded only where it is asked for. */
export async function policyTools(
  options: PolicyOptions,
): Promise<Pick<PolicyContext, "solveBinaryProgram">> {
  return options.spill === "exact" ? { solveBinaryProgram: await loadHighs() } : {};
}

/** `--optimization-level`, lowered by the two options of ttmlir-opt that mean parts of it. */
function optimizationLevel(options: Options): 0 | 1 | 2 {
  if (!options.flag("enable-optimizer") || options.text("optimization-level") === "0") return 0;
  const isWhole = options.flag("memory-layout-analysis-enabled") &&
    options.text("optimization-level") === "2";
  return isWhole ? 2 : 1;
}

function count(options: Options, name: string): number {
  const value = options.number(name) ?? 1;
  if (Number.isInteger(value) && value >= 1) return value;
  throw new UsageError(`Option --${name} is a whole number from 1 on, not ${value}`);
}

function numberWithin(options: Options, name: string, above: number, most: number): number {
  const value = options.number(name) ?? most;
  if (value > above && value <= most) return value;
  throw new UsageError(`Option --${name} lies above ${above} and up to ${most}, not at ${value}`);
}
