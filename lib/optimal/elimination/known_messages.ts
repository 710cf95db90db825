// SPDX-License-Identifier: Apache-2.0
import { sameItems } from "../../layout/same_items.ts";
import { type EliminationOrder, eliminationOrder } from "./elimination_order.ts";
import { type Message, sumAndMinimize } from "./sum_and_minimize.ts";
import { EqualTables } from "./equal_tables.ts";
import { type Factor, neighboursIn } from "./factor.ts";

/** A message whose tables begin at 0, and what was taken off them. */
export interface RelativeMessage extends Message {
  /** Sum of the tables' least entries; `Infinity` where nothing is possible, and such a table is as it is. */
  readonly least: number;
  /** Joint choices that were looked at for it; 0 for a message that was known. */
  readonly work: number;
}

/**
 * Entries of messages that are kept, 10 bytes each, before those not asked for since are forgotten. Searches come back to
 * what they tried many solutions ago; of long functions one elimination alone has more.
 */
const KEPT_ENTRIES = 2_000_000;

/** A message, with the variables that it is over by their places among those that the eliminated one meets. */
type Content = Omit<RelativeMessage, "work">;

/**
 * Messages of variable elimination, kept by the tables that they are made from. Repeated layers share their tables, and one
 * problem takes tables over from another. So what lies between two equal borders is eliminated once.
 *
 * Tables are relative to their least entry, and equal ones are one object. What the layers so far cost in all is then no part
 * of what they tell the next one, and after a few layers they tell it the same (the steady state of max-plus algebra).
 * A message is forgotten when it was not asked for again while {@linkcode KEPT_ENTRIES} others were.
 */
export class KnownMessages {
  readonly #ids: WeakMap<Float64Array, number> = new WeakMap();
  #nextId = 0;
  #own: Map<string, Content> = new Map();
  #earlier: ReadonlyMap<string, Content> = new Map();
  #tables: EqualTables = new EqualTables();
  /** Of what was asked for since messages were last forgotten. */
  #entries: number = 0;
  readonly #most: number;
  /** By a number that equal graphs have in common, the last of them. */
  #orders: Map<number, KnownOrder> = new Map();
  #earlierOrders: ReadonlyMap<number, KnownOrder> = new Map();

  /** By variable what was asked last, since messages were last forgotten: a problem asks most of what the one before it asked. */
  #last: (Asked | undefined)[] = [];

  /** Whether eliminations of more predicted work than allowed have come through, or none was tried. */
  repeats: boolean = true;

  /** @param most entries that are kept */
  constructor(most: number = KEPT_ENTRIES) {
    this.#most = most;
  }

  /** Begins an elimination: where much is kept, what nobody asks for until as much is kept again is forgotten then. */
  begin(): void {
    if (this.#entries < this.#most) return;
    this.#entries = 0;
    this.#earlier = this.#own;
    this.#own = new Map();
    this.#last = [];
    this.#earlierOrders = this.#orders;
    this.#orders = new Map();
    this.#tables.forgetEarlier();
    this.#tables = new EqualTables(this.#tables);
  }

  /** As {@linkcode eliminationOrder}, which is not asked the same twice. */
  order(domains: readonly number[], scopes: readonly (readonly number[])[]): EliminationOrder {
    const hash = hashOfScopes(domains, scopes);
    let known = this.#orders.get(hash);
    if (known === undefined) {
      const earlier = this.#earlierOrders.get(hash);
      if (earlier !== undefined && isSameGraph(earlier, domains, scopes)) known = earlier;
    }
    if (known === undefined || !isSameGraph(known, domains, scopes)) {
      known = { domains, scopes, order: eliminationOrder(domains, scopes) };
    }
    this.#orders.set(hash, known);
    return known.order;
  }

  /** As {@linkcode sumAndMinimize}, which is not asked the same twice. */
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

  /** Equal for equal tables over variables that lie to one another alike. */
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

/** Factors that a variable was eliminated from, and the message. */
interface Asked {
  readonly factors: readonly Factor[];
  readonly domains: readonly number[];
  readonly message: RelativeMessage;
}

function isSameQuestion(
  { factors, domains }: Asked,
  others: readonly Factor[],
  theirDomains: readonly number[],
): boolean {
  return sameItems(factors, others, ({ scope, table }, other) =>
    table === other.table &&
    sameItems(scope, other.scope)) &&
    (domains === theirDomains ||
      factors.every(({ scope }) => scope.every((variable) => domains[variable] === theirDomains[variable])));
}

/** A graph of variables and the order found for it. */
interface KnownOrder {
  readonly domains: readonly number[];
  readonly scopes: readonly (readonly number[])[];
  readonly order: EliminationOrder;
}

function hashOfScopes(domains: readonly number[], scopes: readonly (readonly number[])[]): number {
  let hash = 0x811c9dc5;
  for (const values of domains) hash = Math.imul(hash ^ values, 0x01000193);
  for (const scope of scopes) for (const variable of scope) hash = Math.imul(hash ^ variable, 0x01000193);
  return hash;
}

function isSameGraph(
  known: KnownOrder,
  domains: readonly number[],
  scopes: readonly (readonly number[])[],
): boolean {
  return sameItems(domains, known.domains) &&
    sameItems(scopes, known.scopes, (scope, other) => sameItems(scope, other));
}

/**
 * The message with its tables made relative, in place.
 *
 * @param others variables that the eliminated one meets, ascending
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

/** Takes the least entry off a table, and returns it; of a table without any possible entry nothing. */
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
