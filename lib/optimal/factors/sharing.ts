// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";

/** How the readers of a value share the costs of its copies (see {@linkcode SharedValue}). */
export interface Sharing {
  /**
   * Whether the problem distinguishes one branch of copies that serves all readers from several branches
   * ({@linkcode CopyTree}).
   */
  readonly separatesBranches: boolean;
  /** Copies that are paid in full. */
  readonly paid: readonly LayoutId[];
  /**
   * Share of other copies that each reader pays: every use in order, then `return`. For a bound they add up
   * to 1.
   */
  readonly shares: readonly number[];
}

/** The sharing of a value's copies in a solution, and the changes of it that would raise the bound. */
export interface SharedCharge {
  readonly value: ValueId;
  readonly sharing: Sharing;
  /** Copies to pay in full next: those that are charged too little, and their cheaper-charged substitutes. */
  readonly payNext: readonly LayoutId[];
}

/** Number of readers that may share a conversion of the value: every use, and `return`. */
export function countReaders(evaluator: OpEvaluator, value: ValueId): number {
  const { uses, returned } = evaluator.value(value);
  return Math.max(1, uses.length + (returned > 0 ? 1 : 0));
}

/**
 * Every reader pays its whole path: not a bound, because shared copies count several times, but no path is
 * free.
 */
export function wholeShares(readers: number): Sharing {
  return { separatesBranches: false, paid: [], shares: Array.from({ length: readers }, () => 1) };
}

/** Every reader pays the same share. */
export function equalShares(readers: number): Sharing {
  return { separatesBranches: false, paid: [], shares: Array.from({ length: readers }, () => 1 / readers) };
}

/**
 * Shares for paths that not all readers have in common: s'_r = max(s_r, level), with the highest level at
 * which all shares except the least add up to at most 1.
 *
 * @param shares s_r, which add up to 1
 */
export function separateShares(shares: readonly number[]): readonly number[] {
  const ascending = shares.toSorted((a, b) => a - b);
  let sum = 0;
  for (let count = 1; count <= ascending.length; count++) {
    sum += ascending[count - 1] ?? 0;
    const level = count === 1 ? Infinity : sum / (count - 1);
    if (level <= (ascending[count] ?? Infinity)) {
      return shares.map((share) => Math.max(share, Math.min(1, level)));
    }
  }
  return shares.map(() => 1);
}
