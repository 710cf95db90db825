// SPDX-License-Identifier: Apache-2.0

// The small part of `jsr:@std/testing/mock` that Tilewright uses, behaving like the original.
// Snapshots need no package: `t.assertSnapshot` is built into the test runner.

// @ts-types="../std_assert/mod.d.ts"
import { assertEquals, AssertionError } from "npm:deno-std@1.4.0/assert/mod.js";

/** One recorded call. */
export interface SpyCall<Args extends unknown[] = unknown[], Return = unknown> {
  /** What the function was called with. */
  args: Args;
  /** What it returned, when it did. */
  returned?: Return;
  /** What it threw, when it did. */
  error?: Error;
}

/** A function that records its calls. */
export interface Spy<Args extends unknown[] = unknown[], Return = unknown> {
  (...args: Args): Return;
  /** All calls so far. */
  calls: SpyCall<Args, Return>[];
}

/** What a call is expected to have been. */
export interface ExpectedSpyCall<Args extends unknown[], Return> {
  /** The expected arguments; fewer are enough. */
  args?: Partial<Args>;
  /** The expected result. */
  returned?: Return;
}

/** A method that was replaced on its object until it is restored. */
export interface Stub<Args extends unknown[] = unknown[], Return = unknown>
  extends Spy<Args, Return>, Disposable {
  /** Whether the original is back. */
  restored: boolean;
  /** Put the original back. */
  restore(): void;
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
    try {
      const returned = func?.(...args) as Return;
      call.returned = returned;
      return returned;
    } catch (error) {
      call.error = error as Error;
      throw error;
    }
  };
  return Object.assign(wrapped, { calls });
}

/** Keys of `T` that hold methods. */
type MethodKey<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T];

/**
 * Replace a method of an object by `func` until the stub is restored or disposed of.
 *
 * @param self The object.
 * @param property The method's name.
 * @param func What is called instead.
 * @returns The stub that now stands in for the method.
 */
export function stub<T extends object, K extends MethodKey<T>>(
  self: T,
  property: K,
  func: T[K] extends (...args: infer A) => infer R ? (...args: A) => R : never,
): T[K] extends (...args: infer A) => infer R ? Stub<A, R> : never {
  const before = Object.getOwnPropertyDescriptor(self, property);
  const recording = spy(func as (...args: unknown[]) => unknown);
  const result = Object.assign(recording, {
    restored: false,
    restore(): void {
      if (result.restored) throw new Error("Cannot restore: instance method already restored");
      if (before) Object.defineProperty(self, property, before);
      else delete (self as Record<PropertyKey, unknown>)[property];
      result.restored = true;
    },
    [Symbol.dispose](): void {
      if (!result.restored) result.restore();
    },
  });
  Object.defineProperty(self, property, {
    value: result,
    configurable: true,
    writable: true,
    enumerable: true,
  });
  // Conditional on T[K], which no value in this function shows to the checker.
  return result as unknown as ReturnType<typeof stub<T, K>>;
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

/**
 * Assert one call of a spy.
 *
 * @param spy The spy.
 * @param callIndex Which call, from 0.
 * @param expected What it should have been; without it the call only has to exist.
 */
export function assertSpyCall<Args extends unknown[], Return>(
  spy: Spy<Args, Return>,
  callIndex: number,
  expected?: ExpectedSpyCall<Args, Return>,
): void {
  const call = spy.calls[callIndex];
  if (!call) {
    throw new AssertionError(`Expected spy to have call ${callIndex}, has ${spy.calls.length} call(s)`);
  }
  if (expected?.args) assertEquals<unknown>(call.args.slice(0, expected.args.length), [...expected.args]);
  if (expected && "returned" in expected) assertEquals<unknown>(call.returned, expected.returned);
}
