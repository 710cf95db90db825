// SPDX-License-Identifier: Apache-2.0

/** Op that returns the results of a const-eval function. */
export const LOAD_CACHED = "ttcore.load_cached";

/** Ops that call the function `callee` and return its results. */
export const CALLS: ReadonlySet<string> = new Set(["func.call", LOAD_CACHED]);
