// SPDX-License-Identifier: Apache-2.0

/**
 * A thread of `bench --jobs`: receives a port, and over it one model after another to decide.
 *
 * @module
 */

import type { BenchOutcome, BenchTask, Remark } from "./run/bench_threads.ts";
import type { Host } from "./host.ts";

/**
 * Waits for a port and serves it. The deciding code is loaded after that, because a message without a
 * listener is lost. Text for standard error is sent with the outcome of its model.
 */
export function serveBench(): void {
  addEventListener("message", async (event) => {
    const [port] = event instanceof MessageEvent ? event.ports : [];
    if (port === undefined) return;
    const decide = await loadDecider();
    port.onmessage = async ({ data }: MessageEvent<BenchTask>) => port.postMessage(await decide(data));
  }, { once: true });
}

/** The deciding code, which only threads load. */
async function loadDecider(): Promise<(task: BenchTask) => Promise<BenchOutcome>> {
  const { bench } = await import("./commands/bench.ts");
  const { denoHost } = await import("./deno_host.ts");
  const { optionsOf } = await import("./option_values.ts");
  const { optionsForPolicies } = await import("./policy_options.ts");
  const { benchModel, choosePolicies } = await import("./run/bench_models.ts");
  const { carryOut } = await import("./run/bench_threads.ts");
  return async ({ options: effective, file }) => {
    const remarks: Remark[] = [];
    const remarkable: Host = {
      ...denoHost,
      stderr: {
        isTerminal: false,
        columns: denoHost.stderr.columns,
        status: () => {},
        write: (text) => void remarks.push({ text, once: false }),
        once: (text) => void remarks.push({ text, once: true }),
      },
    };
    const options = optionsOf(bench, effective);
    const silent = { stage: () => {}, op: () => {} };
    return await carryOut(async () => {
      const policies = await choosePolicies(options);
      const policyOptions = optionsForPolicies(remarkable, options, policies);
      return await benchModel({ host: remarkable, options }, file, policies, policyOptions, silent);
    }, remarks);
  };
}
