// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";
import { computeConfig } from "./products.ts";
import { alone, dense, float, integer, ofOneTensor, type QuestionMaker } from "./question.ts";
import { HEADS } from "./shapes.ts";
import type { QuestionMemory } from "./tensors.ts";

const INTERLEAVED: readonly QuestionMemory[] = ["dram", "dram", "l1"];

const attention: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick(HEADS);
  const [batch = 1, heads = 1, sequence = 1, width = 1] = shape;
  const groups = random.chance(0.3) && heads % 4 === 0 ? heads / 4 : heads;
  const keys = [batch, groups, sequence, width];
  const places: readonly QuestionMemory[] = random.chance(0.85)
    ? INTERLEAVED
    : ["dram", "l1", "height_sharded", "block_sharded"];
  const dataType = random.pick<DataType>(["bf16", "bf16", "bf16", "bfp_bf8"]);
  const causal = random.chance(0.4);
  const masked = !causal && random.chance(0.5);
  const query = tensors.any({ shape, dataType, places });
  const mask = () =>
    tensors.any({ shape: [batch, random.chance(0.7) ? 1 : heads, sequence, sequence], places: INTERLEAVED });
  const config = computeConfig(random);
  return {
    op: "scaled_dot_product_attention",
    operands: [
      query,
      tensors.any({ shape: keys, dataType, places }),
      tensors.any({ shape: keys, dataType, places }),
      ...(masked ? [mask()] : []),
    ],
    results: [{ shape, dataType }],
    hint: random.chance(0.3) ? undefined : tensors.any({ shape, dataType, places }),
    attrs: {
      is_causal: String(causal),
      scale: float(0.125),
      operandSegmentSizes: dense([1, 1, 1, Number(masked), 0], "i32"),
      ...(config === null ? {} : { compute_config: config }),
    },
  };
};

const decodeAttention: QuestionMaker = ({ random, tensors }) => {
  const users = random.pick([8, 16, 32]);
  const heads = random.pick([8, 16, 32]);
  const groups = random.pick([1, 2, 4, 8].filter((count) => count <= heads));
  const width = random.pick([64, 128]);
  const sequence = random.pick([128, 512, 1024, 2048]);
  const shape = [1, users, heads, width];
  const keys = [users, groups, sequence, width];
  const query = random.chance(0.3)
    ? tensors.sharded("height_sharded", [users, 1], { shape })
    : tensors.any({ shape, places: ["dram", "dram", "l1", "height_sharded"] });
  const dataType = random.pick<DataType>(["bf16", "bf16", "bfp_bf8"]);
  const causal = random.chance(0.75);
  const cache = () =>
    tensors.any({ shape: keys, dataType, places: random.chance(0.9) ? ["dram"] : ["dram", "l1"] });
  return {
    op: "scaled_dot_product_attention_decode",
    operands: [
      query,
      cache(),
      cache(),
      ...(causal ? [] : [tensors.any({ shape: [users, 1, heads, sequence], places: INTERLEAVED })]),
      ...(causal
        ? [tensors.any({ shape: [users], dataType: "si32", tiled: false, places: ["dram", "dram", "l1"] })]
        : []),
    ],
    results: [{ shape }],
    hint: random.chance(0.3)
      ? undefined
      : tensors.hint(query, { shape, places: ["dram", "l1", "height_sharded"] }),
    attrs: {
      is_causal: String(causal),
      scale: float(0.125),
      operandSegmentSizes: dense([1, 1, 1, Number(!causal), Number(causal), 0], "i32"),
    },
  };
};

const FUSED: readonly (readonly [batch: number, sequence: number, heads: number, width: number])[] = [
  [1, 384, 12, 64],
  [8, 128, 12, 64],
  [1, 197, 12, 64],
  [2, 256, 16, 96],
  [8, 64, 8, 64],
];

