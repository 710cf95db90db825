// SPDX-License-Identifier: Apache-2.0
import {
  ATTENTION_FORM,
  CHUNKED_ATTENTION,
  LATENT_ATTENTION,
  ROTARY,
  ROTARY_LLAMA,
  TRAINING_ATTENTION,
} from "./attributes/attention.ts";
import { defineOps, type OpDefinition, type OperandWord, repeated } from "./definition.ts";
import { roundUp } from "../layout/make_layout.ts";
import { likeOperand } from "./shape_inference.ts";

/** Families of attention. */
export type AttentionFamily = "sdpa" | "sdpa_fw" | "sdpa_bw" | "sdpa_decode" | "rotary" | "rotary_llama";

/** Attention over a cache names its chunks; prefill has no such property, the kernel chooses (tt-mlir:config-attributes). */
const DECODE_CONFIG = { kind: "sdpa", program: "program_config", searched: false } as const;

const PREFILL_CONFIG = { ...DECODE_CONFIG, program: undefined } as const;

const PREFILL: readonly OperandWord[] = [
  "activation",
  "activation",
  "activation?",
  "mask?",
  ...repeated(4, "index?"),
];

const DECODE: readonly OperandWord[] = [
  "activation",
  "cache",
  "cache?",
  "index?",
  "mask?",
  ...repeated(3, "index?"),
];

/** Queries, keys and values, then operands that only the gradient has. */
const TRAINING_OPERANDS: readonly OperandWord[] = [
  ...repeated(3, "activation"),
  ...repeated(5, "activation?"),
];

/** Scaled dot product attention and the rotation of its operands. */
export const ATTENTION: readonly OpDefinition<AttentionFamily>[] = [
  ...defineOps("scaled_dot_product_attention", "sdpa", "sdpa", {
    attributes: ATTENTION_FORM,
    operands: PREFILL,
    inferShape: likeOperand(0),
    config: PREFILL_CONFIG,
  }),
  ...defineOps("chunked_scaled_dot_product_attention", "sdpa", "sdpa", {
    attributes: CHUNKED_ATTENTION,
    operands: ["activation", "cache", "cache?", "index", "index?"],
    inferShape: likeOperand(0),
    isPaged: true,
  }),
  // The values are part of the keys, and the result's heads have the width of that part.
  ...defineOps("flash_mla_prefill", "sdpa", "sdpa", {
    attributes: LATENT_ATTENTION,
    operands: PREFILL,
  }),
  ...defineOps("sdpa_fw", "sdpa_fw", "sdpa", {
    attributes: TRAINING_ATTENTION,
    operands: TRAINING_OPERANDS,
    results: undefined,
    inferShape: likeOperand(0),
  }),
  ...defineOps("sdpa_bw", "sdpa_bw", "sdpa", {
    attributes: TRAINING_ATTENTION,
    operands: TRAINING_OPERANDS,
    results: 3,
  }),
  ...defineOps(
    "scaled_dot_product_attention_decode",
    "sdpa_decode",
    "sdpa_decode",
    { attributes: ATTENTION_FORM, operands: DECODE, inferShape: likeOperand(0), config: DECODE_CONFIG },
  ),
  ...defineOps("paged_scaled_dot_product_attention_decode", "sdpa_decode", "sdpa_decode", {
    attributes: ATTENTION_FORM,
    operands: DECODE,
    inferShape: likeOperand(0),
    config: DECODE_CONFIG,
    isPaged: true,
  }),
  ...defineOps("paged_flash_multi_latent_attention_decode", "sdpa_decode", "sdpa_decode", {
    attributes: LATENT_ATTENTION,
    operands: DECODE,
    isPaged: true,
  }),
  // Rows are filled up to whole tiles.
  ...defineOps("rotary_embedding", "rotary", "rotary", {
    attributes: ROTARY,
    operands: ["activation", "weight", "weight", "weight?"],
    inferShape: ({ operands: [input] }) =>
      input?.map((extent, dim) => dim === input.length - 2 ? roundUp(extent, 32) : extent),
  }),
  ...defineOps("rotary_embedding_llama", "rotary_llama", "rotary", {
    attributes: ROTARY_LLAMA,
    operands: ["activation", "weight", "weight", "weight?"],
    inferShape: likeOperand(0),
  }),
];
