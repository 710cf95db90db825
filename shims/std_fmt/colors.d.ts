// SPDX-License-Identifier: Apache-2.0

/** Switches colours on or off for the whole program; at the start `NO_COLOR` decides. */
export function setColorEnabled(value: boolean): void;

/** Whether colours are on. */
export function getColorEnabled(): boolean;

/** The text in bold. */
export function bold(str: string): string;
/** The text in red. */
export function red(str: string): string;

/** The text without its colours and styles. */
export function stripAnsiCode(string: string): string;
