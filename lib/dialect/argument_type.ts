// SPDX-License-Identifier: Apache-2.0

/** Roles of function arguments: values of `ttcore.argument_type`. */
export const ARGUMENT_TYPES = ["input", "parameter", "constant", "default"] as const;

/** One of {@linkcode ARGUMENT_TYPES}. */
export type ArgumentType = (typeof ARGUMENT_TYPES)[number];
