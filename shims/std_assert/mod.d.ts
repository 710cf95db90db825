// SPDX-License-Identifier: Apache-2.0

// Hand-written declarations for the assertions that Tilewright uses; never wider than those of `jsr:@std/assert`.

/** A constructor of errors of class `E`, which may be abstract. */
// deno-lint-ignore no-explicit-any -- constructor parameters are contravariant; `unknown[]` would match no class
export type ErrorConstructorOf<E extends Error> = abstract new (...args: any[]) => E;

/** Thrown when an assertion does not hold. */
export declare class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions);
}

export declare function assert(expr: unknown, msg?: string): asserts expr;
export declare function assertEquals<T>(actual: T, expected: T, msg?: string): void;
export declare function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;
export declare function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T;
export declare function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void;
export declare function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void;
export declare function assertGreater<T>(actual: T, expected: T, msg?: string): void;
export declare function assertStringIncludes(actual: string, expected: string, msg?: string): void;
export declare function assertMatch(actual: string, expected: RegExp, msg?: string): void;
export declare function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
): void;
export declare function assertThrows(fn: () => unknown, msg?: string): unknown;
export declare function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  errorClass: ErrorConstructorOf<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export declare function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
export declare function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorConstructorOf<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
