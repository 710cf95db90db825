# SPDX-License-Identifier: Apache-2.0
"""Runs an op in a graph capture and reads the answer from its trace."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ttnn

from l1_use import counted_peaks
from protocol import Accepted, Buffer, BufferKind, CoreRange, Operations, Program, ResultLayout, TensorEvent
from values import DTYPE_NAMES

_RANGES = re.compile(r"(\d+)-(\d+) - (\d+)-(\d+)")
#: No memory has so many bytes: a counter that was below 0.
_WRAPPED = 1 << 63
_BUFFER_KINDS: dict[str, BufferKind] = {
    "circular_buffer_allocate": "circular",
    "dataflow_buffer_allocate": "dataflow",
    "scratchpad_allocate": "scratch",
}


class Trace:
    """Reads the nodes of a trace once, in order."""

    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.events: list[TensorEvent] = []
        self.compute_configs: list[str] = []
        self._operations = Operations()
        self._counted: dict[int, int] = {}

    def read(self, nodes: list[dict[str, Any]]) -> None:
        for node in nodes:
            kind, facts = node["node_type"], node["params"]
            self._operations.read(node)
            if kind == "function_start":
                self._note_configs(node["arguments"])
            elif kind == "circular_buffer_deallocate_all":
                self.programs.append(Program(self._operations.innermost))
                self.events.append(TensorEvent("program"))
            elif kind in _BUFFER_KINDS:
                self._add_buffer(kind, facts)
            elif kind in ("buffer_allocate", "buffer_deallocate"):
                self._note_tensor(kind, facts, node["connections"])

    def _add_buffer(self, kind: str, facts: dict[str, Any]) -> None:
        if not self.programs:
            self.programs.append(Program(self._operations.innermost))
        backed = str(facts.get("globally_allocated", facts.get("borrows_memory", "0"))).lower() in (
            "1",
            "true",
        )
        self.programs[-1].buffers.append(
            Buffer(
                _BUFFER_KINDS[kind], int(facts["size"]), _core_ranges(str(facts["core_range_set"])), backed
            )
        )

    def _note_tensor(self, kind: str, facts: dict[str, Any], connections: list[int]) -> None:
        node = connections[0]
        memory, size = str(facts["type"]).lower(), int(facts["max_size_per_bank"])
        if kind == "buffer_allocate":
            self._counted[node] = len(self._counted)
            self.events.append(TensorEvent("allocate", memory, size, self._counted[node]))
        else:
            # A buffer from before the capture has no number of its own: it is an operand that the op releases.
            self.events.append(TensorEvent("release", memory, size, self._counted.get(node, -1)))

    def _note_configs(self, arguments: list[Any]) -> None:
        for argument in arguments:
            for found in re.findall(r"ComputeKernelConfig\(([^)]*)\)", str(argument)):
                self.compute_configs.append(found)


def _core_ranges(text: str) -> list[CoreRange]:
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in _RANGES.findall(text)]


def _last_word(value: Any) -> str:
    return str(value).rpartition(".")[2]


def result_layout(tensor: Any) -> ResultLayout:
    """Where a tensor on the device lies."""
    config = tensor.memory_config()
    spec = config.shard_spec
    name = _last_word(tensor.dtype)
    result = ResultLayout(
        shape=list(tensor.shape),
        bufferType=_last_word(config.buffer_type).lower(),
        memLayout=_last_word(config.memory_layout).lower(),
        dtype=DTYPE_NAMES.get(name, name),
        tiled=tensor.layout == ttnn.TILE_LAYOUT,
    )
    if spec is not None:
        result.shard = list(spec.shape)
        result.coreRanges = [(r.start.x, r.start.y, r.end.x, r.end.y) for r in spec.grid.ranges()]
        result.orientation = "col_major" if "COL" in str(spec.orientation) else None
    return result


def _tensors_in(value: Any) -> list[Any]:
    if isinstance(value, ttnn.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for entry in value for tensor in _tensors_in(entry)]
    return []


def captured(make: Callable[[], Callable[[], Any]]) -> Accepted:
    """The answer for an op.

    `make` makes the operands, outside of what is read, and returns what runs the op. Raises what ttnn raises.
    """
    graph = ttnn.graph
    depth = 0
    try:
        graph.begin_graph_capture(graph.RunMode.NO_DISPATCH)
        depth = 1
        run = make()
        graph.begin_graph_capture(graph.RunMode.NO_DISPATCH)
        depth = 2
        results = _tensors_in(run())
        nodes = graph.end_graph_capture()
        depth = 1
        layouts = [result_layout(tensor) for tensor in results]
    finally:
        for _ in range(depth):
            graph.end_graph_capture()
    usage = graph.extract_resource_usage_per_core(nodes)
    trace = Trace()
    trace.read(nodes)
    tensor_peak, total_peak = usage.peak_l1, usage.peak_total
    if tensor_peak >= _WRAPPED:
        tensor_peak, total_peak = counted_peaks(trace.events, trace.programs)
    return Accepted(
        programs=trace.programs,
        events=trace.events,
        cbPeak=usage.peak_cb + usage.peak_dataflow_buffer + usage.peak_scratchpad,
        tensorPeak=tensor_peak,
        totalPeak=total_peak,
        outputLayouts=layouts,
        computeConfigs=trace.compute_configs,
    )


_FATAL = re.compile(r"TT_(?:FATAL|THROW|ASSERT) @ [^\n]*?(\w+\.[ch]pp):\d+:? ?([^\n]*)\n(?:info:\n([^\n]*))?")


def is_memory(error: BaseException) -> bool:
    """Whether L1 or DRAM was short, or buffers clashed."""
    text = str(error)
    return any(words in text for words in ("Out of Memory", "clash with L1", "beyond max L1"))


def reason_of(error: BaseException) -> str:
    """TTNN's own words: the file and the condition, and what stands behind `info`."""
    text = str(error)
    found: re.Match[str] | None = _FATAL.search(text)
    if found is None:
        return re.sub(r"0x[0-9a-f]+|/\S+/", "", text.strip().split("\n")[0])[:300]
    file, condition, info = found.groups()
    return f"{file}: {condition}" + (f" | {info}" if info else "")
