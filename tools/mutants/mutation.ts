// SPDX-License-Identifier: Apache-2.0

/**
 * A mutation: an edit of the source that makes an algorithm wrong, so that a test of it has to fail.
 *
 * @module
 */

/** What is replaced, which must stand once in the file, and by what; why it changes nothing where it survives. */
export type Edit = readonly [find: string, replacement: string, equivalent?: string];

/** Edits of one algorithm, and the tests that are to notice them. */
export interface Mutations {
  /** Name and section, as docs/seeds.md has them, where a design document names it. */
  readonly algorithm: string;
  readonly file: string;
  /** Test files, the quickest first. */
  readonly tests: readonly string[];
  readonly edits: readonly Edit[];
}

/** The text with an edit. @throws {RangeError} unless the text to replace stands in it exactly once */
export function applyEdit(text: string, [find, replacement]: Edit, file: string): string {
  const at = text.indexOf(find);
  if (at < 0) throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} is not in it`);
  if (text.indexOf(find, at + 1) >= 0) {
    throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} is in it more than once`);
  }
  if (find === replacement) {
    throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} stays as it is`);
  }
  return text.slice(0, at) + replacement + text.slice(at + find.length);
}
