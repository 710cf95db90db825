// SPDX-License-Identifier: Apache-2.0

/** Op that returns the results of a const-eval function. */
export const LOAD_CACHED = "ttcore.load_cached";

/** The same before the dialect `tt` became `ttcore`. */
export const OLD_LOAD_CACHED = "tt.load_cached";

/** Ops that call the function `callee` and return its results. */
export const CALLS: ReadonlySet<string> = new Set(["func.call", LOAD_CACHED, OLD_LOAD_CACHED]);
