// SPDX-License-Identifier: Apache-2.0
import type { HintConfigs } from "../opmodel/op_model.ts";

/** What a policy may change of a graph: where tensors lie, op configs that keep the numbers, and how weights lie in DRAM. */
export const FREE_NAMES = ["layouts", "configs", "weights"] as const;

/** One of {@linkcode FREE_NAMES}. */
export type FreeName = typeof FREE_NAMES[number];

/** What a policy changes unless `--free` says otherwise. */
interface FreeByDefault {
  /** Default: layouts, as upstream. */
  readonly free?: readonly FreeName[];
}

/** What `--free` says; `undefined` leaves it to the policy. */
interface Freed {
  readonly free: readonly FreeName[] | undefined;
}

const LAYOUTS: readonly FreeName[] = ["layouts"];

/** What a policy may change with these options. */
export function freeOf({ free = LAYOUTS }: FreeByDefault, options: Freed): readonly FreeName[] {
  return options.free ?? free;
}

/** The op configs that a policy explores layouts with, given these options. */
export function hintConfigsOf(policy: FreeByDefault, options: Freed): HintConfigs {
  return freeOf(policy, options).includes("configs") ? "free" : "upstream";
}
