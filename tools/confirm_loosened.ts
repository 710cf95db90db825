// SPDX-License-Identifier: Apache-2.0

/**
 * Whether `optimize --confirm` ends with a plan that runs even if the rule book accepts everything: decides models of
 * testdata with op models that refuse nothing, and forbids what ttnn refuses until a plan runs.
 *
 * Usage: `deno run -A tools/confirm_loosened.ts [--policy greedy] [--device n150] [MODEL…]`; with `TILEWRIGHT_TTNN`, or
 * after `confirm --setup`
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";
import { denoHost } from "../cli/deno_host.ts";
import { createProgress } from "../cli/progress.ts";
import { decideConfirmed } from "../cli/run/confirm/decide_confirmed.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { optimizeModule } from "../pipeline/optimize.ts";
import { installedBackend } from "./confirm_text.ts";
import { ROOT } from "./steps.ts";

const { policy, device, _: named } = parseArgs(Deno.args, {
  string: ["policy", "device"],
  default: { policy: "greedy", device: "n150" },
});
const models = join(ROOT, "testdata", "models");
const names = named.length > 0
  ? named.map(String)
  : [...Deno.readDirSync(models)].map(({ name }) => name).filter((name) => name.endsWith(".mlir")).toSorted();

if (await installedBackend() !== undefined) {
  let failed = 0;
  for (const name of names) {
    const input = await Deno.readTextFile(join(models, name));
    const { isRefused } = await decideConfirmed(denoHost, name, (filters) => {
      const workbench = loadModule(input, {
        device,
        fileName: name,
        passes: DEFAULT_PASS_OPTIONS,
        filters,
        acceptsAll: true,
      });
      const optimized = optimizeModule(workbench, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
      return Promise.resolve({
        optimized,
        workbench,
        mesh: workbench.mesh,
        policyOptions: DEFAULT_POLICY_OPTIONS,
      });
    }, createProgress(denoHost));
    if (isRefused) failed++;
    console.log(
      `${name}, ${policy}, ${device}: ${isRefused ? "no plan that runs was found" : "a plan runs"}`,
    );
  }
  if (failed > 0) Deno.exitCode = 1;
}
