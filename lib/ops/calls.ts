// SPDX-License-Identifier: Apache-2.0

/** Op that hands over what a const-eval function computed. */
export const LOAD_CACHED = "ttcore.load_cached";

/** Ops that call a function by their `callee` and hand on what it returns. */
export const CALLS: ReadonlySet<string> = new Set(["func.call", LOAD_CACHED, "tt.load_cached"]);
