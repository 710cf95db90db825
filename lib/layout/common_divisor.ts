// SPDX-License-Identifier: Apache-2.0

/** Greatest common divisor of two integers that are not negative; of 0 and a number, that number. */
export function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
