# SPDX-License-Identifier: Apache-2.0
"""Questions and answers of the op-model pipe, as far as the backend is asked them (`docs/serve.md`). No ttnn here."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from mlir_text import Attributes

#: An inclusive range of cores: first x, first y, last x, last y.
CoreRange = tuple[int, int, int, int]

_RANGE = re.compile(r"\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*,\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_TILE = 32


class UnaskableQuestion(Exception):
    """A question that the protocol allows and that cannot be put to the backend."""


@dataclass(frozen=True)
class Layout:
    """A tensor's layout. `shard` counts elements; it is `None` where the backend is to choose it."""

    buffer: str
    memory: str
    tiled: bool
    dtype: str
    shard: tuple[int, int] | None
    cores: tuple[CoreRange, ...]

    @property
    def on_host(self) -> bool:
        """Whether the tensor is in system memory."""
        return self.buffer == "system_memory"

    @property
    def sharded(self) -> bool:
        """Whether the tensor is split into shards."""
        return self.memory not in ("interleaved", "")


@dataclass(frozen=True)
class Tensor:
    """An operand or a result; `layout` is `None` where the question gives none."""

    shape: tuple[int, ...]
    element_type: str
    layout: Layout | None

    @property
    def placed(self) -> Layout:
        """The layout that an operand must have."""
        if self.layout is None:
            raise UnaskableQuestion("an operand has no layout")
        return self.layout


@dataclass(frozen=True)
class Question:
    """A question of kind `constraints`."""

    op: str
    attributes: Attributes
    operands: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    output: Layout | None
    config: dict[str, str | None]

    def config_text(self, part: str, attribute: str) -> str | None:
        """A part of the op's config: the question's, else the op's own attribute."""
        asked = self.config.get(part)
        return asked if asked is not None else self.attribute_texts.get(attribute)

    attribute_texts: dict[str, str] = field(default_factory=dict)


def read_layout(wire: dict[str, Any] | None) -> Layout | None:
    """A layout object of the wire: its text, or the same facts decoded."""
    if wire is None:
        return None
    facts = wire if "bufferType" in wire else _facts_of(wire["text"])
    memory = facts.get("memLayout") or "interleaved"
    height, width = facts["shard"][-2:] if len(facts["shard"]) > 1 else (1, facts["shard"][0])
    unit = _TILE if facts["tiled"] else 1
    exact = memory != "interleaved" and not facts.get("ignorePhysicalLayout", False)
    cores = tuple(_cores_of(facts.get("coreRanges") or "")) if exact else ()
    return Layout(
        buffer=facts["bufferType"],
        memory=memory,
        tiled=facts["tiled"],
        dtype=facts["dtype"],
        shard=(height * unit, width * unit) if exact else None,
        cores=cores,
    )


def _cores_of(text: str) -> list[CoreRange]:
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in _RANGE.findall(text)]


_MEMREF = re.compile(r"memref<((?:\d+x)+)(!ttcore\.tile<\d+x\d+,\s*)?(\w+)>?,\s*#ttnn\.buffer_type<(\w+)>>")


def _facts_of(text: str) -> dict[str, Any]:
    """Decodes the text of a `ttnn_layout` that spells its core ranges."""
    memref = _MEMREF.search(text)
    if memref is None:
        raise UnaskableQuestion(f"cannot read the layout {text}")
    extents, tile, dtype, buffer = memref.groups()
    tail = text[memref.end() :]
    memory = re.search(r"<(interleaved|(?:height|width|block|nd)_sharded)>", tail)
    return {
        "bufferType": buffer,
        "memLayout": memory.group(1) if memory else None,
        "shard": [int(extent) for extent in extents.split("x") if extent],
        "tiled": tile is not None,
        "dtype": dtype,
        "coreRanges": tail,
        "ignorePhysicalLayout": "ignorePhysicalLayout = true" in tail,
    }


def _tensors(values: list[dict[str, Any]]) -> tuple[Tensor, ...]:
    """The tensors among operands or results; a device operand is none."""
    return tuple(
        Tensor(tuple(value["shape"]), value["elementType"], read_layout(value["layout"]))
        for value in values
        if "shape" in value
    )


def read_question(wire: dict[str, Any]) -> Question:
    """Reads a line of the wire. Raises UnaskableQuestion for other kinds than `constraints`."""
    kind = wire.get("kind", "constraints")
    if kind != "constraints":
        raise UnaskableQuestion(f"questions of kind {kind} are not put to the backend")
    return Question(
        op=wire["op"].removeprefix("ttnn."),
        attributes=Attributes(wire["attrs"]),
        operands=_tensors(wire["operands"]),
        results=_tensors(wire["results"]),
        output=read_layout(wire.get("outputLayout")),
        config={part: text for part, text in (wire.get("opConfig") or {}).items() if part != "kind"},
        attribute_texts=wire["attrs"],
    )


BufferKind = Literal["circular", "dataflow", "scratch"]


@dataclass
class Buffer:
    """A circular, dataflow or scratch buffer of a program. `bytes` is per core; a backed one lies in a tensor."""

    kind: BufferKind
    bytes: int
    cores: list[CoreRange]
    backed: bool


@dataclass
class Program:
    """One device program: the operation that made it, and its buffers in order."""

    operation: str
    buffers: list[Buffer] = field(default_factory=list)


@dataclass
class TensorEvent:
    """A tensor's buffer comes or goes, or a program is made. `bytes` per bank; `buffer` counts allocations from 0."""

    event: Literal["allocate", "release", "program"]
    memory: str = ""
    bytes: int = 0
    buffer: int = 0


@dataclass
class ResultLayout:
    """What a result turned out to be; `shard` in elements."""

    shape: list[int]
    bufferType: str
    memLayout: str
    dtype: str
    tiled: bool
    shard: list[int] | None = None
    coreRanges: list[CoreRange] | None = None
    orientation: str | None = None


@dataclass
class Accepted:
    """The backend made the op's programs. Byte figures are per core; peaks are those that ttnn itself reports."""

    programs: list[Program]
    events: list[TensorEvent]
    cbPeak: int
    tensorPeak: int
    totalPeak: int
    outputLayouts: list[ResultLayout]
    computeConfigs: list[str]
    ok: Literal[True] = True


@dataclass
class Refused:
    """The backend did not: `error`, `oom`, `crash` (the process died), or `notImplemented` (it could not be asked)."""

    status: Literal["error", "oom", "crash", "notImplemented"]
    reason: str
    ok: Literal[False] = False


def to_wire(answer: Accepted | Refused) -> dict[str, Any]:
    """An answer as JSON; absent fields are left out."""
    return {name: _without_none(value) for name, value in asdict(answer).items() if value is not None}


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, (list, tuple)):
        return [_without_none(entry) for entry in value]
    return value


class Operations:
    """The functions that run at a node of a trace."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def read(self, node: dict[str, Any]) -> None:
        """Follows starts and ends."""
        if node["node_type"] == "function_start":
            self._names.append(str(node["params"]["name"]))
        elif node["node_type"] == "function_end":
            self._names.pop()

    @property
    def innermost(self) -> str:
        """The innermost device operation, without the suffix that they all have."""
        names = [name for name in self._names if name.endswith("Operation")]
        name = names[-1] if names else (self._names or [""])[-1]
        return name.removesuffix("Operation").removesuffix("Device")
