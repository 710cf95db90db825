// SPDX-License-Identifier: Apache-2.0
import { CHAIN_MERGING_MUTATIONS } from "./chain_merging.ts";
import { CHAIN_SOLVING_MUTATIONS } from "./chain_solving.ts";
import { EXACT_MUTATIONS } from "./exact.ts";
import { INTERLEAVED_MUTATIONS } from "./interleaved.ts";
import { MEMORY_MUTATIONS } from "./memory.ts";
import { MODEL_MUTATIONS } from "./model.ts";
import type { Edit, Mutations } from "./mutation.ts";
import { PASS_MUTATIONS } from "./passes.ts";
import { PLACE_MUTATIONS } from "./places.ts";
import { ROOM_MUTATIONS } from "./rooms.ts";

/** One mutation of `deno task mutants`. */
export interface Mutant {
  readonly file: string;
  readonly algorithm: string;
  readonly edit: Edit;
}

const BY_TOPIC: readonly Mutations[] = [
  CHAIN_SOLVING_MUTATIONS,
  CHAIN_MERGING_MUTATIONS,
  INTERLEAVED_MUTATIONS,
  PASS_MUTATIONS,
  EXACT_MUTATIONS,
  MODEL_MUTATIONS,
  MEMORY_MUTATIONS,
  ROOM_MUTATIONS,
  PLACE_MUTATIONS,
];

/** Every mutation of `deno task mutants`. */
export const MUTATIONS: readonly Mutant[] = BY_TOPIC.flatMap(Object.entries<readonly Edit[]>).flatMap(
  ([of, edits]) => {
    const [file = "", algorithm = ""] = of.split(/: (.*)/);
    return edits.map((edit) => ({ file, algorithm, edit }));
  },
);
