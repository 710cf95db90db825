// SPDX-License-Identifier: Apache-2.0

/** Costs of the joint choices of a few variables. */
export interface Factor {
  /** Variables, ascending, each once. */
  readonly scope: readonly number[];
  /** One cost ≥ 0 per joint choice, `Infinity` if it is impossible; the last variable of the scope varies fastest. */
  readonly table: Float64Array;
}

/**
 * Choose a value for every variable so that the sum of all factors is least (derived:exact-layouts, without
 * capacity).
 */
export interface FactorProblem {
  /** Number of values per variable, at least 1. */
  readonly domains: readonly number[];
  /** Any number per variable; several may have the same scope. */
  readonly factors: readonly Factor[];
}

/** Relative tolerance within which sums of the same times in different orders count as equal. */
export const ROUNDING = 1e-9;

/** Sum of all factors for a choice; the reference for all solvers. */
export function costOf({ domains, factors }: FactorProblem, choice: ArrayLike<number>): number {
  let cost = 0;
  for (const { scope, table } of factors) {
    let offset = 0;
    for (const variable of scope) offset = offset * (domains[variable] ?? 1) + (choice[variable] ?? 0);
    cost += table[offset] ?? 0;
  }
  return cost;
}

/** All variables of the factors but one, ascending. */
export function neighboursIn(factors: readonly Factor[], variable: number): number[] {
  const others = new Set<number>();
  for (const { scope } of factors) for (const other of scope) if (other !== variable) others.add(other);
  return [...others].sort((a, b) => a - b);
}

/** Entries between two successive values of a variable; 0 if the factor does not contain it. */
export function strideOf({ scope }: Factor, variable: number, domains: readonly number[]): number {
  const at = scope.indexOf(variable);
  if (at < 0) return 0;
  let stride = 1;
  for (let index = at + 1; index < scope.length; index++) stride *= domains[scope[index] ?? -1] ?? 1;
  return stride;
}

/** A factor with its variables in ascending order, from one in any order (the last one varies fastest). */
export function inScopeOrder(
  scope: readonly number[],
  table: Float64Array,
  domains: readonly number[],
): Factor {
  const order = scope.toSorted((a, b) => a - b);
  if (order.every((variable, index) => variable === scope[index])) return { scope, table };
  const extents = order.map((variable) => domains[variable] ?? 1);
  const strides = order.map((variable) => {
    let stride = 1;
    for (let at = scope.indexOf(variable) + 1; at < scope.length; at++) {
      stride *= domains[scope[at] ?? -1] ?? 1;
    }
    return stride;
  });
  const digits = order.map(() => 0);
  const sorted = new Float64Array(table.length);
  const [inner = 1, stride = 0] = [extents.at(-1), strides.at(-1)];
  for (let row = 0; row < sorted.length; row += inner) {
    let offset = 0;
    for (let axis = 0; axis < digits.length; axis++) offset += (digits[axis] ?? 0) * (strides[axis] ?? 0);
    for (let at = 0; at < inner; at++) sorted[row + at] = table[offset + at * stride] ?? Infinity;
    for (let axis = digits.length - 2; axis >= 0; axis--) {
      const next = (digits[axis] ?? 0) + 1;
      digits[axis] = next === extents[axis] ? 0 : next;
      if (digits[axis] !== 0) break;
    }
  }
  return { scope: order, table: sorted };
}
