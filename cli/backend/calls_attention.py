# SPDX-License-Identifier: Apache-2.0
"""Calls of attention, heads, rotary embeddings and caches."""

from __future__ import annotations

import ttnn

from call import Call, Thunk, calls, said

said("""
scaled_dot_product_attention: ttnn.transformer.* @0 @1 @2 attn_mask=@3 =is_causal:flag?True =scale:number
  =sliding_window_size:integer? attention_sink=@4! compute_kernel_config=compute! memory
scaled_dot_product_attention_decode: ttnn.transformer.* @0 @1 @2 =is_causal:flag?True attn_mask=@3 cur_pos=[]
  cur_pos_tensor=@4 =scale:number attention_sink=@5! compute_kernel_config=compute! memory
paged_scaled_dot_product_attention_decode: ttnn.transformer.* @0 @1 @2 @3 =is_causal:flag?True attn_mask=@4
  cur_pos_tensor=@5 =scale:number attention_sink=@6! compute_kernel_config=compute! memory
split_query_key_value_and_split_heads: ttnn.transformer.* 0 1? =num_heads:integer =num_kv_heads:integer?
  =transpose_key:flag memory
concatenate_heads: ttnn.transformer.* 0 memory
nlp_concat_heads: ttnn.experimental.* 0 memory
nlp_create_qkv_heads_decode: ttnn.experimental.* 0 =num_heads:integer =num_kv_heads:integer?
  =overlap_qk_coregrid:flag?True memory
rotary_embedding: ttnn.experimental.* 0 1 2 token_index:integer? memory
rotary_embedding_llama: ttnn.experimental.* 0 1 2 3 =is_decode_mode:flag memory
paged_update_cache: ttnn.experimental.* 0 1 update_idxs=[] update_idxs_tensor=2 =share_cache:flag page_table=3?
fill_cache: ttnn.* 0 1 batch_offset:integer?0
""")


@calls("nlp_concat_heads_decode")
def _nlp_concat_heads_decode(call: Call) -> Thunk:
    [tensor] = call.operands()
    heads = call.attributes.integer("num_heads")
    # tt-mlir's runtime names the cores where they are not one rectangle from the first core on; without that TTNN refuses.
    grid = tensor.memory_config().shard_spec.grid if tensor.is_sharded() else None
    ranges = [] if grid is None else grid.ranges()
    is_from_first = len(ranges) == 1 and (ranges[0].start.x, ranges[0].start.y) == (0, 0)
    cores = {"sub_core_grids": grid} if ranges and not is_from_first else {}
    return lambda: ttnn.experimental.nlp_concat_heads_decode(tensor, num_heads=heads, **cores, **call.memory)


@calls("update_cache")
def _update_cache(call: Call) -> Thunk:
    cache, tensor, *_ = call.operands()
    return lambda: ttnn.update_cache(
        cache,
        tensor,
        call.attributes.optional_integer("update_index") or 0,
        batch_offset=call.attributes.optional_integer("batch_offset") or 0,
    )


@calls("paged_fill_cache")
def _paged_fill_cache(call: Call) -> Thunk:
    cache, tensor, table, *batch = call.operands()
    index = {"batch_idx_tensor": batch[0]} if batch else {"batch_idx": 0}
    return lambda: ttnn.experimental.paged_fill_cache(cache, tensor, table, **index)
