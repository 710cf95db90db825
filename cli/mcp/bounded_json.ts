// SPDX-License-Identifier: Apache-2.0
import { isRecord } from "../../lib/diagnostics/diagnostic.ts";

/** The part of a value that fits, with descriptions of the omissions. */
interface BoundedJson {
  readonly value: unknown;
  /** In words: `ops: 200 of 295 left out; the largest that fit are kept`. */
  readonly omitted: readonly string[];
}

/**
 * Members of documents whose items matter by a weight and not by their place, so that cut lists keep the
 * heaviest: the time of ops and steps, what a change costs, and of functions the one with most ops.
 */
const WEIGHTS: Readonly<Record<string, Weight>> = {
  ops: { what: "time", of: ({ us }) => numberOf(us) },
  steps: { what: "time", of: ({ deviceUs, gapUs }) => numberOf(deviceUs) + numberOf(gapUs) },
  changes: { what: "difference in time", of: ({ deltaUs }) => Math.abs(numberOf(deltaUs)) },
  functions: { what: "ops", of: ({ steps, decisions }) => lengthOf(steps) + lengthOf(decisions) },
};

/** How much an item of a list matters. */
interface Weight {
  /** In words. */
  readonly what: string;
  readonly of: (item: Readonly<Record<string, unknown>>) => number;
}

/** A list whose items would get at least so many bytes each keeps all of them. */
const LARGE_ITEM = 1000;

/** The first item of a list of many is cut if it would take more than this share of the room. */
const MOST_OF_LIST = 0.75;

/** The share of the remaining room that a large member of an object gets; the last gets all. */
const MOST_OF_REST = 2 / 3;

/** An object's members below this share of the room are small: they are kept before large ones are cut. */
const SMALL = 1 / 16;

/** Bytes of a comma, or of a member's colon and comma. */
const [COMMA, COLON_AND_COMMA] = [1, 2];

/** Bytes of brackets, braces, and of an ellipsis with its quotes. */
const [BRACKETS, ELLIPSIS] = [2, 7];

/**
 * Cuts a value until its JSON, quoted as a string of JSON, takes at most so many bytes of UTF-8. Small members of
 * objects are kept first, then large ones in order, the first with most room. Lists of few large items keep all of
 * them, each cut; other lists lose their ends, or their lightest items ({@linkcode WEIGHTS}), and are then in
 * order of weight. Texts lose their ends.
 */
export function boundedJson(value: unknown, most: number): BoundedJson {
  const omitted: string[] = [];
  const fitted = fit(value, most, { path: "", name: "", omitted });
  return { value: fitted ?? null, omitted };
}

/**
 * The longest beginning of a text that takes at most so many bytes of UTF-8 as a string of JSON, without the
 * quotes, with an ellipsis if it is not all.
 */
export function clipped(text: string, most: number): string {
  const bytes = (part: string) => utf8Bytes(JSON.stringify(part)) - 2;
  return beginningOf(text, most, bytes, " …");
}

/** The longest beginning with an ellipsis that is not larger than `most`, by bisection. */
function beginningOf(text: string, most: number, bytes: (part: string) => number, ellipsis: string): string {
  if (bytes(text) <= most) return text;
  let [fits, tooMany] = [0, text.length];
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (bytes(`${text.slice(0, middle)}${ellipsis}`) <= most) fits = middle;
    else tooMany = middle;
  }
  return `${text.slice(0, fits).replace(/[\uD800-\uDBFF]$/, "")}${ellipsis}`;
}

/** Path of a value, and the list of omissions. */
interface Place {
  readonly path: string;
  readonly name: string;
  readonly omitted: string[];
}

/** The part of a value that fits; `undefined` if nothing does. */
function fit(value: unknown, most: number, place: Place): unknown {
  if (quotedBytes(value) <= most) return value;
  if (typeof value === "string") return fitText(value, most, place);
  if (most < BRACKETS) return undefined;
  if (Array.isArray(value)) {
    return (most / value.length >= LARGE_ITEM ? fitEvery : fitFirst)(value, most, place);
  }
  return isRecord(value) ? fitRecord(value, most, place) : undefined;
}

function fitText(text: string, most: number, { path, omitted }: Place): string | undefined {
  if (most < ELLIPSIS) return undefined;
  const kept = beginningOf(text, most, quotedBytes, "…");
  omitted.push(
    `${path || "the text"}: ${text.length - kept.length + 1} of ${text.length} characters left out`,
  );
  return kept;
}

