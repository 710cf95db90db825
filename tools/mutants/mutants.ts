// SPDX-License-Identifier: Apache-2.0
import { CHAIN_MUTATIONS } from "./chains.ts";
import { MODEL_MUTATIONS } from "./model.ts";
import type { Mutations } from "./mutation.ts";
import { PASS_MUTATIONS } from "./passes.ts";

/** Every mutation of `deno task mutants`. */
export const MUTATIONS: readonly Mutations[] = [...CHAIN_MUTATIONS, ...PASS_MUTATIONS, ...MODEL_MUTATIONS];
