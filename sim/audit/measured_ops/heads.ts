// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../../lib/layout/data_type.ts";
import { withLeadingOnes } from "../../../lib/layout/extents.ts";
import {
  attributesOf,
  DRAM,
  DRAM_ROWS,
  fromOneTensor,
  type OpQuestion,
  type PlacedTensor,
  type PlaceRequest,
  tensorAt,
} from "../op_question.ts";
import type { MeasuredChip, OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import { dataTypeOf, numberIn, placesOf, type RowPlaces, shapeIn, shapesIn, textIn } from "./texts.ts";
import { leaveOut, required, requiring } from "../row_model.ts";

function places(params: Params, chip: MeasuredChip): RowPlaces {
  return placesOf(textIn(params, "memory"), chip, { cores: numberIn(params, "cores") });
}

/** Heads joined to rows: `[1,32,128,128] -> [1,1,128,4096]`, `16x1024x256 to 1024x4096`. */
export const concatHeadsOp: OpReader = ({ params }, chip) => {
  const heads = shapeIn(params.shape ?? params.desc);
  const [batch = 1, count = 1, rows = 1, width = 1] = withLeadingOnes(heads, 4);
  const { input, output } = places(params, chip);
  const split = [batch, count, rows, width];
  return [
    fromOneTensor("concatenate_heads", "bf16", [split, input], [[batch, rows, count * width], output]),
  ];
};

/** Users' heads of decoding joined: `[1,users,heads,width] -> [1,1,users,heads * width]`. */
export const concatHeadsDecodeOp: OpReader = ({ params }, chip) => {
  const [first, second] = shapesIn(params.shape);
  const need = requiring("the shape of the result is not in the row");
  const heads = need(first?.length === 4 ? first : undefined);
  const joined = need(second);
  const { input, output } = places(params, chip);
  const attributes = attributesOf({ num_heads: heads[2] });
  return [
    fromOneTensor("nlp_concat_heads_decode", "bf16", [heads, input], [joined, output], { attributes }),
  ];
};

/** Rows, heads and their width of fused queries, keys and values. */
interface Fused {
  readonly rows: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly width: number;
}

/**
 * From `[1,1,128,5120] -> q[1,32,128,128] k,v[1,4,128,128]`, `1024x8192 to 16 q + 8 k …` or `[…], 16 q / 8 kv heads
 * x256`.
 */
function fusedOf(params: Params, missing: string): Fused {
  const text = textIn(params, "shape", "desc");
  const [whole, query, key] = shapesIn(text);
  const fused = required(missing, whole);
  const rows = fused.at(-2) ?? 1;
  if (query?.length === 4 && key?.length === 4) {
    return { rows, heads: query[1] ?? 1, keyHeads: key[1] ?? 1, width: query[3] ?? 1 };
  }
  const heads = Number(/(\d+) q/.exec(text)?.[1] ?? NaN);
  const keyHeads = Number(/(\d+) k/.exec(text)?.[1] ?? NaN);
  const width = (fused.at(-1) ?? 1) / (heads + 2 * keyHeads);
  return Number.isInteger(width) ? { rows, heads, keyHeads, width } : leaveOut(missing);
}

/** Fused queries, keys and values split into heads. */
export const createHeadsOp: OpReader = ({ params }, chip) => {
  const { rows, heads, keyHeads, width } = fusedOf(params, "rows or heads are not in the row");
  const { input, output } = places(params, chip);
  return [{
    name: "ttnn.split_query_key_value_and_split_heads",
    attributes: attributesOf({ num_heads: heads, num_kv_heads: keyHeads, transpose_key: false }),
    inputs: [tensorAt([1, rows, (heads + 2 * keyHeads) * width], input)],
    outputs: [heads, keyHeads, keyHeads].map((count) => tensorAt([1, count, rows, width], output)),
  }];
};

/** Likewise of one new token per user. */
export const createHeadsDecodeOp: OpReader = ({ params }, chip) => {
  const { rows, heads, keyHeads, width } = fusedOf(params, "users or heads are not in the row");
  const { input } = places(params, chip);
  const sharded: PlaceRequest = { bufferType: "l1", memoryLayout: "height_sharded", grid: [rows, 1] };
  return [{
    name: "ttnn.nlp_create_qkv_heads_decode",
    attributes: attributesOf({ num_heads: heads, num_kv_heads: keyHeads }),
    inputs: [tensorAt([1, 1, rows, (heads + 2 * keyHeads) * width], input)],
    outputs: [heads, keyHeads, keyHeads].map((count) => tensorAt([1, rows, count, width], sharded)),
  }];
};

/** Rotary embedding of heads with a cosine and a sine per row. */
export const rotaryOp: OpReader = ({ params }, chip) => {
  const heads = withLeadingOnes(shapeIn(params.shape ?? params.desc), 4);
  const { input, output } = places(params, chip);
  const [, users = 1, rows = 1, width = 1] = heads;
  // In shards, every core has the cosines and sines of its own user.
  const perUser = input.memoryLayout === "height_sharded";
  const angles = tensorAt(perUser ? [1, users, 1, width] : [1, 1, rows, width], input);
  return [{
    name: "ttnn.rotary_embedding",
    inputs: [tensorAt(heads, input), angles, angles],
    outputs: [tensorAt(heads, output)],
  }];
};

/**
 * New rows written into a paged cache whose depth is not in the row: one block per user, for a fill as many as the prompt
 * takes.
 */
function cacheOp(name: string): OpReader {
  return ({ params }, chip) => {
    const text = textIn(params, "shape", "desc");
    const users = Number(/(\d+) users/.exec(text)?.[1] ?? NaN);
    const shape = Number.isFinite(users)
      ? [1, users, ...text.split(" x ").slice(1).map(parseFloat)]
      : shapeIn(text);
    const rows = withLeadingOnes(shape, 4);
    const fills = name === "paged_fill_cache";
    const [, first = 1, second = 1, width = 1] = rows;
    const blocks = fills ? Math.ceil(second / 32) : first;
    const cache = tensorAt([blocks, fills ? first : second, 32, width], DRAM, dataTypeOf(params));
    const { input } = places(params, chip);
    const place: PlaceRequest = fills
      ? input
      : { bufferType: "l1", memoryLayout: "height_sharded", grid: [first, 1] };
    const table = tensorAt([fills ? 1 : first, blocks], DRAM_ROWS, "si32");
    return [{ name: `ttnn.${name}`, inputs: [cache, tensorAt(rows, place), table], outputs: [] }];
  };
}

/** One new token per user. */
export const updateCacheOp: OpReader = cacheOp("paged_update_cache");

/** Keys and values written in one program, each on cores of its own: an update of twice the users. */
export function fusedUpdate(cacheType: DataType, { shape, dataType, place }: PlacedTensor): OpQuestion {
  const [, users = 1, heads = 1, width = 1] = shape;
  return {
    name: "ttnn.paged_update_cache",
    inputs: [
      tensorAt([2 * users, heads, 32, width], DRAM, cacheType),
      tensorAt([1, 2 * users, heads, width], { ...place, grid: [2 * users, 1] }, dataType),
    ],
    outputs: [],
  };
}

/** One new token per user, of both. */
export const fusedUpdateCacheOp: OpReader = ({ params }) => {
  const text = textIn(params, "shape", "desc");
  const told = /\[1,(\d+),(\d+)\(32\),(\d+)\]/.exec(text)?.slice(1).map(Number);
  const extents = required("the heads without padding are not in the row", told);
  const place: PlaceRequest = { bufferType: "l1", memoryLayout: "height_sharded" };
  return [fusedUpdate(dataTypeOf(params), tensorAt([1, ...extents], place))];
};

/** The tokens of a prompt. */
export const fillCacheOp: OpReader = cacheOp("paged_fill_cache");
