// SPDX-License-Identifier: Apache-2.0

/**
 * A mutation: an edit of the source that makes an algorithm wrong, so that a test of it has to fail.
 *
 * @module
 */

/**
 * Source text with one replacement in marks: `x «<→<=» y` makes `x <= y` of `x < y`, which must stand once in the file.
 * Beside it the reason why tests cannot notice an edit that changes nothing.
 */
export type Edit = string | readonly [marked: string, equivalent: string];

/** Edits by `FILE: ALGORITHM`: its name and section, as docs/seeds.md has them, where a design document names it. */
export type Mutations = Readonly<Record<string, readonly Edit[]>>;

/** What an edit finds, and what stands there afterwards. @throws {RangeError} without exactly one replacement */
export function textsOf(edit: Edit): readonly [find: string, replacement: string] {
  const marked = typeof edit === "string" ? edit : edit[0];
  const [before, old, replacement, after, ...more] = marked.split(/[«→»]/);
  if (old === undefined || replacement === undefined || after === undefined || more.length > 0) {
    throw new RangeError(`Cannot read ${JSON.stringify(marked)}: expected before«old→new»after`);
  }
  return [`${before}${old}${after}`, `${before}${replacement}${after}`];
}

/** The text with an edit. @throws {RangeError} unless the text to replace stands in it exactly once */
export function applyEdit(text: string, edit: Edit, file: string): string {
  const [find, replacement] = textsOf(edit);
  const [before, after, ...more] = text.split(find);
  if (after === undefined) {
    throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} is not in it`);
  }
  if (more.length > 0) {
    throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} is in it more than once`);
  }
  if (find === replacement) {
    throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} stays as it is`);
  }
  return before + replacement + after;
}
