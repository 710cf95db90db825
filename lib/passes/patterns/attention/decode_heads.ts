// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { cutOf, madeBy } from "../matching.ts";

/** Most users, and most query heads: one tile (tt-metal nlp_create_qkv_heads_decode). */
const MOST_ROWS = 32;

/**
 * Query, key and value of one position per user, sliced from one matmul and reshaped to `[1, users, heads,
 * size]`, → `nlp_create_qkv_heads_decode` (tt-mlir:ttnn-fusing). The op places each user's heads on its own
 * core, as cache updates require, so copies to that layout are dropped.
 */
export const fuseCreateHeadsDecode: RewritePattern = {
  name: "fuse-create-heads-decode",
  upstream: "level-1",
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    const product = op.tensorResult;
    const anchor = op.next;
    const parts = product === undefined ? undefined : partsOf(product);
    if (product === undefined || parts === undefined || anchor === undefined) return false;
    const [{ users, heads }, { heads: keyHeads }] = parts;
    const { dataType, shape } = product.type;
    const width = shape.at(-1) ?? 0;
    const perUser = { bufferType: "l1", memoryLayout: "height_sharded", grid: [users, 1] } as const;
    const results = parts.map(({ result }) => tensorType(context.chip, result.type.shape, dataType, perUser));
    const site = new PassBuilder(body, anchor, context);
    const name = "ttnn.nlp_create_qkv_heads_decode";
    const counts = { num_heads: heads, num_kv_heads: keyHeads };
    const given = site.type([1, 1, users, width], dataType);
    if (!context.isLegal(site.question(name, [given], results, counts))) return false;
    const made = site.insert(name, [site.reshape(product, given.shape)], results, counts);
    parts.forEach(({ result }, index) => {
      const split = made.tensorResultAt(index);
      for (const reader of [...result.uses.keys()]) {
        const moved = reader.tensorResult;
        if (
          reader.name === "ttnn.to_memory_config" && moved !== undefined && sameType(moved.type, split.type)
        ) {
          body.replaceAllUses(moved, split);
        }
      }
      body.replaceAllUses(result, split);
    });
    return true;
  },
};

/** One of query, key and value. */
interface DecodePart {
  readonly users: number;
  readonly heads: number;
  readonly size: number;
  /** `[1, users, heads, size]`. */
  readonly result: TensorValue;
  readonly from: number;
  readonly to: number;
}

/** Query, key and value, if they cover the whole matmul result. */
function partsOf(product: TensorValue): readonly [DecodePart, DecodePart, DecodePart] | undefined {
  const readers = [...product.uses.keys()];
  const parts = readers.flatMap((reader) => partOf(reader, product) ?? []).sort((a, b) => a.from - b.from);
  const [query, key, value] = parts;
  if (query === undefined || key === undefined || value === undefined || readers.length !== 3) {
    return undefined;
  }
  const isWhole = query.from === 0 && key.from === query.to && value.from === key.to &&
    value.to === product.type.shape.at(-1);
  const headsMatch = key.heads === value.heads && [key, value].every(({ size }) => size === query.size);
  const fits = query.users <= MOST_ROWS && query.heads <= MOST_ROWS && query.size % 32 === 0 &&
    query.heads % key.heads === 0;
  return isWhole && headsMatch && fits ? [query, key, value] : undefined;
}

/** A slice of whole heads of all users with no other use. */
function partOf(reader: TtnnOp, product: TensorValue): DecodePart | undefined {
  const cut = cutOf(reader);
  const reshape = cut === undefined ? undefined : reader.tensorResult?.onlyUser;
  const result = reshape?.tensorResult;
  if (cut === undefined || result === undefined || madeBy(result, "reshape") === undefined) return undefined;
  const [one, users = 1, heads = 1, size = 1, ...more] = result.type.shape;
  const isSplit = cut.dim === product.type.shape.length - 1 && one === 1 && more.length === 0 &&
    heads * size === cut.to - cut.from && result.type.dataType === product.type.dataType &&
    // Positions after heads belong to one sequence, not to users.
    result.uses.keys().every(({ name }) => name !== "ttnn.permute");
  return isSplit ? { users, heads, size, result, from: cut.from, to: cut.to } : undefined;
}

/**
 * Ops allowed between decode attention and its output projection: a guard of users without keys, a typecast.
 */
const BEHIND_ATTENTION: readonly string[] = ["where", "typecast"];

/**
 * Users that the second pattern asks for: the op pads fewer to this many in its result, which no declared type shows
 * (`ttnn:backend-0-81-1`).
 */
const USERS = 32;

/**
 * Merged heads of one position per user, `[1, users, heads, size]`, after decode attention →
 * `nlp_concat_heads_decode` (tt-mlir:ttnn-fusing). It reads each user on its own core and writes each head to
 * its own core.
 */
export const fuseConcatenateHeadsDecode: RewritePattern = replacing({
  name: "fuse-concatenate-heads-decode",
  upstream: "level-1",
  roots: ["ttnn.reshape"],
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    if (input === undefined || !isDecodeAttention(op.operands[0])) return undefined;
    const [one, users = 1, heads = 1, size = 1, ...more] = input.type.shape;
    const width = heads * size;
    const rows = result.type.shape.slice(0, -1);
    const merges = one === 1 && more.length === 0 && result.type.shape.at(-1) === width &&
      users === USERS && rows.at(-1) === users && heads <= 32 && size % 32 === 0;
    if (!merges) return undefined;
    const { dataType } = input.type;
    const perUser = site.type(input.type.shape, dataType, {
      bufferType: "l1",
      memoryLayout: "height_sharded",
      grid: [users, 1],
    });
    const perHead = site.type([1, 1, users, width], dataType, {
      bufferType: "l1",
      memoryLayout: "width_sharded",
      grid: [1, heads],
    });
    const moved = site.op("ttnn.to_memory_config", [input], perUser);
    const merged = site.opIfLegal("ttnn.nlp_concat_heads_decode", [moved], perHead, { num_heads: heads });
    return merged && site.reshape(merged, result.type.shape);
  },
});

/** Whether a value is the result of decode attention, perhaps behind the ops of {@linkcode BEHIND_ATTENTION}. */
function isDecodeAttention(value: Parameters<typeof madeBy>[0]): boolean {
  const name = "scaled_dot_product_attention_decode";
  if (madeBy(value, name, `paged_${name}`) !== undefined) return true;
  const between = madeBy(value, ...BEHIND_ATTENTION);
  return between?.operands.some(isDecodeAttention) ?? false;
}
