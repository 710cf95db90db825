// SPDX-License-Identifier: Apache-2.0

/**
 * Registers a test that looks at colours. `@std/fmt` writes none where `NO_COLOR` is set, whatever it is told; there the
 * test is skipped, visibly.
 */
export const colourTest: typeof Deno.test | typeof Deno.test.ignore = Deno.noColor
  ? Deno.test.ignore
  : Deno.test;
