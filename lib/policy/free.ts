// SPDX-License-Identifier: Apache-2.0
import type { HintConfigs } from "../opmodel/op_model.ts";

/**
 * What a policy may change in a graph: tensor layouts, and op configs that leave the computed values
 * unchanged.
 */
export const FREE_NAMES = ["layouts", "configs"] as const;

/** One of {@linkcode FREE_NAMES}. */
export type FreeName = typeof FREE_NAMES[number];

/** The default of `--free` for a policy. */
interface FreeByDefault {
  /** Default: layouts, as upstream. */
  readonly free?: readonly FreeName[];
}

/** The value of `--free`; `undefined` leaves it to the policy. */
interface Freed {
  readonly free: readonly FreeName[] | undefined;
}

const LAYOUTS: readonly FreeName[] = ["layouts"];

/** The parts of a graph that a policy may change under these options. */
export function freeOf({ free = LAYOUTS }: FreeByDefault, options: Freed): readonly FreeName[] {
  return options.free ?? free;
}

/** The op configs with which a policy explores layouts under these options. */
export function hintConfigsOf(policy: FreeByDefault, options: Freed): HintConfigs {
  return freeOf(policy, options).includes("configs") ? "free" : "upstream";
}
