// SPDX-License-Identifier: Apache-2.0

// The small part of `jsr:@std/testing/mock` that Tilewright uses, behaving like the original.
// Snapshots need no package: `t.assertSnapshot` is built into the test runner.

// @ts-types="../std_assert/mod.d.ts"
import { AssertionError } from "npm:deno-std@1.4.0/assert/mod.js";

/** One recorded call. */
export interface SpyCall<Args extends unknown[] = unknown[], Return = unknown> {
  /** What the function was called with. */
  args: Args;
  /** What it returned, when it did. */
  returned?: Return;
}

/** A function that records its calls. */
export interface Spy<Args extends unknown[] = unknown[], Return = unknown> {
  (...args: Args): Return;
  /** All calls so far. */
  calls: SpyCall<Args, Return>[];
}

/**
 * Wrap `func` so that its calls are recorded.
 *
 * @param func The function to call through to.
 * @returns The recording function.
 */
export function spy<Args extends unknown[] = unknown[], Return = undefined>(
  func?: (...args: Args) => Return,
): Spy<Args, Return> {
  const calls: SpyCall<Args, Return>[] = [];
  const wrapped = (...args: Args): Return => {
    const call: SpyCall<Args, Return> = { args };
    calls.push(call);
    return call.returned = func?.(...args) as Return;
  };
  return Object.assign(wrapped, { calls });
}

/**
 * Assert how often a spy was called.
 *
 * @param spy The spy.
 * @param expectedCalls The expected number of calls.
 */
export function assertSpyCalls<Args extends unknown[], Return>(
  spy: Spy<Args, Return>,
  expectedCalls: number,
): void {
  if (spy.calls.length === expectedCalls) return;
  throw new AssertionError(
    `Expected spy to be called ${expectedCalls} time(s), called ${spy.calls.length} time(s)`,
  );
}
