// SPDX-License-Identifier: Apache-2.0

/** Switches colours on or off for the whole program; at the start `NO_COLOR` decides. */
export function setColorEnabled(value: boolean): void;

/** Whether colours are on. */
export function getColorEnabled(): boolean;

/** The text in bold. */
export function bold(str: string): string;
/** The text in less light. */
export function dim(str: string): string;
/** The text in red. */
export function red(str: string): string;
/** The text in green. */
export function green(str: string): string;
/** The text in yellow. */
export function yellow(str: string): string;
/** The text in blue. */
export function blue(str: string): string;
/** The text in magenta. */
export function magenta(str: string): string;
/** The text in cyan. */
export function cyan(str: string): string;

/** The text without its colours and styles. */
export function stripAnsiCode(string: string): string;
