// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { integerAttribute } from "../../../testing/op_queries.ts";
import type { Attribute } from "../../ir/attribute.ts";
import { answerOf, type TensorText } from "../testing/recorded_answer.ts";

const BLACKHOLE = {
  ...TEST_WORMHOLE,
  architecture: "blackhole",
  workerGrid: { rows: 10, columns: 13 },
  dramAlignment: 64,
} as const;

/** Answer to a join of heads; the result's memory is the hint. */
function join(op: "concatenate_heads" | "nlp_concat_heads", input: TensorText, memory: string) {
  const [batch = 1, heads = 1, rows = 1, size = 1] = input.split(" ")[0]?.split("x").map(Number) ?? [];
  const shape = op === "concatenate_heads" ? [batch, rows, heads * size] : [batch, 1, rows, heads * size];
  const format = input.includes("bfp_bf8") ? "bfp_bf8 " : "";
  return answerOf({ op, inputs: [input], results: [`${shape.join("x")} ${format}${memory}`] });
}

Deno.test("joins of interleaved heads stay interleaved", () => {
  assertEquals(join("concatenate_heads", "2x16x384x64 l1", "null"), {
    bytes: [131_072, 24_576, 24_576],
    layouts: ["l1/interleaved"],
  });
  assertEquals(join("nlp_concat_heads", "1x32x128x64 bfp_bf8 dram", "dram"), {
    bytes: [139_264, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join("concatenate_heads", "8x12x128x64 dram", "bs 2x8"), "heads/interleaved");
  assertEquals(join("nlp_concat_heads", "8x12x128x64 dram", "hs 4x1"), "heads/interleaved");
});

Deno.test("heads in shards are spread before they are joined, by one of the two ops", () => {
  assertEquals(join("concatenate_heads", "1x32x128x64 hs 32x1", "dram"), {
    bytes: [262_144, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join("nlp_concat_heads", "1x12x384x64 hs 1x1", "dram"), "heads/needs-shards");
});

Deno.test("shards of whole heads are joined where they lie", () => {
  assertEquals(join("concatenate_heads", "2x16x384x64 bs 2x1", "bs 2x1"), {
    bytes: [0, 786_432, 786_432],
    layouts: ["l1/block_sharded/2x1"],
  });
  assertEquals(join("concatenate_heads", "1x32x1024x64 hs 4x1", "hs 4x1"), "heads/result");
  assertEquals(join("nlp_concat_heads", "1x8x512x64 bs 2x2", "ws 1x4"), "heads/shard-width");
  assertEquals(join("concatenate_heads", "1x16x197x64 bs 7x1", "bs 7x1"), "heads/whole-heads");
});

Deno.test("shards lower than a head end the backend's process and are refused", () => {
  assertEquals(join("concatenate_heads", "1x12x384x64 hs 16x1", "~ws 1x12"), "heads/shard-below-sequence");
  assertEquals(join("nlp_concat_heads", "1x8x512x64 hs 32x1", "hs 16x1"), "heads/shard-below-sequence");
});

/** Answer to a split of `[batch, rows, (heads + 2 keyHeads) size]`; the memory of the results is the hint. */
function split(
  [batch, heads, rows, size]: readonly [number, number, number, number],
  from: string,
  memory: string,
  options: { readonly keyHeads?: number; readonly transposes?: boolean } = {},
) {
  const { keyHeads = heads, transposes = false } = options;
  const keys = transposes ? `${size}x${rows}` : `${rows}x${size}`;
  return answerOf({
    op: "split_query_key_value_and_split_heads",
    inputs: [`${batch}x${rows}x${(heads + 2 * keyHeads) * size} ${from}`],
    results: [
      `${batch}x${heads}x${rows}x${size} ${memory}`,
      `${batch}x${keyHeads}x${keys}`,
      `${batch}x${keyHeads}x${rows}x${size}`,
    ],
    attributes: {
      num_heads: integerAttribute(heads),
      num_kv_heads: integerAttribute(keyHeads),
      transpose_key: { kind: "bool", value: transposes },
    },
  });
}

const pages = (memory: string) => new Array<string>(3).fill(`${memory}/interleaved`);

Deno.test("heads of an interleaved product are interleaved; transposed keys take three buffers", () => {
  const { transposes } = { transposes: true };
  assertEquals(split([32, 32, 1, 64], "dram", "null", { keyHeads: 8 }), {
    bytes: [8192, 0, 0],
    layouts: pages("dram"),
  });
  assertEquals(split([1, 12, 197, 64], "l1", "dram", { transposes }), {
    bytes: [24_576, 0, 0],
    layouts: pages("dram"),
  });
  assertEquals(split([2, 16, 256, 96], "dram", "dram"), { bytes: [8192, 0, 0], layouts: pages("dram") });
  assertEquals(split([1, 32, 1024, 128], "dram", "dram"), { bytes: [16_384, 0, 0], layouts: pages("dram") });
  assertEquals(split([8, 12, 128, 64], "dram", "hs 48x1"), "heads/interleaved");
});

Deno.test("a block-sharded product is split into height shards, and only if they are asked for", () => {
  assertEquals(split([7, 8, 32, 64], "bs 7x1", "~hs 56x1", { keyHeads: 4 }), {
    bytes: [0, 65_536, 65_536],
    layouts: new Array<string>(3).fill("l1/height_sharded/7x1"),
  });
  assertEquals(split([4, 8, 64, 64], "bs 4x2", "~hs 32x1", { transposes: true }), {
    bytes: [32_768, 98_304, 98_304],
    layouts: new Array<string>(3).fill("l1/height_sharded/8x1"),
  });
  // Other shards of the same kind are made behind the split, while its own ones are still there.
  assertEquals(split([8, 12, 128, 64], "bs 8x6", "hs 28x1"), {
    bytes: [0, 270_336, 172_032],
    layouts: new Array<string>(3).fill("l1/height_sharded/28x1"),
  });
  assertEquals(split([2, 16, 384, 64], "bs 2x2", "null"), "heads/split-result");
  assertEquals(split([1, 32, 1024, 128], "ws 1x48", "l1"), "heads/split-input");
  assertEquals(split([1, 16, 256, 32], "bs 2x3", "~hs 16x1"), "heads/batch");
  assertEquals(split([8, 12, 128, 64], "bs 8x8", "~hs 48x1"), "heads/shards");
});

/** Answer to a split of keys and values apart from queries. */
function splitApart(op: string, rows: number, prefix: string) {
  return answerOf({
    op,
    inputs: [`${prefix}64x512 dram`, `${prefix}${rows}x1024 dram`],
    results: ["1x8x64x64 null", `1x8x${rows}x64`, `1x8x${rows}x64`],
    attributes: { [op === "nlp_create_qkv_heads" ? "num_q_heads" : "num_heads"]: integerAttribute(8) },
  });
}

Deno.test("separate keys and values have the queries' number of rows; both ops require it", () => {
  const split = { bytes: [8192, 0, 0], layouts: pages("dram") };
  assertEquals(splitApart("split_query_key_value_and_split_heads", 64, "1x"), split);
  assertEquals(splitApart("split_query_key_value_and_split_heads", 96, "1x"), "heads/rows");
  assertEquals(splitApart("nlp_create_qkv_heads", 64, "1x1x"), split);
  assertEquals(splitApart("nlp_create_qkv_heads", 96, "1x1x"), "heads/rows");
});

/** Answer to the heads of one token per user. */
function create(
  users: number,
  heads: number,
  keyHeads: number,
  size: number,
  from: string,
  { chip = TEST_WORMHOLE, overlaps = true, memory = "null" } = {},
) {
  const attributes: Readonly<Record<string, Attribute>> = {
    num_heads: integerAttribute(heads),
    num_kv_heads: integerAttribute(keyHeads),
    overlap_qk_coregrid: { kind: "bool", value: overlaps },
  };
  return answerOf({
    op: "nlp_create_qkv_heads_decode",
    inputs: [`1x1x${users}x${(heads + 2 * keyHeads) * size} ${from}`],
    results: [heads, keyHeads, keyHeads].map((count) => `1x${users}x${count}x${size} ${memory}`),
    attributes,
    chip,
  });
}

Deno.test("heads of one token per user lie on one core per user", () => {
  const layouts = new Array<string>(3).fill("l1/height_sharded/8x1");
  assertEquals(create(8, 32, 8, 128, "ws 1x3"), { bytes: [0, 24_576, 24_576], layouts });
  assertEquals(create(8, 8, 1, 64, "ws 1x10"), { bytes: [0, 12_288, 12_288], layouts });
  assertEquals(create(8, 8, 1, 64, "hs 1x1"), "heads/decode-product");
  assertEquals(create(8, 8, 1, 64, "bs 1x4"), "heads/decode-product");
  // Blackhole's DRAM is read in words longer than the half row of a tile: both threads stage rows.
  assertEquals(create(8, 8, 1, 64, "dram", { chip: BLACKHOLE }), {
    bytes: [2 * (128 + 64), 12_288, 12_288],
    layouts,
  });
});

Deno.test("keys lie on the cores behind the queries if they must not overlap, from shards of parts of heads", () => {
  const apart = { overlaps: false };
  const fits = create(8, 16, 2, 128, "ws 1x40", apart);
  assertEquals(fits, {
    bytes: [0, 24_576, 24_576],
    layouts: new Array<string>(3).fill("l1/height_sharded/8x1"),
  });
  assertEquals(create(8, 16, 8, 64, "ws 1x8", apart), "heads/partial-heads");
  assertEquals(create(33, 8, 1, 64, "ws 1x10", apart), "heads/cores");
  assertEquals(create(8, 32, 8, 64, "ws 1x48", { memory: "ws 1x2" }), "heads/hint-cores");
});

Deno.test("heads of decoding lie on the requested cores, keys on as many further ones", () => {
  const on = (memory: string, overlaps: boolean) => {
    const answer = create(8, 32, 1, 64, "ws 1x34", { overlaps, memory });
    return typeof answer === "string" ? answer : answer.bytes;
  };
  assertEquals(on("hs 8x1", true), [0, 12_288, 12_288]);
  assertEquals(on("hs 8x1", false), "heads/hint-cores");
  assertEquals(on("bs 8x2", false), [0, 12_288, 12_288]);
  assertEquals(on("bs 4x2", false), "heads/hint-cores");
});

/** Answer to a join of one token's heads of several users. */
function joinDecode(users: number, heads: number, size: number, from: string, memory: string) {
  return answerOf({
    op: "nlp_concat_heads_decode",
    inputs: [`1x${users}x${heads}x${size} ${from}`],
    results: [`1x1x${users}x${heads * size} ${memory}`],
    attributes: { num_heads: integerAttribute(heads) },
  });
}

Deno.test("heads of one token are concatenated from height shards to one core per head, for any request", () => {
  assertEquals(joinDecode(16, 32, 64, "hs 16x1", "l1"), {
    bytes: [0, 4096, 4096],
    layouts: ["l1/width_sharded/1x32"],
  });
  assertEquals(joinDecode(16, 32, 64, "hs 8x1", "dram"), "heads/decode-shards");
  assertEquals(joinDecode(1, 8, 64, "l1", "null"), "heads/decode-input");
  // Cores that are no rectangle from the first one on are named to the kernel, and have to suffice.
  assertEquals(joinDecode(12, 8, 64, "hs 12x1", "null"), {
    bytes: [0, 4096, 4096],
    layouts: ["l1/width_sharded/1x8"],
  });
  assertEquals(joinDecode(12, 32, 64, "hs 12x1", "null"), "heads/decode-cores");
});

Deno.test("concatenate_heads joins heads of whole tiles only, nlp_concat_heads all", () => {
  const join = (op: string, size: number) =>
    answerOf({
      op,
      inputs: [`1x32x12x${size} dram`],
      results: [op === "concatenate_heads" ? `1x12x${32 * size} dram` : `1x1x12x${32 * size} dram`],
    });
  assertEquals(join("concatenate_heads", 100), "heads/size");
  assertEquals(join("concatenate_heads", 64), { bytes: [262_144, 0, 0], layouts: ["dram/interleaved"] });
  assertEquals(
    answerOf({
      op: "nlp_concat_heads",
      inputs: ["1x32x128x64 ws 1x1"],
      results: ["1x1x128x2048 ws 1x1"],
    }),
    "heads/width-sharded",
  );
  assertEquals(join("nlp_concat_heads", 100), { bytes: [524_288, 0, 0], layouts: ["dram/interleaved"] });
});
