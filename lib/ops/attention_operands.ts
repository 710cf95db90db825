// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "./op_book.ts";

/** Groups of an attention's operands behind queries, keys and values; `undefined` where the op has none of a kind. */
export interface AttentionGroups {
  /** The mask that is added to the scores. */
  readonly mask?: number;
  /** The pages of each user in a paged cache. */
  readonly pages?: number;
  /** The position of each user's query, in decode. */
  readonly positions?: number;
  /** The position of the first query, in chunks of a prompt. */
  readonly start?: number;
  /** A score of each head that takes part in the softmax and has no value. */
  readonly sink?: number;
}

/**
 * The groups of an attention's optional operands.
 *
 * @param name with dialect
 */
export function attentionGroups(name: string): AttentionGroups {
  const { family, isPaged } = definitionOf(name);
  if (family === "sdpa_decode") {
    return isPaged ? { pages: 3, mask: 4, positions: 5, sink: 6 } : { mask: 3, positions: 4, sink: 5 };
  }
  if (family === "sdpa") return isPaged ? { pages: 3, start: 4 } : { mask: 3, sink: 4 };
  return {};
}
