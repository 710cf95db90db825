# SPDX-License-Identifier: Apache-2.0
"""L1 of a core while an op runs, from the traces of two runs of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from protocol import Operations, Program, TensorEvent

_CIRCULAR = ("circular", "dataflow")


@dataclass
class OpUse:
    """Bytes per core (circular buffers, scratchpads) and per bank (tensors)."""

    #: The device operations that run, in order.
    programs: list[str] = field(default_factory=list)
    #: Per program, circular and dataflow buffers that are not backed, on the core that has most.
    circular_buffers: list[int] = field(default_factory=list)
    #: Per program, the same of scratchpads.
    scratchpads: list[int] = field(default_factory=list)
    #: Most that is allocated at any moment: tensors of before, the op's own, and the buffers of the program that runs.
    peak: int = 0


def own_buffers(programs: list[Program]) -> OpUse:
    """What the programs of an op allocate for themselves."""
    return OpUse(
        programs=[program.operation for program in programs],
        circular_buffers=[_on_fullest_core(program, _CIRCULAR) for program in programs],
        scratchpads=[_on_fullest_core(program, ("scratch",)) for program in programs],
    )


def _on_fullest_core(program: Program, kinds: tuple[str, ...]) -> int:
    by_core: dict[tuple[int, int], int] = {}
    for buffer in program.buffers:
        if buffer.backed or buffer.kind not in kinds:
            continue
        for x0, y0, x1, y1 in buffer.cores:
            for x in range(x0, x1 + 1):
                for y in range(y0, y1 + 1):
                    by_core[x, y] = by_core.get((x, y), 0) + buffer.bytes
    return max(by_core.values(), default=0)


def counted_peaks(events: list[TensorEvent], programs: list[Program]) -> tuple[int, int]:
    """The peaks of tensors, and of tensors with the buffers of a program, as ttnn counts them: from 0 at the start.

    ttnn's own counters are unsigned: where an op frees an operand, which was there before, they wrap around, and the peak
    is a number near 2 ** 64.
    """
    own = iter(programs)
    tensors, buffers, tensor_peak, total_peak = 0, 0, 0, 0
    for event in events:
        if event.event == "program":
            buffers = _on_fullest_core(next(own), (*_CIRCULAR, "scratch"))
        elif event.memory == "l1":
            tensors += event.bytes if event.event == "allocate" else -event.bytes
        tensor_peak = max(tensor_peak, tensors)
        total_peak = max(total_peak, tensors + buffers)
    return tensor_peak, total_peak


#: The number of `ttnn.BufferType.L1_SMALL`, of which traces say the type `L1` as well.
_L1_SMALL = 3


def _is_in_l1(facts: dict[str, Any]) -> bool:
    return str(facts["type"]) == "L1" and int(facts.get("buffer_type", 1)) != _L1_SMALL


def peak_of(nodes: list[dict[str, Any]], before: int, use: OpUse, alignment: int = 1) -> int:
    """The peak of a run whose allocations are in the trace; each takes whole multiples of `alignment` bytes.

    A dispatching run allocates and frees as it will, but its trace tells no dataflow buffers: those are from `use`, by
    the name of the device operation and how often it ran before. Counting programs is not enough: a `Move` runs only
    where something is dispatched, and what frees circular buffers may belong to no program. The chips of a mesh execute
    an operation under one `runtime_id`; `use` has one program for all of them, or one for each.
    """
    waiting: dict[str, list[int]] = {}
    for name, circular, scratch in zip(use.programs, use.circular_buffers, use.scratchpads):
        waiting.setdefault(name, []).append(circular + scratch)
    runs = _runs_of(nodes)
    programs_per_run = {name: max(1, len(waiting.get(name, [])) // len(ids)) for name, ids in runs.items()}
    held: dict[tuple[str, str], int] = {}
    allocated, peak = before, before
    running = Operations()

    def taken(facts: dict[str, Any]) -> int:
        return -(-int(facts["max_size_per_bank"]) // alignment) * alignment

    for node in nodes:
        kind, facts = node["node_type"], node["params"]
        running.read(node)
        if kind == "buffer_allocate" and _is_in_l1(facts):
            allocated += taken(facts)
        elif kind == "buffer_deallocate" and _is_in_l1(facts):
            allocated -= taken(facts)
        elif kind == "program_execution":
            name = running.innermost
            run = (name, _run_id(node))
            if run not in held:
                left, count = waiting.get(name, []), programs_per_run.get(name, 1)
                held[run] = max(left[:count], default=0)
                del left[:count]
            peak = max(peak, allocated + held[run])
        peak = max(peak, allocated)
    return peak


def _run_id(node: dict[str, Any]) -> str:
    """What the executions of one operation on several chips share; an execution without it stands alone."""
    return str(node["params"].get("runtime_id", id(node)))


def _runs_of(nodes: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The runs of each device operation, by its name."""
    runs: dict[str, set[str]] = {}
    running = Operations()
    for node in nodes:
        running.read(node)
        if node["node_type"] == "program_execution":
            runs.setdefault(running.innermost, set()).add(_run_id(node))
    return runs
