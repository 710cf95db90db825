// SPDX-License-Identifier: Apache-2.0
import { ENTRY_CHOICES, MANY_CHOICES, PAIR_ENTRIES, SUMMED_SHARE } from "../limits.ts";
import { undominated, withValues } from "./dominance.ts";
import { type Factor, neighboursIn, strideOf } from "./factor.ts";

/** The sum of some factors minimized over one variable, with the value that attains the minimum. */
export interface Message {
  /**
   * Factors whose sum is that minimum: one over all other variables, or, if one value dominates all others,
   * each factor restricted to that value. Factors that no choice of the variable connects stay separate.
   */
  readonly factors: readonly Factor[];
  /** Variables that the best value depends on, ascending. */
  readonly scope: readonly number[];
  /** Per joint choice of the scope: the first best value of the variable. */
  readonly best: Uint16Array;
  /** Joint choices that were examined, plus some of the comparisons that reduce them. */
  readonly work: number;
}

/** Sums factors and minimizes over one variable: one step of variable elimination. Ties take the lowest value. */
export function sumAndMinimize(
  factors: readonly Factor[],
  variable: number,
  domains: readonly number[],
): Message {
  const scope = neighboursIn(factors, variable);
  const values = domains[variable] ?? 1;
  const size = scope.reduce((product, other) => product * (domains[other] ?? 1), 1);
  if (values === 1) return withBest(factors, variable, domains, 0, 0);
  if (size * values <= MANY_CHOICES) return minimize(factors, variable, domains, scope);
  const { kept, work } = undominated(factors, variable, domains);
  if (kept.length === values) return minimize(factors, variable, domains, scope);
  const [only, second] = kept;
  if (only !== undefined && second === undefined) return withBest(factors, variable, domains, only, work);
  const fewer = domains.with(variable, kept.length);
  const rest = factors.map((factor) => withValues(factor, variable, domains, kept));
  const message = minimize(rest, variable, fewer, scope);
  const looked = Math.min(size * values, message.work + size * ENTRY_CHOICES);
  return { ...message, best: message.best.map((value) => kept[value] ?? 0), work: looked + work };
}

/**
 * The message of a variable with a value that dominates all others.
 *
 * @param work of finding that out
 */
function withBest(
  factors: readonly Factor[],
  variable: number,
  domains: readonly number[],
  best: number,
  work: number,
): Message {
  const without = factors.map((factor): Factor => ({
    scope: factor.scope.filter((other) => other !== variable),
    table: withValues(factor, variable, domains, [best]).table,
  }));
  const looked = without.reduce((sum, { table }) => sum + table.length, 0);
  return { factors: without, scope: [], best: Uint16Array.of(best), work: looked + work };
}

/** @param scope the other variables of the factors, ascending */
function minimize(
  factors: readonly Factor[],
  variable: number,
  domains: readonly number[],
  scope: readonly number[],
): Message {
  const extents = scope.map((other) => domains[other] ?? 1);
  const size = extents.reduce((product, extent) => product * extent, 1);
  const values = domains[variable] ?? 1;
  const pair = size * values > PAIR_ENTRIES ? inTwo(factors, variable, size, domains) : undefined;
  if (pair !== undefined) return minimizePair(pair, variable, scope, domains);
  const tables = factors.map((factor) => factor.table);
  const inner = factors.map((factor) => strideOf(factor, variable, domains));
  const rows = new RowOffsets(factors, scope, domains);
  const { offsets } = rows;
  const table = new Float64Array(size);
  const best = new Uint16Array(size);
  const sums = new Float64Array(values);
  const last = tables.length - 1;
  for (let entry = 0; entry < size; entry++) {
    // Sums all but the last factor; the last one is added while the minimum is searched.
    let head = tables[0] ?? sums;
    let headOffset = offsets[0] ?? 0;
    let headStride = inner[0] ?? 0;
    if (last > 1) {
      copyRow(sums, head, headOffset, headStride);
      for (let index = 1; index < last; index++) {
        addRow(sums, tables[index] ?? sums, offsets[index] ?? 0, inner[index] ?? 0);
      }
      head = sums;
      headOffset = 0;
      headStride = 1;
    }
    const tail = last > 0 ? tables[last] : undefined;
    const tailOffset = offsets[last] ?? 0;
    const tailStride = inner[last] ?? 0;
    let least = Infinity;
    let at = 0;
    for (let value = 0; value < values; value++) {
      const sum = (head[headOffset + value * headStride] ?? 0) +
        (tail === undefined ? 0 : tail[tailOffset + value * tailStride] ?? 0);
      if (sum < least) {
        least = sum;
        at = value;
      }
    }
    table[entry] = least;
    best[entry] = at;
    rows.next();
  }
  return { factors: [{ scope, table }], scope, best, work: size * values };
}

