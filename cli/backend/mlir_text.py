# SPDX-License-Identifier: Apache-2.0
"""Reads the text of MLIR attributes into plain Python values. Knows no dialect and no ttnn."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import Union

Value = Union[int, float, bool, str, "Struct", list["Value"]]


class AttributeSyntaxError(ValueError):
    """An attribute text that cannot be read."""


@dataclass(frozen=True)
class Struct:
    """`#dialect.name<positional, key = value>`; the name has no `#` and no dialect."""

    name: str
    positional: list[Value] = field(default_factory=list)
    fields: dict[str, Value] = field(default_factory=dict)


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<number>-?(?:0x[0-9a-fA-F]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+)(?![\w.]))
    | (?P<word>[#!@]?[A-Za-z_][\w.$]*|\d+(?:x\d+)*x?[A-Za-z_]*\w*)
    | (?P<mark>[<>{}\[\](),:=*])
    )""",
    re.VERBOSE,
)
_CLOSING = {"<": ">", "(": ")", "[": "]", "{": "}"}


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise AttributeSyntaxError(f"cannot read {text[at : at + 40]!r}")
        kind = match.lastgroup or "mark"
        found.append((kind, match.group(kind)))
        at = match.end()
    return found


class _Reader:
    """Recursive descent over the tokens of one attribute."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0

    def value(self) -> Value:
        kind, text = self._take()
        result: Value
        if kind == "string":
            result = text[1:-1]
        elif kind == "number":
            result = _number(text)
        elif kind == "word":
            result = self._named(text)
        elif text == "<":
            result = Struct("", *self._entries(">"))
        elif text in ("[", "("):
            result = self._entries(_CLOSING[text])[0]
        elif text == "{":
            result = Struct("", *self._entries("}"))
        else:
            raise AttributeSyntaxError(f"unexpected {text!r}")
        return self._typed(result)

    def _named(self, word: str) -> Value:
        if word in ("true", "false"):
            return word == "true"
        if word == "array" and self._peek() == "<":
            return self._dense_array()
        if word[0] in "#!" and self._peek() == "<":
            self._take()
            return Struct(word.rpartition(".")[2].lstrip("#!"), *self._entries(">"))
        return word

    def _dense_array(self) -> list[Value]:
        """`array<i64: 1, 2>`; empty as `array<i64>`."""
        self._take()
        self._take()
        if self._peek() == ":":
            self._take()
        return self._entries(">")[0]

    def _entries(self, end: str) -> tuple[list[Value], dict[str, Value]]:
        positional: list[Value] = []
        fields: dict[str, Value] = {}
        while self._peek() != end:
            if self._peek(1) == "=":
                name = self._take()[1].strip('"')
                self._take()
                fields[name] = self.value()
            else:
                positional.append(self.value())
            if self._peek() == ",":
                self._take()
        self._take()
        return positional, fields

    def _typed(self, value: Value) -> Value:
        """Drops the type behind a value; a hexadecimal `f32` is the bits of the number."""
        if self._peek() != ":" or not re.fullmatch(r"(?:si|ui|i|f|bf)\d+|index", self._peek(1) or ""):
            return value
        self._take()
        kind = self._take()[1]
        if kind == "f32" and isinstance(value, int):
            return float(struct.unpack("<f", struct.pack("<I", value & 0xFFFFFFFF))[0])
        return value

    def _peek(self, ahead: int = 0) -> str | None:
        index = self._at + ahead
        return self._tokens[index][1] if index < len(self._tokens) else None

    def _take(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise AttributeSyntaxError("the text ends too early")
        self._at += 1
        return self._tokens[self._at - 1]


def _number(text: str) -> Value:
    if re.fullmatch(r"-?0x[0-9a-fA-F]+", text):
        return int(text, 16)
    return float(text) if re.search(r"[.eE]", text) else int(text)


def parse(text: str) -> Value:
    """The value of an attribute, for example `parse("[1 : i32, 2 : i32]") == [1, 2]`."""
    return _Reader(text).value()


class Attributes:
    """The attributes of an op by name, each read when it is asked for."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    def has(self, name: str) -> bool:
        """Whether the op has the attribute."""
        return name in self._texts

    def integer(self, name: str) -> int:
        """A number that the op must have."""
        value = self._required(name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise AttributeSyntaxError(f"{name} is no integer: {value!r}")
        return value

    def optional_integer(self, name: str) -> int | None:
        """A number, `None` where the op has none."""
        return self.integer(name) if self.has(name) else None

    def number(self, name: str, default: float | None = None) -> float | None:
        """A floating point number."""
        if not self.has(name):
            return default
        value = self._required(name)
        if not isinstance(value, (int, float)):
            raise AttributeSyntaxError(f"{name} is no number: {value!r}")
        return float(value)

    def scalar(self, name: str) -> float | int | None:
        """A number as the text spells it, whole or not; `None` where the op has none."""
        value = self._required(name) if self.has(name) else None
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise AttributeSyntaxError(f"{name} is no number: {value!r}")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean."""
        return parse(self._texts[name]) is True if self.has(name) else default

    def word(self, name: str) -> str | None:
        """A string, or the only word of `#ttnn.name<word>`."""
        if not self.has(name):
            return None
        return word_of(self._required(name))

    def integers(self, name: str) -> list[int]:
        """A list of integers: an array, a dense array, or `#ttnn.shape<2x3>`."""
        return integers_of(self._required(name))

    def optional_integers(self, name: str) -> list[int] | None:
        """As `integers`; `None` where the op has none."""
        return self.integers(name) if self.has(name) else None

    def struct(self, name: str) -> Struct | None:
        """A structured attribute."""
        if not self.has(name):
            return None
        return struct_of(self._texts[name])

    def _required(self, name: str) -> Value:
        if name not in self._texts:
            raise AttributeSyntaxError(f"the op has no {name}")
        return parse(self._texts[name])


def struct_of(text: str) -> Struct:
    """A text that must be a structured attribute."""
    value = parse(text)
    if not isinstance(value, Struct):
        raise AttributeSyntaxError(f"expected #name<…>: {text[:60]}")
    return value


def word_of(value: Value) -> str:
    """`word` or `#ttnn.name<word>` or `<word>`."""
    while isinstance(value, Struct) and value.positional:
        value = value.positional[0]
    if not isinstance(value, str):
        raise AttributeSyntaxError(f"expected a word: {value!r}")
    return value.rpartition(".")[2]


def integers_of(value: Value) -> list[int]:
    """Integers of a list or a shape."""
    if isinstance(value, Struct):
        return [number for entry in value.positional for number in integers_of(entry)]
    if isinstance(value, str):
        return [int(extent) for extent in value.split("x") if extent]
    if isinstance(value, list):
        return [number for entry in value for number in integers_of(entry)]
    if isinstance(value, float):
        raise AttributeSyntaxError(f"expected integers: {value!r}")
    return [int(value)]
