// SPDX-License-Identifier: Apache-2.0
/** Units of work per core of a program. */
export interface WorkSplit {
  /** Cores that get work. */
  readonly cores: number;
  /** Cores of the first group; the others form the second. */
  readonly coresGroup1: number;
  /** Units of each core of the first group. */
  readonly unitsPerCoreGroup1: number;
  /** Units of each core of the second group; 0 when there is none. */
  readonly unitsPerCoreGroup2: number;
}

/**
 * Splits units of work over cores (tt-metal `split_work_to_cores`): if the division leaves a remainder, cores
 * of the first group get one unit more than those of the second.
 *
 * @param cores available cores, at least 1
 * @param units units of work
 */
export function splitWorkToCores(cores: number, units: number): WorkSplit {
  const used = Math.min(cores, units);
  if (used <= 0) return { cores: 0, coresGroup1: 0, unitsPerCoreGroup1: 0, unitsPerCoreGroup2: 0 };
  const base = Math.floor(units / used);
  const rest = units - base * used;
  return rest === 0
    ? { cores: used, coresGroup1: used, unitsPerCoreGroup1: base, unitsPerCoreGroup2: 0 }
    : { cores: used, coresGroup1: rest, unitsPerCoreGroup1: base + 1, unitsPerCoreGroup2: base };
}

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
