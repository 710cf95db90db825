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
} from "../op_question.ts";
import type { MeasuredChip, OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import { dataTypeOf, numberIn, placesOf, type RowPlaces, shapesIn, textIn } from "./texts.ts";

function places(params: Params, chip: MeasuredChip): RowPlaces {
  return placesOf(textIn(params, "memory"), chip, { cores: numberIn(params, "cores") });
}

/** Heads joined to rows: `[1,32,128,128] -> [1,1,128,4096]`, `16x1024x256 to 1024x4096`. */
export const concatHeadsOp: OpReader = ({ params }, chip) => {
  const [heads] = shapesIn(params.shape ?? params.desc);
  if (heads === undefined) return "shapes are not in the row";
  const [batch = 1, count = 1, rows = 1, width = 1] = withLeadingOnes(heads, 4);
  const { input, output } = places(params, chip);
  const split = [batch, count, rows, width];
  return [
    fromOneTensor("concatenate_heads", "bf16", [split, input], [[batch, rows, count * width], output]),
  ];
};

/** Users' heads of decoding joined: `[1,users,heads,width] -> [1,1,users,heads * width]`. */
export const concatHeadsDecodeOp: OpReader = ({ params }, chip) => {
  const [heads, joined] = shapesIn(params.shape);
  if (heads?.length !== 4 || joined === undefined) return "the shape of the result is not in the row";
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
function fusedOf(params: Params): Fused | undefined {
  const text = textIn(params, "shape", "desc");
  const [fused, query, key] = shapesIn(text);
  if (fused === undefined) return undefined;
  const rows = fused.at(-2) ?? 1;
  if (query?.length === 4 && key?.length === 4) {
    return { rows, heads: query[1] ?? 1, keyHeads: key[1] ?? 1, width: query[3] ?? 1 };
  }
  const heads = Number(/(\d+) q/.exec(text)?.[1] ?? NaN);
  const keyHeads = Number(/(\d+) k/.exec(text)?.[1] ?? NaN);
  const width = (fused.at(-1) ?? 1) / (heads + 2 * keyHeads);
  return Number.isInteger(width) ? { rows, heads, keyHeads, width } : undefined;
}

/** Fused queries, keys and values split into heads. */
export const createHeadsOp: OpReader = ({ params }, chip) => {
  const fused = fusedOf(params);
  if (fused === undefined) return "rows or heads are not in the row";
  const { rows, heads, keyHeads, width } = fused;
  const { input, output } = places(params, chip);
  const tensor = (shape: readonly number[], place: PlaceRequest): PlacedTensor => ({
    shape,
    dataType: "bf16",
    place,
  });
  return [{
    name: "ttnn.split_query_key_value_and_split_heads",
    attributes: attributesOf({ num_heads: heads, num_kv_heads: keyHeads, transpose_key: false }),
    inputs: [tensor([1, rows, (heads + 2 * keyHeads) * width], input)],
    outputs: [heads, keyHeads, keyHeads].map((count) => tensor([1, count, rows, width], output)),
  }];
};

/** Likewise of one new token per user. */
export const createHeadsDecodeOp: OpReader = ({ params }, chip) => {
  const fused = fusedOf(params);
  if (fused === undefined) return "users or heads are not in the row";
  const { rows, heads, keyHeads, width } = fused;
  const { input } = places(params, chip);
  const sharded: PlaceRequest = { bufferType: "l1", memoryLayout: "height_sharded", grid: [rows, 1] };
  return [{
    name: "ttnn.nlp_create_qkv_heads_decode",
    attributes: attributesOf({ num_heads: heads, num_kv_heads: keyHeads }),
    inputs: [{ shape: [1, 1, rows, (heads + 2 * keyHeads) * width], dataType: "bf16", place: input }],
    outputs: [heads, keyHeads, keyHeads].map((count) => ({
      shape: [1, rows, count, width],
      dataType: "bf16",
      place: sharded,
    })),
  }];
};

/** Rotary embedding of heads with a cosine and a sine per row. */
export const rotaryOp: OpReader = ({ params }, chip) => {
  const [shape] = shapesIn(params.shape ?? params.desc);
  if (shape === undefined) return "shapes are not in the row";
  const heads = withLeadingOnes(shape, 4);
  const { input, output } = places(params, chip);
  const row: PlacedTensor = { shape: [1, 1, heads[2] ?? 1, heads[3] ?? 1], dataType: "bf16", place: input };
  // In shards, every core has the cosines and sines of its own user.
  const angles = input.memoryLayout === "height_sharded"
    ? { ...row, shape: [1, heads[1] ?? 1, 1, heads[3] ?? 1] }
    : row;
  return [{
    name: "ttnn.rotary_embedding",
    inputs: [{ shape: heads, dataType: "bf16", place: input }, angles, angles],
    outputs: [{ shape: heads, dataType: "bf16", place: output }],
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
    const [shape] = Number.isFinite(users)
      ? [[1, users, ...text.split(" x ").slice(1).map(parseFloat)]]
      : shapesIn(text);
    if (shape === undefined) return "shapes are not in the row";
    const rows = withLeadingOnes(shape, 4);
    const fills = name === "paged_fill_cache";
    const [, first = 1, second = 1, width = 1] = rows;
    const blocks = fills ? Math.ceil(second / 32) : first;
    const cache: PlacedTensor = {
      shape: [blocks, fills ? first : second, 32, width],
      dataType: dataTypeOf(params),
      place: DRAM,
    };
    const { input } = places(params, chip);
    const place: PlaceRequest = fills
      ? input
      : { bufferType: "l1", memoryLayout: "height_sharded", grid: [first, 1] };
    const table: PlacedTensor = { shape: [fills ? 1 : first, blocks], dataType: "si32", place: DRAM_ROWS };
    return [{
      name: `ttnn.${name}`,
      inputs: [cache, { shape: rows, dataType: "bf16", place }, table],
      outputs: [],
    }];
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
      { shape: [2 * users, heads, 32, width], dataType: cacheType, place: DRAM },
      { shape: [1, 2 * users, heads, width], dataType, place: { ...place, grid: [2 * users, 1] } },
    ],
    outputs: [],
  };
}

/** One new token per user, of both. */
export const fusedUpdateCacheOp: OpReader = ({ params }) => {
  const text = textIn(params, "shape", "desc");
  const [, users, heads, width] = /\[1,(\d+),(\d+)\(32\),(\d+)\]/.exec(text)?.map(Number) ?? [];
  if (users === undefined || heads === undefined || width === undefined) {
    return "the heads without padding are not in the row";
  }
  const place: PlaceRequest = { bufferType: "l1", memoryLayout: "height_sharded" };
  return [fusedUpdate(dataTypeOf(params), { shape: [1, users, heads, width], dataType: "bf16", place })];
};

/** The tokens of a prompt. */
export const fillCacheOp: OpReader = cacheOp("paged_fill_cache");
