// SPDX-License-Identifier: Apache-2.0
import {
  parseConv2dConfigOverrides,
  parseConv3dConfigOverrides,
} from "../lib/overrides/conv_config_override.ts";
import { parseMemReconfigOverrides } from "../lib/overrides/mem_reconfig_override.ts";
import { parseOutputLayoutOverrides } from "../lib/overrides/output_layout_override.ts";
import type { Policy, PolicyOptions } from "../lib/policy/policy.ts";
import { CHAIN_POLICIES } from "../lib/policy/chain_policies.ts";
import { CHAIN_OPTIONS } from "./commands/chain_options.ts";
import { type Options, UsageError } from "./command.ts";

/** The options of the chain policies. */
export type ChainPolicyOptions = Pick<
  PolicyOptions,
  | "overrides"
  | "memReconfigEnabled"
  | "l1InterleavedFallback"
  | "solveForOptimalFirstOpInput"
  | "legacyQuirks"
>;

/** Options of the list that pass-based policies read as well. */
const EVERY_POLICY: ReadonlySet<string> = new Set([
  "print-analysis",
  "override-output-layout",
  "override-conv2d-config",
  "override-conv3d-config",
]);

/**
 * Reads the options of the chain policies.
 *
 * @throws {UsageError} when one is given although the policy does not read it
 * @throws {DiagnosticError} when the text of an override is wrong, pointing into it
 */
export function readChainOptions(options: Options, policy: Policy): ChainPolicyOptions {
  const given = CHAIN_OPTIONS.find(({ name }) => !EVERY_POLICY.has(name) && options.given(name));
  if (given !== undefined && !CHAIN_POLICIES.includes(policy)) {
    throw new UsageError(
      `--${given.name} has no effect on policy '${policy.name}'; it is read by ${
        CHAIN_POLICIES.map(({ name }) => name).join(", ")
      }`,
    );
  }
  return {
    overrides: {
      outputLayouts: parseOutputLayoutOverrides(options.text("override-output-layout") ?? ""),
      memReconfigs: parseMemReconfigOverrides(options.text("insert-memreconfig") ?? ""),
      conv2dConfigs: parseConv2dConfigOverrides(options.text("override-conv2d-config") ?? ""),
      conv3dConfigs: parseConv3dConfigOverrides(options.text("override-conv3d-config") ?? ""),
    },
    memReconfigEnabled: options.flag("memreconfig-enabled"),
    l1InterleavedFallback: options.flag("l1-interleaved-fallback-analysis-enabled"),
    solveForOptimalFirstOpInput: options.flag("solve-for-optimal-first-op-input"),
    legacyQuirks: options.flag("legacy-quirks"),
  };
}
