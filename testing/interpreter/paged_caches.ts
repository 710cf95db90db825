// SPDX-License-Identifier: Apache-2.0
import { decodeAttention } from "./attention.ts";
import { inBoth } from "./elementwise.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { at, build, type NumericTensor, offsetOf, positions } from "./tensor.ts";

/** Caches whose positions lie in pages `[heads, positions of a page, size]`, which a table lists per user. */
export const PAGED_CACHES: Meanings = inBoth([
  ["paged_update_cache", pagedUpdateCache],
  ["paged_fill_cache", pagedFillCache],
  ["paged_scaled_dot_product_attention_decode", pagedDecode],
]);

/** Page and row of a user's position; without a table every user has one page. */
function placeOf(
  cache: NumericTensor,
  table: NumericTensor | undefined,
  user: number,
  position: number,
): [number, number] {
  if (table === undefined) return [user, position];
  const rows = cache.shape[2] ?? 1;
  return [at(table, [user, Math.floor(position / rows)]), position % rows];
}

/** `[1, users, heads, size]` at one position of every user. */
function pagedUpdateCache(call: OpCall): NumericTensor {
  const [cache, input, position, table] = [
    call.operand(0),
    call.operand(1),
    call.operand(2),
    call.operands[3],
  ];
  for (const index of positions(input.shape)) {
    const [, user = 0, head = 0, column = 0] = index;
    const [page, row] = placeOf(cache, table, user, position.data[user] ?? NaN);
    cache.data[offsetOf(cache, [page, head, row, column])] = at(input, index);
  }
  return cache;
}

/** `[users, heads, positions, size]` from the first position on; one user's may say which one it is. */
function pagedFillCache(call: OpCall): NumericTensor {
  const [cache, input, table, users] = [call.operand(0), call.operand(1), call.operand(2), call.operands[3]];
  for (const index of positions(input.shape)) {
    const [user = 0, head = 0, position = 0, column = 0] = index;
    const [page, row] = placeOf(cache, table, users?.data[user] ?? user, position);
    cache.data[offsetOf(cache, [page, head, row, column])] = at(input, index);
  }
  return cache;
}

/** Decode attention on the pages of each user, put together. */
function pagedDecode(call: OpCall): NumericTensor {
  const [query, key, value, table, mask, position, sink] = call.groups(7);
  if (query === undefined || key === undefined || value === undefined || table === undefined) {
    throw call.fail("query, key, value and page table expected");
  }
  if (sink !== undefined) throw call.fail("no meaning of an attention sink");
  const [users = 1, pages = 1] = table.shape;
  const joined = (cache: NumericTensor): NumericTensor => {
    const [, heads = 1, rows = 1, size = 1] = cache.shape;
    return build([users, heads, pages * rows, size], ([user = 0, head = 0, at_ = 0, column = 0]) => {
      const [page, row] = placeOf(cache, table, user, at_);
      return at(cache, [page, head, row, column]);
    });
  };
  return decodeAttention(call, query, joined(key), joined(value), mask, position);
}
