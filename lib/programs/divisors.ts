// SPDX-License-Identifier: Apache-2.0

/** Divisors of a positive integer up to a limit, descending; found in pairs, up to the square root. */
export function divisorsUpTo(value: number, limit: number): readonly number[] {
  const [large, small]: [number[], number[]] = [[], []];
  for (let divisor = 1; divisor * divisor <= value; divisor++) {
    if (value % divisor !== 0) continue;
    small.push(divisor);
    if (divisor * divisor < value) large.push(value / divisor);
  }
  return [...large, ...small.reverse()].filter((divisor) => divisor <= limit);
}