const splitHeads: QuestionMaker = ({ random, tensors }) => {
  const [batch, sequence, heads, width] = random.pick(FUSED);
  const input = random.chance(0.3)
    ? tensors.at("block_sharded", { shape: [batch, sequence, 3 * heads * width] })
    : tensors.any({ shape: [batch, sequence, 3 * heads * width] });
  const transposes = random.chance(0.6);
  const apart = [batch, heads, sequence, width];
  const key = transposes ? [batch, heads, width, sequence] : apart;
  return {
    op: "split_query_key_value_and_split_heads",
    operands: [input],
    results: [apart, key, apart].map((shape) => ({ shape })),
    hintLike: input,
    attrs: { num_heads: integer(heads, "ui32"), transpose_key: String(transposes) },
  };
};

const joinHeads = (op: "concatenate_heads" | "nlp_concat_heads"): QuestionMaker =>
  ofOneTensor(op, alone(HEADS), {}, (_, [[batch = 1, heads = 1, sequence = 1, width = 1]]) => ({
    result: op === "concatenate_heads"
      ? [batch, sequence, heads * width]
      : [batch, 1, sequence, heads * width],
  }));

const [JOINED_3D, JOINED_4D] = [joinHeads("concatenate_heads"), joinHeads("nlp_concat_heads")];

const concatHeadsDecode: QuestionMaker = ({ random, tensors }) => {
  const users = random.pick([8, 32]);
  const heads = random.pick([8, 16, 32]);
  const width = random.pick([64, 128]);
  const shape = [1, users, 32, width];
  const input = random.chance(0.7)
    ? tensors.sharded("height_sharded", [users, 1], { shape })
    : tensors.any({ shape });
  const result = [1, 1, users, heads * width];
  return {
    op: "nlp_concat_heads_decode",
    operands: [input],
    results: [{ shape: result }],
    hint: random.chance(0.4)
      ? undefined
      : random.chance(0.5)
      ? tensors.sharded("width_sharded", [1, heads], { shape: result })
      : tensors.hint(input, { shape: result }),
    attrs: { num_heads: integer(heads, "ui32") },
  };
};

const createHeadsDecode: QuestionMaker = ({ random, tensors }) => {
  const heads = random.pick([8, 16, 32]);
  const groups = random.pick([1, 2, 4, 8]);
  const width = random.pick([64, 128]);
  const users = random.pick([8, 32]);
  const shape = [1, 1, users, (heads + 2 * groups) * width];
  const input = tensors.any({
    shape,
    places: ["dram", "l1", "width_sharded", "width_sharded", "block_sharded"],
  });
  const query = [1, users, heads, width];
  const key = [1, users, groups, width];
  return {
    op: "nlp_create_qkv_heads_decode",
    operands: [input],
    results: [query, key, key].map((shape) => ({ shape })),
    hint: random.chance(0.4)
      ? undefined
      : random.chance(0.5)
      ? tensors.inexact(tensors.sharded("height_sharded", [users, 1], { shape: query }))
      : tensors.hint(input, { shape: query }),
    attrs: {
      num_heads: integer(heads, "ui32"),
      num_kv_heads: integer(groups, "ui32"),
      overlap_qk_coregrid: String(random.chance(0.8)),
    },
  };
};

const rotary: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick([[1, 32, 128, 64], [1, 8, 512, 128], [1, 12, 384, 64], [1, 1, 32, 64], [
    1,
    32,
    32,
    128,
  ]]);
  const table = [1, 1, shape[2] ?? 1, shape[3] ?? 1];
  const input = tensors.any({ shape });
  const one = () =>
    tensors.any({ shape: table, places: random.chance(0.9) ? INTERLEAVED : ["height_sharded"] });
  return {
    op: "rotary_embedding",
    operands: [input, one(), one()],
    results: [{ shape }],
    hint: tensors.hint(input, { shape }),
    attrs: random.chance(0.2) ? { token_index: integer(0, "ui32") } : {},
  };
};

