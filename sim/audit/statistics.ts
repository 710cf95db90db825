// SPDX-License-Identifier: Apache-2.0

/** Errors of a set of predictions, all relative (0.08 means 8 %). */
export interface ErrorStatistics {
  /** Mean of the errors without their signs; a share, as all of these: 0.1 is 10 %. */
  readonly mape: number;
  /** Their median. */
  readonly medianApe: number;
  /** Their 90th percentile. */
  readonly p90: number;
  /** Mean with the signs: positive when predictions are too high. */
  readonly bias: number;
}

/** Statistics of relative errors `predicted / measured − 1`; `undefined` for an empty set. */
export function errorStatistics(errors: readonly number[]): ErrorStatistics | undefined {
  if (errors.length === 0) return undefined;
  const absolute = errors.map(Math.abs).sort((a, b) => a - b);
  return {
    mape: mean(absolute),
    medianApe: quantile(absolute, 0.5),
    p90: quantile(absolute, 0.9),
    bias: mean(errors),
  };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Mean of values; `NaN` of none. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Quantile of sorted values with linear interpolation. */
export function quantile(sorted: readonly number[], share: number): number {
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}
