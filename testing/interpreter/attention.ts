// SPDX-License-Identifier: Apache-2.0
import { inBoth } from "./elementwise.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import {
  at,
  broadcastAt,
  build,
  multiplyMatrices,
  type NumericTensor,
  offsetOf,
  permute,
  positions,
  reshape,
  softmax,
  transposeLast,
} from "./tensor.ts";

/** Attention, its heads, positions and caches. */
export const ATTENTION: Meanings = {
  ...inBoth([
    ["scaled_dot_product_attention", prefill],
    ["scaled_dot_product_attention_decode", decode],
    ["split_query_key_value_and_split_heads", splitHeads],
    ["concatenate_heads", concatenateHeads],
    ["fill_cache", fillCache],
    ["rotary_embedding", rotaryEmbedding],
    ["update_cache", updateCache],
    ["sdpa_fw", trainingAttention],
  ]),
  "ttnn.nlp_concat_heads": concatenateHeads,
  "ttnn.nlp_create_qkv_heads": splitHeads,
  "ttnn.nlp_create_qkv_heads_decode": createDecodeHeads,
  // One position per user: heads lie side by side as they are.
  "ttnn.nlp_concat_heads_decode": (call) => [reshape(call.operand(0), call.resultShape())],
};

function scaleOf(call: OpCall, query: NumericTensor): number {
  // An f32, as an attribute has it.
  return call.number("scale", 0) || Math.fround(1 / Math.sqrt(query.shape.at(-1) ?? 1));
}

/** `softmax(q kᵀ scale + mask) v` per head; every key head serves as many query heads as there are more of those. */
function attend(
  call: OpCall,
  query: NumericTensor,
  key: NumericTensor,
  value: NumericTensor,
  mask: NumericTensor | undefined,
): NumericTensor {
  const scale = scaleOf(call, query);
  const shared = (query.shape[1] ?? 1) / (key.shape[1] ?? 1);
  const perQueryHead = (tensor: NumericTensor): NumericTensor =>
    build(
      tensor.shape.with(1, query.shape[1] ?? 1),
      (index) => at(tensor, index.with(1, Math.floor((index[1] ?? 0) / shared))),
    );
  const scores = multiplyMatrices(query, transposeLast(perQueryHead(key)));
  const masked = mask === undefined
    ? build(scores.shape, (index) => at(scores, index) * scale)
    : build(scores.shape, (index) => at(scores, index) * scale + broadcastAt(mask, index));
  return multiplyMatrices(softmax(masked, 3), perQueryHead(value));
}

/** Query, key and value are `[batch, heads, positions, size]`. */
function prefill(call: OpCall): NumericTensor {
  const [query, key, value, mask, sink] = call.groups(5);
  if (query === undefined || key === undefined || value === undefined) {
    throw call.fail("three operands expected");
  }
  if (sink !== undefined) throw call.fail("an attention sink");
  const isCausal = mask === undefined && call.flag("is_causal", true);
  return attend(call, query, key, value, isCausal ? causalMask(query, key) : mask);
}

/** Positions see themselves and those before them. */
function causalMask(query: NumericTensor, key: NumericTensor): NumericTensor {
  return build(
    [1, 1, query.shape[2] ?? 1, key.shape[2] ?? 1],
    ([, , row = 0, column = 0]) => column > row ? -Infinity : 0,
  );
}

/** {@linkcode prefill} of a training step; what it keeps for the gradients has no meaning here. */
function trainingAttention(call: OpCall): NumericTensor {
  const [query, key, value, mask] = call.operands;
  if (query === undefined || key === undefined || value === undefined) {
    throw call.fail("three operands expected");
  }
  if (call.number("dropout_probability", 0) !== 0) throw call.fail("no meaning of dropout");
  if (call.operation.results.length > 1) throw call.fail("no meaning of intermediates");
  return attend(call, query, key, value, call.text("mask_type") === "causal" ? causalMask(query, key) : mask);
}

/**
 * The query is `[1, batch, heads, size]`; users see their cache up to their position, or what the mask leaves. The
 * kernel adds the mask before it scales, as what upstream spells decode attention out to on level 0 shows.
 */
function decode(call: OpCall): NumericTensor {
  const [query, key, value, mask, position] = call.groups(6);
  if (query === undefined || key === undefined || value === undefined) {
    throw call.fail("three operands expected");
  }
  return decodeAttention(call, query, key, value, mask, position);
}

