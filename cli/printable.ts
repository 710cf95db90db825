// SPDX-License-Identifier: Apache-2.0

/**
 * A text without the control characters that a terminal would obey: all but line breaks, tabs and the colours that we
 * write ourselves. Names of inputs may hold anything.
 */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what is removed
  return text.replace(/\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g, "");
}
