// SPDX-License-Identifier: Apache-2.0

/** A string or a comment, which stay as they are, or the name of the dialect in front of what it names. */
const DIALECT_NAME = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|(?<![\w.$@%-])tt(?:core)?(?=[.<])(?!\.function_type)/g;

/**
 * Text with the dialect of tiles and devices called `tt`, as before June 2025, or `ttcore`. `tt.function_type` has kept
 * its name (tt-mlir:ir-generations).
 */
export function inDialect(text: string, dialect: "ttcore" | "tt"): string {
  return text.replace(DIALECT_NAME, (found) => /^tt/.test(found) ? dialect : found);
}
