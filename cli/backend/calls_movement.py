# SPDX-License-Identifier: Apache-2.0
"""Calls of ops that move, reshape or create data."""

from __future__ import annotations

import ttnn

from call import Call, Thunk, calls, said
from protocol import UnaskableQuestion
from values import page_layout

said("""
reshape: ttnn.* 0 shape:shape memory
permute: ttnn.* 0 permutation:integers =pad_value:number?0.0 memory
transpose: ttnn.* 0 dim0:integer dim1:integer memory
concat: ttnn.* list dim:integer memory
slice_static: ttnn.slice 0 begins:integers ends:integers step:integers memory
repeat: ttnn.* 0 repeat_dims:shape memory
repeat_interleave: ttnn.* 0 repeats:integer dim:integer memory
gather: ttnn.* 0 dim:integer index=1 memory
to_memory_config: ttnn.* 0 place
full: ttnn.* result_shape fill_value:number?0.0 dtype=result_dtype layout=pages =device memory_config=place
zeros ones empty: ttnn.* result_shape dtype=result_dtype layout=pages =device memory_config=place
arange: ttnn.* start:integer end:integer step:integer dtype=result_dtype =device layout=pages memory_config=place
""")


@calls("pad")
def _pad(call: Call) -> Thunk:
    [tensor] = call.operands()
    edges = call.attributes.integers("padding")
    pairs = [(edges[at], edges[at + 1]) for at in range(0, len(edges), 2)]
    return lambda: ttnn.pad(
        tensor,
        pairs,
        call.attributes.number("value", 0.0),
        use_multicore=call.attributes.flag("use_multicore", True),
        **call.memory,
    )


@calls("embedding")
def _embedding(call: Call) -> Thunk:
    indices, table = call.operands()
    layout = call.question.output or call.question.operands[1].placed
    return lambda: ttnn.embedding(
        indices, table, layout=page_layout(layout), dtype=call.output_dtype, **call.memory
    )


@calls("scatter")
def _scatter(call: Call) -> Thunk:
    tensor, index, source = call.operands()
    reduce = {"sum": {"reduce": "add"}, "prod": {"reduce": "multiply"}}.get(
        call.attributes.word("scatter_reduce_type") or "", {}
    )
    return lambda: ttnn.scatter(
        tensor, call.attributes.integer("dim"), index, source, **reduce, **call.memory
    )


@calls("to_layout")
def _to_layout(call: Call) -> Thunk:
    [tensor] = call.operands()
    wanted = call.result_dtype
    changed = wanted if wanted != tensor.dtype else None
    return lambda: ttnn.to_layout(tensor, page_layout(call.wanted), changed, **call.memory)


@calls("assign")
def _assign(call: Call) -> Thunk:
    [tensor] = call.operands()
    if not call.memory:
        raise UnaskableQuestion("assign without an output layout")
    return lambda: ttnn.assign(tensor, dtype=call.output_dtype, **call.memory)