/**
 * Splits factors into two with the same total: the sum of all but one, and that one; the last one if that sum is
 * small enough, otherwise the one that leaves the smallest sum. `undefined` if every such sum has more than {@linkcode
 * SUMMED_SHARE} of the message's entries, and for a single factor.
 *
 * @param size entries of the message
 */
function inTwo(
  factors: readonly Factor[],
  variable: number,
  size: number,
  domains: readonly number[],
): readonly [Factor, Factor] | undefined {
  const last = factors.length - 1;
  if (last < 1) return undefined;
  const without = (alone: number): readonly Factor[] => factors.filter((_, index) => index !== alone);
  const sizeOf = (alone: number): number =>
    neighboursIn(without(alone), variable).reduce((product, other) => product * (domains[other] ?? 1), 1);
  let alone = last;
  let least = last > 1 ? sizeOf(last) : 0;
  for (let index = last - 1; index >= 0 && least > SUMMED_SHARE * size; index--) {
    const own = sizeOf(index);
    if (own < least) [alone, least] = [index, own];
  }
  const factor = factors[alone];
  if (factor === undefined || least > SUMMED_SHARE * size) return undefined;
  const [other, ...more] = without(alone);
  if (other === undefined) return undefined;
  return [more.length === 0 ? other : sumOf(without(alone), variable, domains), factor];
}

/** The sum of factors in the given order; the variable varies fastest. */
function sumOf(factors: readonly Factor[], variable: number, domains: readonly number[]): Factor {
  const scope = neighboursIn(factors, variable);
  const values = domains[variable] ?? 1;
  const tables = factors.map(({ table }) => table);
  const inner = factors.map((factor) => strideOf(factor, variable, domains));
  const rows = new RowOffsets(factors, scope, domains);
  const table = new Float64Array(rows.count * values);
  for (let row = 0; row < rows.count; row++) {
    const sums = table.subarray(row * values, (row + 1) * values);
    tables.forEach((summand, index) => addRow(sums, summand, rows.offsets[index] ?? 0, inner[index] ?? 0));
    rows.next();
  }
  return { scope: [...scope, variable], table };
}

/**
 * Iterates over the choices of a scope and tracks where each factor's row begins; the last variable varies
 * fastest.
 */
class RowOffsets {
  /** Number of choices of the scope. */
  readonly count: number;
  /** Per factor, for the current choice. */
  readonly offsets: Int32Array;
  readonly #extents: readonly number[];
  readonly #digits: Int32Array;
  /** By factor and variable of the scope. */
  readonly #strides: readonly (readonly number[])[];

  constructor(factors: readonly Factor[], scope: readonly number[], domains: readonly number[]) {
    this.#extents = scope.map((other) => domains[other] ?? 1);
    this.count = this.#extents.reduce((product, extent) => product * extent, 1);
    this.offsets = new Int32Array(factors.length);
    this.#digits = new Int32Array(scope.length);
    this.#strides = factors.map((factor) => scope.map((other) => strideOf(factor, other, domains)));
  }

