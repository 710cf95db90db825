// SPDX-License-Identifier: Apache-2.0
import { KEPT_ENTRIES } from "../limits.ts";
import { sameItems } from "../../layout/extents.ts";
import { EqualTables } from "./equal_tables.ts";
import { type Factor, neighboursIn } from "./factor.ts";
import { type Message, sumAndMinimize } from "./sum_and_minimize.ts";

/** A message whose tables have 0 as their least entry, and the subtracted constant. */
export interface RelativeMessage extends Message {
  /** Sum of the tables' least entries; `Infinity` if nothing is possible, in which case the table is unchanged. */
  readonly least: number;
  /** Joint choices examined for it; 0 for a cached message. */
  readonly work: number;
}

/** A message with its variables given by index among the neighbours of the eliminated variable. */
type Content = Omit<RelativeMessage, "work">;

/**
 * Cache of variable elimination messages, keyed by the tables that they are computed from. Repeated layers
 * share tables, and a problem reuses tables of another one, so a stretch between two equal borders is
 * eliminated only once.
 *
 * Tables are stored relative to their least entry, and equal ones are one object. The total cost of earlier
 * layers is therefore not part of the message to the next layer, and after a few layers all messages are
 * equal (the steady state of max-plus algebra). A message is evicted if it is not used again while
 * {@linkcode KEPT_ENTRIES} entries of others are.
 */
export class MessageCache {
  readonly #ids: WeakMap<Float64Array, number> = new WeakMap();
  #nextId = 0;
  #own: Map<string, Content> = new Map();
  #earlier: ReadonlyMap<string, Content> = new Map();
  #tables: EqualTables = new EqualTables();
  /** Entries used since messages were last dropped. */
  #entries: number = 0;
  readonly #most: number;

  /**
   * By variable: the last query since messages were last dropped. Most queries of a problem are those of the
   * problem before it.
   */
  #last: (EliminatedFactors | undefined)[] = [];

  /** Whether eliminations with more predicted work than allowed have finished within the limit, or none was tried. */
  repeats: boolean = true;

  /** @param most entries that are cached */
  constructor(most: number = KEPT_ENTRIES) {
    this.#most = most;
  }

  /**
   * Begins an elimination. If the cache is full, messages that are not used until it is full again will be
   * dropped then.
   */
  begin(): void {
    if (this.#entries < this.#most) return;
    this.#entries = 0;
    this.#earlier = this.#own;
    this.#own = new Map();
    this.#last = [];
    this.#tables.forgetEarlier();
    this.#tables = new EqualTables(this.#tables);
  }

  /** Cached {@linkcode sumAndMinimize}. */
  message(factors: readonly Factor[], variable: number, domains: readonly number[]): RelativeMessage {
    const last = this.#last[variable];
    if (last !== undefined && isSameQuestion(last, factors, domains)) return last.message;
    const message = this.#message(factors, variable, domains);
    this.#last[variable] = { factors, domains, message: { ...message, work: 0 } };
    return message;
  }

  #message(factors: readonly Factor[], variable: number, domains: readonly number[]): RelativeMessage {
    const others = neighboursIn(factors, variable);
    const key = this.#key(factors, variable, others, domains);
    let content = this.#own.get(key);
    let work = 0;
    if (content === undefined) {
      content = this.#earlier.get(key);
      if (content === undefined) {
        const message = sumAndMinimize(factors, variable, domains);
        work = message.work;
        content = relative(message, others);
      }
      const shared = content.factors.map(({ scope, table }) => ({ scope, table: this.#tables.one(table) }));
      content = { ...content, factors: shared };
      this.#own.set(key, content);
      this.#entries += shared.reduce((entries, { table }) => entries + table.length, 0);
    }
    const { best, least } = content;
    const variables = (places: readonly number[]): readonly number[] =>
      places.map((place) => others[place] ?? -1);
    return {
      factors: content.factors.map(({ scope, table }) => ({ scope: variables(scope), table })),
      scope: variables(content.scope),
      best,
      least,
      work,
    };
  }

  /** Equal for equal tables over variables with the same relative positions. */
  #key(
    factors: readonly Factor[],
    variable: number,
    others: readonly number[],
    domains: readonly number[],
  ): string {
    let key = `${domains[variable]}`;
    for (const other of others) key += `,${domains[other]}`;
    for (const { scope, table } of factors) {
      key += `|${this.#idOf(table)}`;
      for (const other of scope) key += `.${others.indexOf(other)}`;
    }
    return key;
  }

  #idOf(table: Float64Array): number {
    let id = this.#ids.get(table);
    if (id === undefined) this.#ids.set(table, id = this.#nextId++);
    return id;
  }
}

/** Factors from which a variable was eliminated, and the message. */
interface EliminatedFactors {
  readonly factors: readonly Factor[];
  readonly domains: readonly number[];
  readonly message: RelativeMessage;
}

function isSameQuestion(
  { factors, domains }: EliminatedFactors,
  others: readonly Factor[],
  theirDomains: readonly number[],
): boolean {
  return sameItems(factors, others, ({ scope, table }, other) =>
    table === other.table &&
    sameItems(scope, other.scope)) &&
    (domains === theirDomains ||
      factors.every(({ scope }) => scope.every((variable) => domains[variable] === theirDomains[variable])));
}

/**
 * Makes the tables of a message relative, in place.
 *
 * @param others neighbours of the eliminated variable, ascending
 */
function relative({ factors, scope, best }: Message, others: readonly number[]): Content {
  const places = (variables: readonly number[]): readonly number[] =>
    variables.map((variable) => others.indexOf(variable));
  return {
    factors: factors.map(({ scope, table }) => ({ scope: places(scope), table })),
    scope: places(scope),
    best,
    least: factors.reduce((sum, { table }) => sum + lower(table), 0),
  };
}

/** Subtracts the least entry of a table, and returns it; leaves a table without a possible entry as it is. */
function lower(table: Float64Array): number {
  let least = Infinity;
  for (let entry = 0; entry < table.length; entry++) {
    const cost = table[entry] ?? Infinity;
    if (cost < least) least = cost;
  }
  if (least > 0 && least < Infinity) {
    for (let entry = 0; entry < table.length; entry++) table[entry] = (table[entry] ?? 0) - least;
  }
  return least;
}
