// SPDX-License-Identifier: Apache-2.0

/** The text in red. */
export function red(str: string): string;

/** The text without its colours and styles. */
export function stripAnsiCode(string: string): string;
