# SPDX-License-Identifier: Apache-2.0
"""Calls of ops that move, reshape or create data."""

from __future__ import annotations

import ttnn

from call import Call, Thunk, calls
from protocol import UnaskableQuestion
from values import memory_config, page_layout


@calls("reshape")
def _reshape(call: Call) -> Thunk:
    [tensor] = call.operands()
    shape = ttnn.Shape(call.attributes.integers("shape"))
    return lambda: ttnn.reshape(tensor, shape, **call.memory)


@calls("permute")
def _permute(call: Call) -> Thunk:
    [tensor] = call.operands()
    order = call.attributes.integers("permutation")
    return lambda: ttnn.permute(
        tensor, order, pad_value=call.attributes.number("pad_value", 0.0), **call.memory
    )


@calls("transpose")
def _transpose(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.transpose(
        tensor, call.attributes.integer("dim0"), call.attributes.integer("dim1"), **call.memory
    )


@calls("concat")
def _concat(call: Call) -> Thunk:
    made = call.operands()
    return lambda: ttnn.concat(made, call.attributes.integer("dim"), **call.memory)


@calls("slice_static")
def _slice(call: Call) -> Thunk:
    [tensor] = call.operands()
    begins, ends, step = (call.attributes.integers(name) for name in ("begins", "ends", "step"))
    return lambda: ttnn.slice(tensor, begins, ends, step, **call.memory)


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


@calls("repeat")
def _repeat(call: Call) -> Thunk:
    [tensor] = call.operands()
    times = ttnn.Shape(call.attributes.integers("repeat_dims"))
    return lambda: ttnn.repeat(tensor, times, **call.memory)


@calls("repeat_interleave")
def _repeat_interleave(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.repeat_interleave(
        tensor, call.attributes.integer("repeats"), call.attributes.integer("dim"), **call.memory
    )


@calls("embedding")
def _embedding(call: Call) -> Thunk:
    indices, table = call.operands()
    layout = call.question.output or call.question.operands[1].placed
    return lambda: ttnn.embedding(
        indices, table, layout=page_layout(layout), dtype=call.output_dtype, **call.memory
    )


@calls("gather")
def _gather(call: Call) -> Thunk:
    tensor, index = call.operands()
    return lambda: ttnn.gather(tensor, call.attributes.integer("dim"), index=index, **call.memory)


@calls("scatter")
def _scatter(call: Call) -> Thunk:
    tensor, index, source = call.operands()
    reduce = {"sum": {"reduce": "add"}, "prod": {"reduce": "multiply"}}.get(
        call.attributes.word("scatter_reduce_type") or "", {}
    )
    return lambda: ttnn.scatter(
        tensor, call.attributes.integer("dim"), index, source, **reduce, **call.memory
    )


@calls("to_memory_config")
def _to_memory_config(call: Call) -> Thunk:
    [tensor] = call.operands()
    layout = call.question.output or call.question.results[0].placed
    return lambda: ttnn.to_memory_config(tensor, memory_config(layout))


@calls("to_layout")
def _to_layout(call: Call) -> Thunk:
    [tensor] = call.operands()
    layout = call.question.output or call.question.results[0].placed
    wanted = call.result_dtype
    changed = wanted if wanted != tensor.dtype else None
    return lambda: ttnn.to_layout(tensor, page_layout(layout), changed, **call.memory)


@calls("assign")
def _assign(call: Call) -> Thunk:
    [tensor] = call.operands()
    if not call.memory:
        raise UnaskableQuestion("assign without an output layout")
    return lambda: ttnn.assign(tensor, dtype=call.output_dtype, **call.memory)


@calls("full", "zeros", "ones", "empty")
def _create(call: Call) -> Thunk:
    layout = call.question.output or call.question.results[0].placed
    shape = ttnn.Shape(list(call.question.results[0].shape))
    arguments = {
        "dtype": call.result_dtype,
        "layout": page_layout(layout),
        "device": call.device,
        "memory_config": memory_config(layout),
    }
    if call.question.op == "full":
        return lambda: ttnn.full(shape, call.attributes.number("fill_value", 0.0), **arguments)
    function = getattr(ttnn, call.question.op)
    return lambda: function(shape, **arguments)


@calls("arange")
def _arange(call: Call) -> Thunk:
    layout = call.question.output or call.question.results[0].placed
    start, end, step = (call.attributes.integer(name) for name in ("start", "end", "step"))
    return lambda: ttnn.arange(
        start,
        end,
        step,
        dtype=call.result_dtype,
        device=call.device,
        layout=page_layout(layout),
        memory_config=memory_config(layout),
    )
