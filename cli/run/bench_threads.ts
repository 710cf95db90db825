// SPDX-License-Identifier: Apache-2.0
import { type Diagnostic, DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import type { BenchResult } from "../../pipeline/bench.ts";
import { type EffectiveOption, type Options, UsageError } from "../command.ts";
import type { Host } from "../host.ts";

/** A request to a thread. */
export interface BenchTask {
  readonly options: readonly EffectiveOption[];
  readonly file: string;
}

/** A line for standard error. */
export interface Remark {
  readonly text: string;
  /** Whether it is written only once. */
  readonly once: boolean;
}

/** Outcome for a model. */
export type BenchOutcome =
  & { readonly remarks: readonly Remark[] }
  & (
    | { readonly kind: "done"; readonly results: readonly BenchResult[] }
    /** The model cannot be read or decided. */
    | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] }
    /** A usage error. */
    | { readonly kind: "usage"; readonly message: string }
    /** A bug. */
    | { readonly kind: "failed"; readonly error: unknown }
  );

/** Decides a model, and returns the outcome. */
export async function carryOut(
  decide: () => Promise<readonly BenchResult[]>,
  remarks: readonly Remark[] = [],
): Promise<BenchOutcome> {
  try {
    return { kind: "done", results: await decide(), remarks };
  } catch (error) {
    if (error instanceof DiagnosticError) return { kind: "refused", diagnostics: error.diagnostics, remarks };
    // The class of an error is lost between threads; only message and stack survive.
    if (error instanceof UsageError) return { kind: "usage", message: error.message, remarks };
    return { kind: "failed", error, remarks };
  }
}

/** Number of threads: `--jobs`, but at most one per model, and one on a host without threads. */
export function threadsFor(host: Host, options: Options, models: number): number {
  const jobs = options.number("jobs") ?? 1;
  return host.startThread === undefined ? 1 : Math.min(jobs, models);
}

/**
 * Decides models on several threads; each takes the next model when it has finished one.
 *
 * @param take receives the outcomes, in the order of the models
 */
export async function benchInThreads(
  host: Host,
  options: Options,
  files: readonly string[],
  threads: number,
  take: (outcome: BenchOutcome) => Promise<void>,
): Promise<void> {
  const outcomes = files.map(() => Promise.withResolvers<BenchOutcome>());
  const started: Worker[] = [];
  let next = 0;
  const start = (): void => {
    const worker = host.startThread?.();
    if (worker === undefined) return;
    started.push(worker);
    const { port1: port, port2: far } = new MessageChannel();
    let current = 0;
    const ask = (): void => {
      const file = files[current = next++];
      if (file === undefined) return port.close();
      const task: BenchTask = { options: options.effective, file };
      port.postMessage(task);
    };
    port.onmessage = ({ data }: MessageEvent<BenchOutcome>) => {
      outcomes[current]?.resolve(data);
      ask();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      outcomes[current]?.reject(new Error(event.message));
    };
    worker.postMessage("serve", [far]);
    ask();
  };
  // The results after a failed one are not awaited.
  for (const { promise } of outcomes) promise.catch(() => {});
  try {
    for (let thread = 0; thread < threads; thread++) start();
    for (const { promise } of outcomes) await take(await promise);
  } finally {
    for (const worker of started) worker.terminate();
  }
}
