// SPDX-License-Identifier: Apache-2.0
import { FILL_CACHE, PAGED_UPDATE_CACHE } from "./attributes/attention.ts";
import type { AttributeForm } from "./attributes/attribute_form.ts";
import { NO_ATTRIBUTES } from "./attributes/common.ts";
import { defineOps, type OpDefinition, repeated } from "./definition.ts";

/** Families of caches. */
export type CacheFamily = "fill_cache" | "update_cache" | "paged_update_cache" | "paged_fill_cache";

function cacheOp(
  name: string,
  family: CacheFamily,
  deviceOperation: string,
  tables: number,
  attributes: AttributeForm = NO_ATTRIBUTES,
): readonly OpDefinition<CacheFamily>[] {
  return defineOps(name, family, "cache_update", {
    attributes,
    deviceOperation,
    operands: ["cache", "activation", ...repeated(tables, "index?")],
    results: 0,
    inPlaceOperand: 0,
  });
}

/** Ops that write new keys and values into a cache, and nothing else: they have no result. */
export const CACHE: readonly OpDefinition<CacheFamily>[] = [
  ...cacheOp("fill_cache", "fill_cache", "UpdateKVCacheOperation", 1, FILL_CACHE),
  ...cacheOp("update_cache", "update_cache", "UpdateKVCacheOperation", 1, FILL_CACHE),
  ...cacheOp(
    "paged_update_cache",
    "paged_update_cache",
    "PagedUpdateCacheDeviceOperation",
    2,
    PAGED_UPDATE_CACHE,
  ),
  ...cacheOp("paged_fill_cache", "paged_fill_cache", "PagedFillCacheDeviceOperation", 2),
];