/** {@linkcode decode} of operands that are there. */
export function decodeAttention(
  call: OpCall,
  query: NumericTensor,
  key: NumericTensor,
  value: NumericTensor,
  mask: NumericTensor | undefined,
  position: NumericTensor | undefined,
): NumericTensor {
  const rows = permute(query, [1, 2, 0, 3]);
  const heads = query.shape[2] ?? 1;
  const scale = scaleOf(call, query);
  const length = key.shape[2] ?? 1;
  const seen = build([query.shape[1] ?? 1, heads, 1, length], ([user = 0, head = 0, , column = 0]) => {
    if (position !== undefined && column > (position.data[user] ?? 0)) return -Infinity;
    return mask === undefined ? 0 : scale * broadcastAt(permute(mask, [0, 2, 1, 3]), [user, head, 0, column]);
  });
  return permute(attend(call, rows, key, value, seen), [2, 0, 1, 3]);
}

/** Rows of query, key and value side by side (or keys and values apart) cut into heads. */
function splitHeads(call: OpCall): readonly NumericTensor[] {
  const rowsOf = (tensor: NumericTensor): NumericTensor =>
    tensor.shape.length === 4 ? reshape(tensor, tensor.shape.toSpliced(1, 1)) : tensor;
  const input = rowsOf(call.operand(0));
  const heads = call.integer("num_heads", call.integer("num_q_heads", 0));
  const keyHeads = call.integer("num_kv_heads", heads);
  const [batch = 1, length = 1, width = 1] = input.shape;
  const apart = call.operands[1] === undefined ? undefined : rowsOf(call.operands[1]);
  const size = apart === undefined ? width / (heads + 2 * keyHeads) : width / heads;
  const cut = (from: NumericTensor, offset: number, count: number): NumericTensor =>
    build(
      [batch, count, length, size],
      ([user = 0, head = 0, row = 0, column = 0]) => at(from, [user, row, offset + head * size + column]),
    );
  const rest = apart ?? input;
  const start = apart === undefined ? heads * size : 0;
  const key = cut(rest, start, keyHeads);
  return [
    cut(input, 0, heads),
    call.flag("transpose_key", call.flag("transpose_k_heads", true)) ? transposeLast(key) : key,
    cut(rest, start + keyHeads * size, keyHeads),
  ];
}

/** `[1, 1, batch, width]` cut into heads of `[1, batch, heads, size]`. */
function createDecodeHeads(call: OpCall): readonly NumericTensor[] {
  const input = call.operand(0);
  const heads = call.integer("num_heads");
  const keyHeads = call.integer("num_kv_heads", heads);
  const [, , batch = 1, width = 1] = input.shape;
  const size = width / (heads + 2 * keyHeads);
  const cut = (offset: number, count: number): NumericTensor =>
    build(
      [1, batch, count, size],
      ([, user = 0, head = 0, column = 0]) => at(input, [0, 0, user, offset + head * size + column]),
    );
  return [cut(0, heads), cut(heads * size, keyHeads), cut((heads + keyHeads) * size, keyHeads)];
}

function concatenateHeads(call: OpCall): NumericTensor {
  return reshape(permute(call.operand(0), [0, 2, 1, 3]), call.resultShape());
}

/**
 * `x cos + (−second half, first half) sin` over the last dimension; with a token index every row takes that row of both.
 * The kernel fills rows up to whole tiles with what it likes.
 */
function rotaryEmbedding(call: OpCall): NumericTensor {
  const [x, cosine, sine] = [call.operand(0), call.operand(1), call.operand(2)];
  const size = x.shape.at(-1) ?? 1;
  const token = call.integer("token_index", -1);
  const permuted = build(x.shape, (index) => {
    const column = index.at(-1) ?? 0;
    return column < size / 2
      ? -at(x, index.with(-1, column + size / 2))
      : at(x, index.with(-1, column - size / 2));
  });
  return build(call.resultShape(), (index) => {
    if ((index.at(-2) ?? 0) >= (x.shape.at(-2) ?? 1)) return NaN;
    const row = token < 0 ? index : index.with(-2, token);
    return at(x, index) * broadcastAt(cosine, row) + at(permuted, index) * broadcastAt(sine, row);
  });
}

/** Writes positions from the first on, of users from `batch_offset` on. */
function fillCache(call: OpCall): NumericTensor {
  const [cache, input] = [call.operand(0), call.operand(1)];
  const user = call.integer("batch_offset", 0);
  for (const index of positions(input.shape)) {
    cache.data[offsetOf(cache, index.with(0, (index[0] ?? 0) + user))] = at(input, index);
  }
  return cache;
}

/** `[1, heads, users, size]` at one position of every user, or one that all share. */
function updateCache(call: OpCall): NumericTensor {
  const [cache, input, position] = [call.operand(0), call.operand(1), call.operand(2)];
  for (const [, head = 0, user = 0, column = 0] of positions(input.shape)) {
    const row = position.data[position.data.length === 1 ? 0 : user] ?? NaN;
    cache.data[offsetOf(cache, [user, head, row, column])] = at(input, [0, head, user, column]);
  }
  return cache;
}

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
