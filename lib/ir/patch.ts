// SPDX-License-Identifier: Apache-2.0

/** Replaces the text between two offsets; an insertion has `start === end`. */
export interface Patch {
  /** First UTF-16 unit to replace. */
  readonly start: number;
  /** One past the last unit to replace. */
  readonly end: number;
  /** The new text; `""` deletes. */
  readonly text: string;
}

/**
 * Applies patches in one pass and leaves every other byte alone. Patches may come in any order; several insertions at
 * one offset keep their order and come before a replacement of the text from that offset on. Inserted lines end like the
 * first line of the text.
 *
 * @example
 * ```ts
 * import { parseModule } from "@tilewright/tilewright";
 * import { applyPatches } from "@tilewright/tilewright/ir";
 * import { assertEquals } from "@std/assert";
 *
 * const module = parseModule(`"test.a"() : () -> ()\n`, "a.mlir");
 * const name = module.operations[0]?.nameSpan ?? { start: 0, end: 0 };
 * assertEquals(applyPatches(module.text, [{ ...name, text: '"test.b"' }]), `"test.b"() : () -> ()\n`);
 * ```
 *
 * @throws {RangeError} when patches overlap or lie outside of the text
 */
export function applyPatches(text: string, patches: readonly Patch[]): string {
  // Sorting keeps the order of equals.
  const ordered = patches.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const hasCarriageReturns = /^[^\n]*\r\n/.test(text);
  const pieces: string[] = [];
  let position = 0;
  for (const patch of ordered) {
    if (patch.start < position || patch.end < patch.start || patch.end > text.length) {
      throw new RangeError(
        `Cannot apply the patch of [${patch.start}, ${patch.end}): it overlaps another or leaves the text`,
      );
    }
    const inserted = hasCarriageReturns
      ? patch.text.replaceAll("\r", "").replaceAll("\n", "\r\n")
      : patch.text;
    pieces.push(text.slice(position, patch.start), inserted);
    position = patch.end;
  }
  pieces.push(text.slice(position));
  return pieces.join("");
}
