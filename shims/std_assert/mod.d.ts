// SPDX-License-Identifier: Apache-2.0

// Hand-written declarations for the assertions that Tilewright uses; never wider than those of `jsr:@std/assert`.

/** A constructor whose instances may be of any class. */
// deno-lint-ignore no-explicit-any -- constructor parameters are contravariant; `unknown[]` would match no class
export type AnyConstructor = new (...args: any[]) => any;
/** A constructor of errors of class `E`, which may be abstract. */
// deno-lint-ignore no-explicit-any -- as above
export type ErrorConstructorOf<E extends Error> = abstract new (...args: any[]) => E;
/** What is false when taken as a condition. */
export type Falsy = false | 0 | 0n | "" | null | undefined;

/** Thrown when an assertion does not hold. */
export declare class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions);
}

export declare function assert(expr: unknown, msg?: string): asserts expr;
export declare function assertFalse(expr: unknown, msg?: string): asserts expr is Falsy;
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
export declare function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void;
export declare function assertLess<T>(actual: T, expected: T, msg?: string): void;
export declare function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void;
export declare function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T>;
export declare function assertStringIncludes(actual: string, expected: string, msg?: string): void;
export declare function assertMatch(actual: string, expected: RegExp, msg?: string): void;
export declare function assertNotMatch(actual: string, expected: RegExp, msg?: string): void;
export declare function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
): void;
export declare function assertObjectMatch(
  actual: Record<PropertyKey, unknown>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void;
export declare function assertInstanceOf<T extends AnyConstructor>(
  actual: unknown,
  expectedType: T,
  msg?: string,
): asserts actual is InstanceType<T>;
export declare function assertIsError<E extends Error = Error>(
  error: unknown,
  errorClass?: ErrorConstructorOf<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E;
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
export declare function equal(a: unknown, b: unknown): boolean;
export declare function fail(msg?: string): never;
export declare function unimplemented(msg?: string): never;
export declare function unreachable(msg?: string): never;