  /** Advances to the next choice. */
  next(): void {
    for (let digit = this.#digits.length - 1; digit >= 0; digit--) {
      const next = (this.#digits[digit] ?? 0) + 1;
      const wraps = next === this.#extents[digit];
      this.#digits[digit] = wraps ? 0 : next;
      const step = wraps ? 1 - next : 1;
      for (let index = 0; index < this.offsets.length; index++) {
        this.offsets[index] = (this.offsets[index] ?? 0) + step * (this.#strides[index]?.[digit] ?? 0);
      }
      if (!wraps) break;
    }
  }
}

/** Values of a row that are skipped together. */
const BLOCK = 8;

/** A factor by rows: the costs of the values of one variable, for each choice of the others. */
interface Rows {
  /** The variable varies fastest. */
  readonly table: Float64Array;
  /** Least entry of each row. */
  readonly least: Float64Array;
  /** Least entry of every {@linkcode BLOCK} values of a row, row by row. */
  readonly blocks: Float64Array;
  /** By variable of the message's scope: rows between two successive values. */
  readonly strides: readonly number[];
}

function rowsOf(
  factor: Factor,
  variable: number,
  scope: readonly number[],
  domains: readonly number[],
): Rows {
  const others = factor.scope.filter((other) => other !== variable);
  const byRow = { scope: others, table: factor.table };
  const strides = scope.map((other) => strideOf(byRow, other, domains));
  const values = domains[variable] ?? 1;
  const inner = strideOf(factor, variable, domains);
  const table = new Float64Array(factor.table.length);
  const least = new Float64Array(factor.table.length / values).fill(Infinity);
  const perRow = Math.ceil(values / BLOCK);
  const blocks = new Float64Array(least.length * perRow).fill(Infinity);
  for (let row = 0; row < least.length; row++) {
    // Variables after this one vary within its stride, those before it over all of its values.
    const within = row % inner;
    const offset = (row - within) * values + within;
    for (let value = 0; value < values; value++) {
      const cost = factor.table[offset + value * inner] ?? Infinity;
      table[row * values + value] = cost;
      const block = row * perRow + Math.floor(value / BLOCK);
      if (cost < (blocks[block] ?? Infinity)) blocks[block] = cost;
      if (cost < (least[row] ?? Infinity)) least[row] = cost;
    }
  }
  return { table, least, blocks, strides };
}

/**
 * {@linkcode sumAndMinimize} for two factors. Most values are skipped, because even with the least entry of the
 * other factor they cost more than the best.
 */
function minimizePair(
  [a, b]: readonly [Factor, Factor],
  variable: number,
  scope: readonly number[],
  domains: readonly number[],
): Message {
  const values = domains[variable] ?? 1;
  const extents = scope.map((other) => domains[other] ?? 1);
  const size = extents.reduce((product, extent) => product * extent, 1);
  const [first, second] = [rowsOf(a, variable, scope, domains), rowsOf(b, variable, scope, domains)];
  const digits = new Int32Array(scope.length);
  const table = new Float64Array(size);
  const best = new Uint16Array(size);
  const { table: costs, blocks } = first;
  const { table: others } = second;
  const perRow = Math.ceil(values / BLOCK);
  let [firstRow, secondRow, chosen] = [0, 0, 0];
  for (let entry = 0; entry < size; entry++) {
    const from = firstRow * values;
    const fromOther = secondRow * values;
    const fromBlock = firstRow * perRow;
    const rest = second.least[secondRow] ?? Infinity;
    // The best value of the previous entry is a good first guess.
    let least = (costs[from + chosen] ?? Infinity) + (others[fromOther + chosen] ?? Infinity);
    if (least === Infinity) chosen = 0;
    for (let block = 0; block < perRow; block++) {
      if ((blocks[fromBlock + block] ?? Infinity) + rest > least) continue;
      const end = Math.min(values, (block + 1) * BLOCK);
      for (let value = block * BLOCK; value < end; value++) {
        const sum = (costs[from + value] ?? Infinity) + (others[fromOther + value] ?? Infinity);
        if (sum < least || (sum === least && value < chosen)) {
          least = sum;
          chosen = value;
        }
      }
    }
    table[entry] = least;
    best[entry] = chosen;
    for (let digit = scope.length - 1; digit >= 0; digit--) {
      const next = (digits[digit] ?? 0) + 1;
      const wraps = next === extents[digit];
      digits[digit] = wraps ? 0 : next;
      const steps = wraps ? 1 - next : 1;
      firstRow += steps * (first.strides[digit] ?? 0);
      secondRow += steps * (second.strides[digit] ?? 0);
      if (!wraps) break;
    }
  }
  return { factors: [{ scope, table }], scope, best, work: size * values };
}

function copyRow(sums: Float64Array, table: Float64Array, offset: number, stride: number): void {
  for (let value = 0; value < sums.length; value++) sums[value] = table[offset + value * stride] ?? 0;
}

function addRow(sums: Float64Array, table: Float64Array, offset: number, stride: number): void {
  for (let value = 0; value < sums.length; value++) {
    sums[value] = (sums[value] ?? 0) + (table[offset + value * stride] ?? 0);
  }
}
