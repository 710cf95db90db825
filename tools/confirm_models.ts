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
import { join } from "@std/path";
import { type BackendPlace, findBackend } from "../cli/backend/environment.ts";
import { UsageError } from "../cli/command.ts";
import { denoHost } from "../cli/deno_host.ts";
import { verdictWords } from "../cli/render/confirmation.ts";
import { askBackend } from "../cli/run/confirm/ask.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { confirmationOf } from "../pipeline/confirm/confirmation.ts";
import type { MockBoard } from "../pipeline/confirm/job.ts";
import { predictOps } from "../pipeline/confirm/prediction.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { optimizeModule } from "../pipeline/optimize.ts";
import { pythonProgramOf } from "../pipeline/python_program.ts";
import { ROOT } from "./steps.ts";

const POLICIES = ["greedy", "df-sharding", "auto"] as const;
const DEVICES = ["n150", "p150"] as const;
/** Backends that run at once; deciding goes on meanwhile. */
const AT_ONCE = 2;

const { seconds } = parseArgs(Deno.args, { string: ["seconds"], default: { seconds: "230" } });
const until = performance.now() + Number(seconds) * 1000;
const models = join(ROOT, "testdata", "models");

async function backend(): Promise<BackendPlace | undefined> {
  try {
    return await findBackend(denoHost);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.log(`skipped: ${error.message}`);
    return undefined;
  }
}

/** What is wrong with a plan; `undefined` if it runs as declared. */
async function faultOf(
  place: BackendPlace,
  plan: { readonly name: string; readonly text: string; readonly device: MockBoard },
): Promise<string | undefined> {
  const workbench = loadModule(plan.text, { device: plan.device, fileName: plan.name });
  const program = pythonProgramOf(workbench.module, workbench, { title: plan.name, standIns: true });
  const runs = await askBackend(denoHost, place, program, plan.device);
  const confirmation = confirmationOf(program, predictOps(workbench, 0.95), runs);
  if (confirmation.verdict === "confirmed") return undefined;
  const [first] = confirmation.ops.filter(({ state }) => state !== "runs");
  return `${verdictWords(confirmation)}; ${first?.name} (op ${first?.op} of @${first?.function}): ${
    first?.words ?? first?.differences[0]?.theirs ?? first?.state
  }`;
}

const place = await backend();
if (place !== undefined) {
  const files = [...Deno.readDirSync(models)].map(({ name }) => name).filter((name) =>
    name.endsWith(".mlir")
  );
  const seen = new Set<string>();
  const running = new Set<Promise<void>>();
  const counts = { confirmed: 0, same: 0, failed: 0, left: 0 };
  for (const policy of POLICIES) {
    for (const name of files.toSorted()) {
      const input = await Deno.readTextFile(join(models, name));
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
