// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import type { CallSite } from "../call_site.ts";
import { computeName, sdpaConfigName } from "../op_configs.ts";
import { type Keywords, pythonBool, pythonCall, pythonFloat, type PythonText } from "../python_text.ts";
import { callsOf, type CallWriter, type CallWriters } from "../writers.ts";

/** The keywords that all kinds of attention share. */
function attention(site: CallSite): Keywords {
  const config = site.config();
  const program = config?.kind === "sdpa" ? config.programConfig : undefined;
  const scale = site.numberOr("scale", undefined);
  return {
    is_causal: pythonBool(site.flag("is_causal", true)),
    scale: scale === undefined ? undefined : pythonFloat(scale),
    memory_config: site.memory,
    program_config: program === undefined ? undefined : sdpaConfigName(site.constants, program),
    compute_kernel_config: computeName(site.constants, config),
  };
}

const prefill: CallWriter = (site) => {
  const [query = "", key = "", value = "", mask, sink] = site.groups();
  return pythonCall("ttnn.transformer.scaled_dot_product_attention", [query, key, value], {
    attn_mask: mask,
    ...attention(site),
    sliding_window_size: site.integerOr("sliding_window_size", undefined),
    attention_sink: sink,
  });
};

/** Values are a part of the keys, or an operand of their own. */
const latentPrefill: CallWriter = (site) => {
  const [query = "", key = "", value, mask] = site.groups();
  const width = site.integer("head_dim_v");
  return pythonCall("ttnn.transformer.flash_mla_prefill", [query, key, value ?? width], {
    attn_mask: mask,
    ...attention(site),
  });
};

const decode: CallWriter = (site) => {
  const [query = "", key = "", value = "", mask, position, sink] = site.groups();
  return pythonCall("ttnn.transformer.scaled_dot_product_attention_decode", [query, key, value], {
    attn_mask: mask,
    cur_pos_tensor: position,
    ...attention(site),
    attention_sink: sink,
  });
};

const pagedDecode: CallWriter = (site) => {
  const [query = "", key = "", value = "", table = "", mask, position, sink] = site.groups();
  return pythonCall(
    "ttnn.transformer.paged_scaled_dot_product_attention_decode",
    [query, key, value, table],
    {
      attn_mask: mask,
      cur_pos_tensor: position,
      ...attention(site),
      sliding_window_size: site.integerOr("sliding_window_size", undefined),
      attention_sink: sink,
    },
  );
};

const splitHeads: (callee: string, transposes: string) => CallWriter = (callee, transposes) => (site) =>
  pythonCall(
    callee,
    site.operands.map(({ text }) => text),
    {
      num_heads: site.integer("num_heads"),
      num_kv_heads: site.integerOr("num_kv_heads", undefined),
      [transposes]: pythonBool(site.flag("transpose_key", false)),
      memory_config: site.memory,
    },
  );

const createHeadsDecode: CallWriter = (site) =>
  pythonCall("ttnn.experimental.nlp_create_qkv_heads_decode", [site.operand(0)], {
    num_heads: site.integer("num_heads"),
    num_kv_heads: site.integerOr("num_kv_heads", undefined),
    overlap_qk_coregrid: site.has("overlap_qk_coregrid")
      ? pythonBool(site.flag("overlap_qk_coregrid", true))
      : undefined,
    memory_config: site.memory,
  });

/** Cores that are no rectangle from the first core on are named, as tt-mlir's runtime does (tt-mlir:runtime-calls). */
const concatHeadsDecode: CallWriter = (site) => {
  const { text, type: { layout } } = site.typed(0);
  const [first, ...others] = isSharded(layout) ? layout.coreRanges : [];
  const isPlain = first === undefined ||
    (others.length === 0 && first.start.x === 0 && first.start.y === 0);
  return pythonCall("ttnn.experimental.nlp_concat_heads_decode", [text], {
    num_heads: site.integer("num_heads"),
    memory_config: site.memory,
    sub_core_grids: isPlain ? undefined : site.constants.cores(layout.coreRanges),
  });
};

const rotary: CallWriter = (site) =>
  pythonCall("ttnn.experimental.rotary_embedding", [
    site.operand(0),
    site.operand(1),
    site.operand(2),
    ...positionOf(site),
  ], {
    memory_config: site.memory,
    compute_kernel_config: computeName(site.constants, site.config()),
  });

function positionOf(site: CallSite): readonly number[] {
  const position = site.integerOr("token_index", undefined);
  return position === undefined ? [] : [position];
}

const rotaryLlama: CallWriter = (site) =>
  pythonCall("ttnn.experimental.rotary_embedding_llama", [0, 1, 2, 3].map((index) => site.operand(index)), {
    is_decode_mode: pythonBool(site.flag("is_decode_mode", false)),
    memory_config: site.memory,
    compute_kernel_config: computeName(site.constants, site.config()),
  });

const updateCache: CallWriter = (site) =>
  pythonCall("ttnn.update_cache", [site.operand(0), site.operand(1), scalar(site)], {
    batch_offset: site.integerOr("batch_offset", 0),
  });

/** The position that a tensor of one element holds: the runtime reads it, and ttnn takes a number. */
function scalar(site: CallSite): PythonText {
  const index = site.optional(2);
  return index === undefined ? "0" : `scalar(${index})`;
}

const pagedUpdateCache: CallWriter = (site) =>
  pythonCall("ttnn.experimental.paged_update_cache", [site.operand(0), site.operand(1)], {
    update_idxs_tensor: site.optional(2),
    share_cache: pythonBool(site.flag("share_cache", false)),
    page_table: site.optional(3),
  });

const pagedFillCache: CallWriter = (site) => {
  const batch = site.optional(3);
  return pythonCall("ttnn.experimental.paged_fill_cache", [0, 1, 2].map((index) => site.operand(index)), {
    [batch === undefined ? "batch_idx" : "batch_idx_tensor"]: batch ?? 0,
  });
};

/** Attention, its heads, rotations and caches. */
export const ATTENTION_CALLS: CallWriters = {
  scaled_dot_product_attention: prefill,
  flash_mla_prefill: latentPrefill,
  scaled_dot_product_attention_decode: decode,
  paged_scaled_dot_product_attention_decode: pagedDecode,
  split_query_key_value_and_split_heads: splitHeads(
    "ttnn.transformer.split_query_key_value_and_split_heads",
    "transpose_key",
  ),
  nlp_create_qkv_heads: splitHeads("ttnn.experimental.nlp_create_qkv_heads", "transpose_k_heads"),
  nlp_create_qkv_heads_decode: createHeadsDecode,
  nlp_concat_heads_decode: concatHeadsDecode,
  concatenate_heads: (site) =>
    pythonCall("ttnn.transformer.concatenate_heads", [site.operand(0)], { memory_config: site.memory }),
  ...callsOf(
    "nlp_concat_heads",
    () => (site) =>
      pythonCall("ttnn.experimental.nlp_concat_heads", [site.operand(0)], { memory_config: site.memory }),
  ),
  rotary_embedding: rotary,
  rotary_embedding_llama: rotaryLlama,
  update_cache: updateCache,
  fill_cache: (site) =>
    pythonCall("ttnn.fill_cache", [site.operand(0), site.operand(1), site.integerOr("batch_offset", 0)]),
  paged_update_cache: pagedUpdateCache,
  paged_fill_cache: pagedFillCache,
};