/** Few large items: all are kept, and those that are larger than an equal share of the room are cut to it. */
function fitEvery(items: readonly unknown[], most: number, { path, omitted }: Place): readonly unknown[] {
  let rest = most - BRACKETS;
  let left = items.length;
  const fitted = new Map<number, unknown>();
  const smallestFirst = [...items.keys()].sort((a, b) => quotedBytes(items[a]) - quotedBytes(items[b]));
  for (const index of smallestFirst) {
    const room = Math.floor(rest / left--) - COMMA;
    const one = fit(items[index], room, { path: `${path}[${index}]`, name: "", omitted }) ?? null;
    fitted.set(index, one);
    rest -= quotedBytes(one) + COMMA;
  }
  return items.map((_, index) => fitted.get(index));
}

/** Many items: the first, or the heaviest, as long as there is room; only the very first is cut itself. */
function fitFirst(
  items: readonly unknown[],
  most: number,
  { path, name, omitted }: Place,
): readonly unknown[] {
  const weight = WEIGHTS[name];
  const ranked = items.map((item, index) => ({
    item,
    index,
    weight: weight !== undefined && isRecord(item) ? weight.of(item) : 0,
  })).sort((a, b) => b.weight - a.weight);
  const isWeighed = ranked.some(({ weight }) => weight > 0);
  const kept: unknown[] = [];
  const inner: string[] = [];
  let rest = most - BRACKETS;
  for (const { item, index } of ranked) {
    const room = rest - COMMA;
    if (kept.length === 0) {
      const share = Math.min(room, Math.floor(MOST_OF_LIST * most));
      const one = fit(item, share, { path: `${path}[${index}]`, name: "", omitted: inner });
      if (one === undefined) break;
      kept.push(one);
      rest -= quotedBytes(one) + COMMA;
    } else if (quotedBytes(item) <= room) {
      kept.push(item);
      rest -= quotedBytes(item) + COMMA;
    } else if (!isWeighed) break;
  }
  const missing = items.length - kept.length;
  if (missing > 0) {
    const which = isWeighed ? `; those with the most ${weight?.what ?? ""} that fit are kept` : "";
    omitted.push(`${path || "the list"}: ${missing} of ${items.length} left out${which}`);
  }
  omitted.push(...inner);
  return kept;
}

function fitRecord(
  record: Readonly<Record<string, unknown>>,
  most: number,
  { path, omitted }: Place,
): Readonly<Record<string, unknown>> {
  const members = Object.entries(record).filter(([, value]) => value !== undefined);
  const kept = new Map<string, unknown>();
  let rest = most - BRACKETS;
  const keep = (key: string, value: unknown): void => {
    kept.set(key, value);
    rest -= memberBytes(key, value);
  };
  const large: (readonly [string, unknown])[] = [];
  // Names of large members are reserved for, so that none disappears unless there are very many.
  for (const [key, value] of members) {
    const bytes = memberBytes(key, value);
    if (bytes > SMALL * most || bytes > rest) large.push([key, value]);
    else keep(key, value);
  }
  large.forEach(([key, value], index) => {
    const own = memberBytes(key, null) - quotedBytes(null);
    const behind = large.slice(index + 1);
    const others = behind.reduce((sum, [other]) => sum + memberBytes(other, []), 0);
    const free = rest - own - others;
    const room = index === large.length - 1
      ? free
      : Math.max(free * MOST_OF_REST, free - behind.reduce((sum, [, other]) => sum + quotedBytes(other), 0));
    const one = fit(value, Math.max(room, 0), {
      path: path === "" ? key : `${path}.${key}`,
      name: key,
      omitted,
    });
    if (one === undefined || memberBytes(key, one) > rest) return;
    keep(key, one);
  });
  const missing = members.filter(([key]) => !kept.has(key)).map(([key]) => key);
  if (missing.length > 0) {
    omitted.push(`${path || "the object"}: ${missing.length} members left out: ${missing.join(", ")}`);
  }
  return Object.fromEntries(members.flatMap(([key]) => kept.has(key) ? [[key, kept.get(key)]] : []));
}

function memberBytes(key: string, value: unknown): number {
  return quotedBytes(key) + COLON_AND_COMMA + quotedBytes(value);
}

/** Texts whose JSON has no escapes and a byte per character. */
const PLAIN = /^[ !#-[\]-~]*$/;

const known = new WeakMap<object, number>();

/** Bytes of UTF-8 of a value's JSON inside of a string of JSON, where each quote takes two. */
export function quotedBytes(value: unknown): number {
  if (typeof value === "string") {
    return PLAIN.test(value) ? value.length + 4 : utf8Bytes(JSON.stringify(JSON.stringify(value))) - 2;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null).length;
  const before = known.get(value);
  if (before !== undefined) return before;
  let bytes = BRACKETS - COMMA;
  if (Array.isArray(value)) { for (const item of value) bytes += quotedBytes(item) + COMMA; }
  else {
    for (const [key, member] of Object.entries(value)) {
      if (member !== undefined) bytes += memberBytes(key, member);
    }
  }
  bytes = Math.max(bytes, BRACKETS);
  known.set(value, bytes);
  return bytes;
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
