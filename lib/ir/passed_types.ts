// SPDX-License-Identifier: Apache-2.0

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
