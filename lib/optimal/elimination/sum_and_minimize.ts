// SPDX-License-Identifier: Apache-2.0
import { undominated, withValues } from "./dominance.ts";
import { type Factor, neighboursIn, strideOf } from "./factor.ts";

/** The sum of some factors minimised over one variable, with the value that attains the minimum. */
export interface Message {
  /**
   * Their sum is that minimum: one over all other variables, or, where one value is best whatever those are, every factor
   * with that value. What no choice of the variable ties together stays apart.
   */
  readonly factors: readonly Factor[];
  /** Variables that the best value depends on, ascending. */
  readonly scope: readonly number[];
  /** Per joint choice of the scope the first best value of the variable. */
  readonly best: Uint16Array;
  /** Joint choices that were looked at, and a part of what was compared to look at fewer. */
  readonly work: number;
}

/** Sums factors and minimises over one variable: one step of variable elimination. Ties take the lowest value. */
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
 * The message of a variable of which one value is best whatever the others are.
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
    // All but the last summand; two are summed while the minimum is looked for.
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

/** Of the entries of a message, the share that the sum of some of its factors may have to be made beforehand. */
const SUMMED_SHARE = 1 / 4;

/**
 * Factors as two with the same sum: one of them and the sum of the others, in the order given where that is small; `undefined`
 * where any such sum has as many entries as the message.
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

/** The sum of factors in the order given; the variable runs fastest. */
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

/** Where the rows of factors begin, for one choice of the variables of a scope after the other; the last one runs fastest. */
class RowOffsets {
  /** Choices of the scope. */
  readonly count: number;
  /** By factor, those of the choice at hand. */
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

  /** Goes on to the next choice. */
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

/** Joint choices that are looked at in the time that the rest of an entry takes. */
const ENTRY_CHOICES = 8;

/** Joint choices from which it pays to look for values that are never best. */
const MANY_CHOICES = 50_000;

/** Joint choices of two factors from which it pays to prepare their rows. */
const PAIR_ENTRIES = 4096;

/** Values of a row that are passed over together. */
const BLOCK = 8;

/** A factor by rows: what it costs for each value of one variable, for one choice of its others. */
interface Rows {
  /** The variable runs fastest. */
  readonly table: Float64Array;
  /** Least of each row. */
  readonly least: Float64Array;
  /** Least of every {@linkcode BLOCK} values of a row, row by row. */
  readonly blocks: Float64Array;
  /** By variable of the scope of a message: rows from one of its values to the next. */
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
    // Variables after this one run within its stride, those before it over all of its values.
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

/** As {@linkcode sumAndMinimize} for two factors: most values cost more with the least of the other factor than the best. */
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
    // What was best for the entry before is a good guess.
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