const rotaryLlama: QuestionMaker = ({ random, tensors }) => {
  const decodes = random.chance(0.5);
  const users = random.pick([8, 32]);
  const width = random.pick([64, 128]);
  const shape = decodes ? [1, users, 32, width] : random.pick([[1, 32, 128, width], [1, 8, 256, width]]);
  const table = decodes ? [1, users, 32, width] : [1, 1, shape[2] ?? 1, width];
  const place = (of: readonly number[]) =>
    decodes && random.chance(0.85)
      ? tensors.sharded("height_sharded", [users, 1], { shape: of })
      : tensors.any({ shape: of, places: INTERLEAVED });
  const matrix = decodes && random.chance(0.8)
    ? tensors.sharded("height_sharded", [users, 1], { shape: [1, 1, 32 * users, 32] })
    : tensors.any({ shape: [1, 1, 32, 32], places: INTERLEAVED });
  const input = place(shape);
  return {
    op: "rotary_embedding_llama",
    operands: [input, place(table), place(table), matrix],
    results: [{ shape }],
    hint: tensors.hint(input, { shape, places: ["dram", "l1", "height_sharded"] }),
    attrs: { is_decode_mode: String(decodes) },
  };
};

const CACHES: readonly (readonly number[])[] = [
  [32, 8, 128, 64],
  [8, 8, 512, 64],
  [1, 32, 128, 128],
  [32, 1, 256, 128],
  [16, 4, 1024, 64],
];

const fillCache: QuestionMaker = ({ random, tensors }) => {
  const cache = random.pick(CACHES);
  const [, heads = 1, sequence = 1, width = 1] = cache;
  const rows = random.pick([32, 64, 128].filter((count) => count <= sequence));
  return {
    op: "fill_cache",
    operands: [
      tensors.any({ shape: cache, places: ["dram", "dram", "l1"] }),
      tensors.any({ shape: [1, heads, rows, width] }),
    ],
    results: [],
    attrs: { batch_offset: integer(0) },
  };
};

const updateCache: QuestionMaker = ({ random, tensors }) => {
  const cache = random.pick(CACHES);
  const [users = 1, heads = 1, , width = 1] = cache;
  return {
    op: "update_cache",
    operands: [
      tensors.any({ shape: cache, places: ["dram", "dram", "l1"] }),
      tensors.any({ shape: [1, heads, users, width] }),
      tensors.at("dram", { shape: [1], dataType: "u32", tiled: false }),
    ],
    results: [],
    attrs: { batch_offset: integer(0) },
  };
};

const pagedUpdateCache: QuestionMaker = ({ random, tensors }) => {
  const cache = random.pick(CACHES);
  const [users = 1, heads = 1, , width = 1] = cache;
  const shape = [1, users, heads, width];
  return {
    op: "paged_update_cache",
    operands: [
      tensors.any({ shape: cache, places: ["dram", "dram", "dram", "l1"] }),
      random.chance(0.75) ? tensors.sharded("height_sharded", [users, 1], { shape }) : tensors.any({ shape }),
      tensors.any({ shape: [users], dataType: "si32", tiled: false, places: ["dram", "dram", "l1"] }),
    ],
    results: [],
    attrs: { share_cache: "false" },
  };
};

/** Makers of the families of attention. */
export const ATTENTION: Readonly<Record<string, QuestionMaker>> = {
  sdpa: attention,
  sdpa_decode: decodeAttention,
  split_heads: splitHeads,
  concat_heads: (maker) => (maker.random.chance(0.5) ? JOINED_3D : JOINED_4D)(maker),
  concat_heads_decode: concatHeadsDecode,
  create_heads_decode: createHeadsDecode,
  rotary,
  rotary_llama: rotaryLlama,
  fill_cache: fillCache,
  update_cache: updateCache,
  paged_update_cache: pagedUpdateCache,
};
