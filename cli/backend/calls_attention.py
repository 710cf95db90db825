# SPDX-License-Identifier: Apache-2.0
"""Calls of attention, heads, rotary embeddings and caches."""

from __future__ import annotations

from typing import Any

import ttnn

from call import Call, Thunk, calls


def _sink(sink: Any) -> dict[str, Any]:
    return {} if sink is None else {"attention_sink": sink}


def _compute(call: Call) -> dict[str, Any]:
    config = call.compute_config()
    return {} if config is None else {"compute_kernel_config": config}


@calls("scaled_dot_product_attention")
def _attention(call: Call) -> Thunk:
    query, key, value, mask, sink = call.by_segment(5)[:5]
    return lambda: ttnn.transformer.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=mask,
        is_causal=call.attributes.flag("is_causal", True),
        scale=call.attributes.number("scale"),
        sliding_window_size=call.attributes.optional_integer("sliding_window_size"),
        **_sink(sink),
        **_compute(call),
        **call.memory,
    )


@calls("scaled_dot_product_attention_decode")
def _attention_decode(call: Call) -> Thunk:
    query, key, value, mask, position, sink = call.by_segment(6)[:6]
    return lambda: ttnn.transformer.scaled_dot_product_attention_decode(
        query,
        key,
        value,
        is_causal=call.attributes.flag("is_causal", True),
        attn_mask=mask,
        cur_pos=[],
        cur_pos_tensor=position,
        scale=call.attributes.number("scale"),
        **_sink(sink),
        **_compute(call),
        **call.memory,
    )


@calls("paged_scaled_dot_product_attention_decode")
def _paged_attention_decode(call: Call) -> Thunk:
    query, key, value, table, mask, position, sink = call.by_segment(7)[:7]
    return lambda: ttnn.transformer.paged_scaled_dot_product_attention_decode(
        query,
        key,
        value,
        table,
        is_causal=call.attributes.flag("is_causal", True),
        attn_mask=mask,
        cur_pos_tensor=position,
        scale=call.attributes.number("scale"),
        **_sink(sink),
        **_compute(call),
        **call.memory,
    )


@calls("split_query_key_value_and_split_heads")
def _split_heads(call: Call) -> Thunk:
    fused, *key_value = call.operands()
    return lambda: ttnn.transformer.split_query_key_value_and_split_heads(
        fused,
        key_value[0] if key_value else None,
        num_heads=call.attributes.integer("num_heads"),
        num_kv_heads=call.attributes.optional_integer("num_kv_heads"),
        transpose_key=call.attributes.flag("transpose_key"),
        **call.memory,
    )


@calls("concatenate_heads")
def _concatenate_heads(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.transformer.concatenate_heads(tensor, **call.memory)


@calls("nlp_concat_heads")
def _nlp_concat_heads(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.experimental.nlp_concat_heads(tensor, **call.memory)


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


@calls("nlp_create_qkv_heads_decode")
def _nlp_create_qkv_heads_decode(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.experimental.nlp_create_qkv_heads_decode(
        tensor,
        num_heads=call.attributes.integer("num_heads"),
        num_kv_heads=call.attributes.optional_integer("num_kv_heads"),
        overlap_qk_coregrid=call.attributes.flag("overlap_qk_coregrid", True),
        **call.memory,
    )


@calls("rotary_embedding")
def _rotary(call: Call) -> Thunk:
    tensor, cosine, sine = call.operands()
    position = call.attributes.optional_integer("token_index")
    return lambda: ttnn.experimental.rotary_embedding(tensor, cosine, sine, position, **call.memory)


@calls("rotary_embedding_llama")
def _rotary_llama(call: Call) -> Thunk:
    tensor, cosine, sine, matrix = call.operands()
    return lambda: ttnn.experimental.rotary_embedding_llama(
        tensor, cosine, sine, matrix, is_decode_mode=call.attributes.flag("is_decode_mode"), **call.memory
    )


@calls("paged_update_cache")
def _paged_update_cache(call: Call) -> Thunk:
    cache, tensor, positions, *table = call.operands()
    return lambda: ttnn.experimental.paged_update_cache(
        cache,
        tensor,
        update_idxs=[],
        update_idxs_tensor=positions,
        share_cache=call.attributes.flag("share_cache"),
        page_table=table[0] if table else None,
    )


@calls("update_cache")
def _update_cache(call: Call) -> Thunk:
    cache, tensor, *_ = call.operands()
    return lambda: ttnn.update_cache(
        cache,
        tensor,
        call.attributes.optional_integer("update_index") or 0,
        batch_offset=call.attributes.optional_integer("batch_offset") or 0,
    )


@calls("fill_cache")
def _fill_cache(call: Call) -> Thunk:
    cache, tensor = call.operands()
    return lambda: ttnn.fill_cache(cache, tensor, call.attributes.optional_integer("batch_offset") or 0)


@calls("paged_fill_cache")
def _paged_fill_cache(call: Call) -> Thunk:
    cache, tensor, table, *batch = call.operands()
    index = {"batch_idx_tensor": batch[0]} if batch else {"batch_idx": 0}
    return lambda: ttnn.experimental.paged_fill_cache(cache, tensor, table, **index)
