// SPDX-License-Identifier: Apache-2.0
import { type Diagnostic, DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import type { BenchResult } from "../../pipeline/bench.ts";
import { type EffectiveOption, type Options, UsageError } from "../command.ts";
import type { Host } from "../host.ts";

/** What a thread is asked for. */
export interface BenchTask {
  readonly options: readonly EffectiveOption[];
  readonly file: string;
}

/** A line for standard error. */
export interface Remark {
  readonly text: string;
  /** Whether it is written unless it was before. */
  readonly once: boolean;
}

/** What became of a model. */
export type BenchOutcome =
  & { readonly remarks: readonly Remark[] }
  & (
    | { readonly kind: "done"; readonly results: readonly BenchResult[] }
    /** The model cannot be read or decided. */
    | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] }
    /** The command line is wrong for it. */
    | { readonly kind: "usage"; readonly message: string }
    /** A bug. */
    | { readonly kind: "failed"; readonly error: unknown }
  );

/** Decides a model, and says what became of it. */
export async function carryOut(
  decide: () => Promise<readonly BenchResult[]>,
  remarks: readonly Remark[] = [],
): Promise<BenchOutcome> {
  try {
    return { kind: "done", results: await decide(), remarks };
  } catch (error) {
    if (error instanceof DiagnosticError) return { kind: "refused", diagnostics: error.diagnostics, remarks };
    // What an error is gets lost between threads, all but its message and stack.
    if (error instanceof UsageError) return { kind: "usage", message: error.message, remarks };
    return { kind: "failed", error, remarks };
  }
}

/** Threads that `--jobs` asks for, no more than there are models. */
export function threadsFor(host: Host, options: Options, models: number): number {
  const jobs = options.number("jobs") ?? 1;
  return host.startThread === undefined ? 1 : Math.min(jobs, models);
}

/**
 * Decides models on several threads; each takes the next model when it is done with one.
 *
 * @param take is told what became of the models, in their order
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
  // Nobody waits for those behind one that fails.
  for (const { promise } of outcomes) promise.catch(() => {});
  try {
    for (let thread = 0; thread < threads; thread++) start();
    for (const { promise } of outcomes) await take(await promise);
  } finally {
    for (const worker of started) worker.terminate();
  }
}
