// SPDX-License-Identifier: Apache-2.0
import type { AttributeDictionary, AttributeEntry, Span } from "./module_text.ts";

/** Longest spelling that is kept: longer ones hold constants, which few ops repeat. */
const LONGEST_SPELLING = 2048;

/**
 * Cache of dictionaries of ops in the generic form that were scanned in a text and end at their first closing bracket. Ops of
 * repeated layers have equal spellings: a dictionary that is spelled like an earlier one is well-formed, has no key twice, and
 * its aliases are noted already.
 */
export class PassedDictionaries {
  /** Most scanners read a word or two; these are made with the first op. */
  #properties: Spellings | undefined;
  #attributes: Spellings | undefined;

  /** `<{…}>` dictionaries. */
  get properties(): Spellings {
    return this.#properties ??= new Spellings("}>");
  }

  /** `{…}` dictionaries. */
  get attributes(): Spellings {
    return this.#attributes ??= new Spellings("}");
  }

  /** Forgets all: aliases in them are no longer noted. */
  clear(): void {
    this.#properties = undefined;
    this.#attributes = undefined;
  }
}

/** Dictionaries of one kind by how they are spelled. */
export class Spellings {
  readonly #closing: string;
  /** The first one of each. */
  readonly #cached: Map<string, AttributeDictionary> = new Map();
  #longest = 0;

  /** @param closing what the dictionaries end with */
  constructor(closing: string) {
    this.#closing = closing;
  }

  /** The dictionary that starts at an offset and is spelled like one that was noted; `undefined` when none is. */
  at(text: string, start: number): AttributeDictionary | undefined {
    if (this.#longest === 0) return undefined;
    // Not further than any of them: a text without the bracket would be read to its end for every op.
    const ahead = text.slice(start, start + this.#longest);
    const length = ahead.indexOf(this.#closing) + this.#closing.length;
    const first = this.#cached.get(ahead.slice(0, length));
    return first === undefined ? undefined : new RepeatedDictionary({ start, end: start + length }, first);
  }

  /** Notes a dictionary that was passed. */
  note(text: string, dictionary: AttributeDictionary): void {
    const { span: { start, end } } = dictionary;
    const spelling = text.slice(start, end);
    if (spelling.length > LONGEST_SPELLING) return;
    if (spelling.indexOf(this.#closing) !== spelling.length - this.#closing.length) return;
    this.#cached.set(spelling, dictionary);
    this.#longest = Math.max(this.#longest, spelling.length);
  }
}

/** A dictionary that is spelled like another one elsewhere in the text. Few are read: its entries are made when asked for. */
class RepeatedDictionary implements AttributeDictionary {
  readonly span: Span;
  readonly #first: AttributeDictionary;

  constructor(span: Span, first: AttributeDictionary) {
    this.span = span;
    this.#first = first;
  }

  get entries(): readonly AttributeEntry[] {
    const distance = this.span.start - this.#first.span.start;
    return this.#first.entries.map(({ key, span, valueSpan }) => ({
      key,
      span: moved(span, distance),
      valueSpan: valueSpan === undefined ? undefined : moved(valueSpan, distance),
    }));
  }
}

function moved({ start, end }: Span, distance: number): Span {
  return { start: start + distance, end: end + distance };
}

/**
 * Types of tensors that were passed in a text, those that end at their first `>`. Graphs have few types in many places:
 * one that is spelled like one before is well-formed, and the aliases in it are noted.
 */
export class PassedTypes {
  /** Most scanners read a word or two; the set is made with the first type. */
  #spellings: Set<string> | undefined;

  /** Where a type ends that starts at an offset of a text and was noted before; `undefined` when none does. */
  endAt(text: string, start: number): number | undefined {
    if (this.#spellings === undefined || !text.startsWith("tensor<", start)) return undefined;
    const end = text.indexOf(">", start) + 1;
    return this.#spellings.has(text.slice(start, end)) ? end : undefined;
  }

  /** Notes a type that was passed. */
  note(type: string): void {
    if (type.indexOf(">") === type.length - 1) (this.#spellings ??= new Set()).add(type);
  }

  /** Forgets all: aliases in them are no longer noted. */
  clear(): void {
    this.#spellings = undefined;
  }
}
