// SPDX-License-Identifier: Apache-2.0

/**
 * Confirms the plans of all models of testdata on ttnn's own host code: policies `auto`, `greedy` and one of the chain
 * policies, n150 and p150. Plans that are the same are run once. Where there is no ttnn, one line says so.
 *
 * Usage: `deno run -A tools/confirm_models.ts [--seconds 230]`; with `TILEWRIGHT_TTNN`, or after `confirm --setup`
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { basename, join } from "@std/path";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { optimizeModule } from "../pipeline/optimize.ts";
import { faultOf, installedBackend } from "./confirm_text.ts";
import { filesBelow } from "../testing/corpus.ts";
import { ROOT } from "./steps.ts";

const POLICIES = ["greedy", "df-sharding", "auto"] as const;
const DEVICES = ["n150", "p150"] as const;
/** Backends that run at once; deciding goes on meanwhile. */
const AT_ONCE = 2;

const { seconds } = parseArgs(Deno.args, { string: ["seconds"], default: { seconds: "230" } });
const until = performance.now() + Number(seconds) * 1000;

const place = await installedBackend();
if (place !== undefined) {
  const files = filesBelow(join(ROOT, "testdata", "models"), ".mlir");
  const seen = new Set<string>();
  const running = new Set<Promise<void>>();
  const counts = { confirmed: 0, same: 0, failed: 0, left: 0 };
  for (const policy of POLICIES) {
    for (const path of files) {
      const [name, input] = [basename(path), await Deno.readTextFile(path)];
      for (const device of DEVICES) {
        if (performance.now() > until) {
          counts.left++;
          continue;
        }
        const workbench = loadModule(input, { device, fileName: name, passes: DEFAULT_PASS_OPTIONS });
        const { text } = optimizeModule(workbench, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
        const key = `${device}\n${text}`;
        if (seen.has(key)) {
          counts.same++;
          continue;
        }
        seen.add(key);
        const run = faultOf(place, { name, text, device }).then((fault) => {
          if (fault === undefined) counts.confirmed++;
          else {
            counts.failed++;
            console.log(`${name}, ${policy}, ${device}: ${fault}`);
          }
        }).finally(() => running.delete(run));
        running.add(run);
        while (running.size >= AT_ONCE) await Promise.race(running);
      }
    }
  }
  await Promise.all(running);
  const { confirmed, same, failed, left } = counts;
  console.log(
    `${confirmed} plans confirmed, ${same} more are the same, ${failed} failed${
      left === 0 ? "" : `, ${left} left out after ${seconds} s`
    }`,
  );
  if (failed > 0) Deno.exitCode = 1;
}
