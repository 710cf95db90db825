// SPDX-License-Identifier: Apache-2.0
import { defineOps, type OpDefinition, operand, optional } from "./definition.ts";

/** Families of caches. */
export type CacheFamily = "fill_cache" | "update_cache" | "paged_update_cache" | "paged_fill_cache";

function cacheOp(name: string, family: CacheFamily, tables: number): readonly OpDefinition<CacheFamily>[] {
  return defineOps(name, family, "cache_update", {
    operands: [
      operand("cache"),
      operand("activation"),
      ...Array.from({ length: tables }, () => optional("index")),
    ],
    results: 0,
    inPlaceOperand: 0,
  });
}

/** Ops that write new keys and values into a cache, and nothing else: they have no result. */
export const CACHE: readonly OpDefinition<CacheFamily>[] = [
  ...cacheOp("fill_cache", "fill_cache", 1),
  ...cacheOp("update_cache", "update_cache", 1),
  ...cacheOp("paged_update_cache", "paged_update_cache", 2),
  ...cacheOp("paged_fill_cache", "paged_fill_cache", 2),
];
