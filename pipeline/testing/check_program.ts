// SPDX-License-Identifier: Apache-2.0

/** Compares the text written for a program with the meaning of the program. */

import { parseModule } from "../../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS, PASS_SELECTIONS, type PassSelection } from "../../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../lib/policy/options.ts";
import { getPolicy } from "../../lib/policy/policies.ts";
import { createdLayouts, verifyModule } from "../../lib/verify/verify_module.ts";
import { assertSameMeaning, randomInputs } from "../../testing/interpreter/same_meaning.ts";
import { loadModule } from "../load_module.ts";
import { optimizeModule } from "../optimize.ts";

/** Settings of an optimization. */
export interface CheckSettings {
  readonly policy: string;
  readonly device: string;
  readonly selection: PassSelection;
}

/** Settings by a number: every fast policy, on both families of chips, with all sets of passes. */
export function settingsOf(seed: number): CheckSettings {
  const pick = <Item>(items: readonly [Item, ...Item[]], at: number): Item =>
    items[at % items.length] ?? items[0];
  return {
    policy: pick(["greedy", "dram", "df-sharding"], seed),
    device: pick(["n150", "p150"], Math.floor(seed / 3)),
    // Most programs use the default.
    selection: pick([...PASS_SELECTIONS, "all", "all"], Math.floor(seed / 6)),
  };
}

/**
 * Optimizes a program and checks that the written text lints without a finding and means the same.
 *
 * @param text TTIR with a function `main`
 * @param seed of its inputs
 * @throws {Error} if it does not
 */
export function checkProgram(text: string, seed: number, { policy, device, selection }: CheckSettings): void {
  const passes = { ...DEFAULT_PASS_OPTIONS, selection };
  const workbench = loadModule(text, { device, fileName: "random.mlir", passes });
  // A fault of the program is told, such as an exchange along an axis of one chip.
  const warnings = workbench.remarks.filter(({ code, severity }) =>
    severity !== "remark" && code !== "load/fault"
  );
  if (warnings.length > 0) throw new Error(`warnings ${warnings.map(({ code }) => code).join(", ")}`);
  const { text: written } = optimizeModule(workbench, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
  const after = parseModule(written, "random.mlir");
  const [finding] = verifyModule(after, { isCreated: createdLayouts(workbench.binding.module, after) });
  if (finding !== undefined) throw new Error(`${finding.code}: ${finding.message}\n${written}`);
  const before = parseModule(text, "random.mlir");
  assertSameMeaning(before, after, "main", randomInputs(before, "main", seed));
}
